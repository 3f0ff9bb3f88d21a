"""A person who plays a character: answers what lies in the mailbox, through the fields of the form."""

from __future__ import annotations

from dataclasses import dataclass, field

from gm.api.playing.mailbox import Letter, answer_letter, open_letters
from gm.files.layout import Layout

SAYS = "Says the person."
"""A line that no model says."""


@dataclass
class Person:
    """Answers letters, and remembers them: what stands twice in ``read`` was asked twice."""

    layout: Layout
    read: list[tuple[str, str]] = field(default_factory=list)

    def open(self) -> list[Letter]:
        return [letter for letter in open_letters(self.layout) if not letter.is_answered]

    def answer_all(self) -> int:
        """Answer every open letter; return how many there were."""
        letters = self.open()
        for letter in letters:
            self.read.append((letter.name, letter.identity))
            answer_letter(self.layout, letter, filled_in(letter))
        return len(letters)


def filled_in(letter: Letter) -> dict[str, str]:
    """Fill in the fields of a letter."""
    if letter.reply == "DiaryReply":
        return {"text": "A long day.", "mood": "tired"}
    if letter.reply == "ReflectionReply":
        (evidence,) = {word.strip("`") for word in letter.question.split() if word.startswith(f"`{letter.who}-001")}
        return {"insights.0.description": "I see.", "insights.0.evidence": evidence, "insights.0.importance": "7"}
    filled = {"action": "Nods.", "dialogue.0.text": SAYS, "mood": "calm", "done": "on"}
    if letter.reply == "PlanningReply":
        filled |= {"plan.work": "A tower\nA gate", "memories.0.description": f"I was there: {letter.scene}."}
    return filled
