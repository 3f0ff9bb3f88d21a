"""Answers from the text of a prompt alone, as a person or a model does, and knows nothing of gm."""

from __future__ import annotations

import re
from typing import Any

PLANNING = re.compile(r"^# (?:Szene: Ankommen|Scene: Arrival)", re.M)
OWN_SCENE = re.compile(r"Das ist deine Szene|This is your scene")
CHAPTER = re.compile(r"^# (?:Wie du schreibst|How you write)", re.M)
RETELLING = re.compile(rf"^# (?:Wie du erzählst|How you tell it)|{CHAPTER.pattern}", re.M)
DIARY = re.compile(r"^# (?:Dein Tagebuch|Your diary)", re.M)
INSIGHTS = "- `insights`:"


def who_is_asked(text: str) -> str:
    """Return the character that a prompt addresses."""
    found = re.search(r"^# (?:Du bist|You are) .*\(`([^`\n]+)`\)", text, re.M)
    assert found is not None, "the prompt does not say who is asked"
    return found[1]


def compose(text: str) -> dict[str, Any]:
    """Compose a reply in the form that a prompt describes."""
    if RETELLING.search(text):
        return {"body" if CHAPTER.search(text) else "text": "Alle waren da."}
    name = who_is_asked(text)
    if INSIGHTS in text:
        ids = re.findall(rf"`({re.escape(name)}-\d{{3,}})`", text)
        insight = {"description": f"{name} versteht etwas.", "importance": 7, "tags": ["insight"], "evidence": ids[-2:]}
        return {"insights": [insight] * 3, "thoughts": "Ach so.", "mood": None}
    if DIARY.search(text):
        return {"text": f"{name} ist müde, und größer wird er nicht.", "mood": "müde", "tags": ["day"]}
    reply: dict[str, Any] = {
        "action": f"{name.capitalize()} nickt.",
        "dialogue": [{"to": None, "text": f"Hier spricht {name}. Übrigens: größer wird er nicht."}],
        "thoughts": "Kein Wort davon.",
        "mood": "ruhig",
        "memories": [
            {
                "type": "observation",
                "description": f"{name} war dabei.",
                "importance": 5,
                "tags": ["day"],
                "evidence": [],
            }
        ],
        "conversation": None,
        "artifact": None,
        "plan": None,
        "current_task": None,
        "go_to": None,
        "done": True,
    }
    if f"- {name} war dabei." in text:
        reply["memories"] = []  # the prompt says that it was noted in an earlier turn
    if PLANNING.search(text):
        reply["plan"] = {"work": ["ein Turm"], "talk_to": [], "library": None, "importance": 4}
    if "- `relationships`:" in text:
        reply["relationships"] = []
    if OWN_SCENE.search(text):
        reply["artifact"] = {
            "title": f"Turm von {name}",
            "kind": "concepts",
            "description": "Ein Turm.",
            "body": "Ein Turm aus sechs Knochen.",
            "importance": 7,
            "tags": ["tower"],
            "style_tags": [],
        }
    return reply
