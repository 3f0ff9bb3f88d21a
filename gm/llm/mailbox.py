"""The mailbox backend: who answers is outside of gm, a person or a coding assistant, and knows nothing but a file.

Each question becomes a letter: what to do, the whole prompt, where the answer goes and in which form. The command
stops and says what it waits for; run again, it takes the answers that are there and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template

from gm.errors import Awaited, WaitingError
from gm.llm.base import Answer, Postbox, Request, Surroundings, identity
from gm.reply.extract import AS_YAML, extract_object

HINT = "write the answers, then run the same command again: it goes on from here"

LETTER = "letter.md"
TASKS = {
    True: {
        "task": "You are asked to be a character in a story, for one moment.",
        "knower": "the character does",
        "how": "as the character, ",
    },
    False: {"task": "You are asked about a story, as yourself.", "knower": "you do", "how": ""},
}
TURNS = {"user": "# The question goes on", "assistant": "# What was answered before"}


def make(_model: str, around: Surroundings) -> Mailbox:
    """Make the backend."""
    assert around.postbox is not None
    return Mailbox(around.postbox)


class Mailbox:
    """Lays questions out as files and takes the answers from files.

    Args:
        postbox: Where letters lie.
    """

    name = "mailbox"
    model = "mailbox"
    reads_facts = False

    def __init__(self, postbox: Postbox) -> None:
        self._postbox = postbox

    def ask(self, request: Request) -> Answer:
        """Take the answer if it is there and can be used.

        Raises:
            WaitingError: It is not there, or cannot be used.
        """
        letter, name = letter_name(request), identity(request, self)
        text = self._postbox.answer(letter, name)
        if text is None:
            raise WaitingError([self._lay_out(letter, name, request)], HINT)
        problems = request.check(text) or _unfinished(text, request)
        if problems:
            raise WaitingError([self._explain(letter, request, problems)], HINT)
        self._postbox.explain(letter, "")
        return Answer(text, self.model)

    def _lay_out(self, letter: str, name: str, request: Request) -> Awaited:
        question, answer = self._postbox.paths(letter)
        front = {
            "for": request.who,
            "scene": request.place,
            "label": request.label,
            "answer": answer,
            "identity": name,
        }
        problem = question.removesuffix(".md") + ".problem.md"
        who = request.who or request.purpose
        head = _letter().substitute(who=who, answer=answer, problem=problem, **TASKS[bool(request.who)])
        self._postbox.put(letter, front, head + _prompt(request))
        return Awaited(who, question, answer)

    def _explain(self, letter: str, request: Request, problems: Sequence[str]) -> Awaited:
        question, answer = self._postbox.paths(letter)
        lines = "\n".join(f"- {problem}" for problem in problems)
        text = (
            f"# The answer to {question} cannot be used yet\n\n{lines}\n\nCorrect it, or write it anew, in {answer}.\n"
        )
        where = self._postbox.explain(letter, text)
        return Awaited(request.who or request.purpose, question, answer, problem=where)


@cache
def _letter() -> Template:
    """Read what every letter begins with; what is put into it is never a template itself."""
    return Template((resources.files(__package__) / LETTER).read_text(encoding="utf-8"))


def _unfinished(text: str, request: Request) -> list[str]:
    """Refuse YAML that may have been saved in the middle: unlike JSON, half of it reads like a whole."""
    keys = list(request.schema.get("properties", ()))
    found = extract_object(text, keys)
    if found is None or AS_YAML not in found.repairs or not keys or keys[-1] in found.data:
        return []
    return [f"{keys[-1]}: missing; an answer in YAML ends with it, so that it is certain to be whole"]


def letter_name(request: Request) -> str:
    """Name the letter of a request: ``day-003-scene-04-vera``."""
    return f"{request.place.replace('/', '-')}-{request.label}"


def _prompt(request: Request) -> str:
    parts = [block.text.strip() for block in request.system]
    for number, (role, text) in enumerate(request.messages):
        parts += [TURNS[role]] if number else []
        parts.append(text.strip())
    return "\n\n".join(parts) + "\n"
