"""Rules for personas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from gm.base.config import INJECT, PERSONA_MODES, read_rag
from gm.base.errors import Problem
from gm.base.frontmatter import FENCE, split_front_matter
from gm.base.texts import clip
from gm.files.check.files import Files
from gm.files.check.text import twice
from gm.files.forms.places import yaml_place
from gm.files.forms.text import read_text
from gm.files.load import load_persona
from gm.model.state import UNTIL_NOW, Persona, has_sentence

_END = re.compile(r"(?<=[.!?…]) ")
SHOWN = ("name", "role", "home", "archetype", "decision_style", "communication", "wish")


def persona(agent: str, files: Files) -> Iterator[Problem]:
    """A persona has front matter with a name, an existing home, and texts where texts are shown."""
    path = files.layout.persona(agent)
    shown = files.layout.shown(path)
    text, problems = read_text(path, shown)
    if problems or not text.exists:
        return
    found, problems = load_persona(files.layout, agent)
    if problems or found is None:
        return
    head, _, _ = split_front_matter(text.body)
    if head is None:
        hint = f"begin the file with {FENCE}, name: …, role: …, home: …, {FENCE}"
        yield Problem(shown, 1, 1, "info", "persona-front", "this persona has no front matter", hint)
        return
    yield from twice(head, shown, 1)

    def at(*keys: str | int) -> tuple[int, int]:
        line, column = yaml_place(head, keys)
        return line + 1, column

    if "name" not in found.front:
        message = f"{agent} has no name in its persona: it is called {agent!r}"
        yield Problem(shown, 2, 1, "info", "persona-name", message, "write name: First Last")
    for key in SHOWN:
        value = found.front.get(key)
        if key in found.front and not isinstance(value, str):
            message = f"{key} is {value!r:.40}, expected a text"
            yield Problem(shown, *at(key), "warning", "persona-value", message, "put it in quotes")
    mode = found.front.get("mode", INJECT)
    if mode not in PERSONA_MODES:
        message, hint = (
            f"mode is {mode!r:.40}, expected one of {', '.join(PERSONA_MODES)}",
            "the setting of gm.yaml holds",
        )
        yield Problem(shown, *at("mode"), "warning", "persona-value", message, hint)
    if "rag" in found.front:
        for problem in read_rag(found.front["rag"], files.settings.rag)[1]:
            yield Problem(shown, *at(*problem.keys), "warning", "persona-value", problem.message, problem.hint)
    roles = found.front.get("roles", {})
    if not isinstance(roles, dict) or not all(isinstance(part, str) for part in roles.values()):
        hint = 'write roles: {dnd: "whom they play"}, by the name of a scene type in lower case'
        yield Problem(
            shown, *at("roles"), "warning", "persona-value", "roles is no mapping of scene types to texts", hint
        )
    voice = found.front.get("voice", "")
    if not isinstance(voice, str) and not (
        isinstance(voice, dict) and all(isinstance(part, str) for part in voice.values())
    ):
        hint = "write a text, or voice: {sentences: …, humour: …, misses: …}"
        yield Problem(
            shown, *at("voice"), "warning", "persona-value", "voice is neither a text nor texts by name", hint
        )
    for place, code, message, hint in _stale(found):
        yield Problem(shown, *at(UNTIL_NOW, *place), "warning", code, message, hint)
    home = found.front.get("home")
    if isinstance(home, str) and files.settings.places and home not in files.settings.places:
        message = f"home {home!r} is no place of gm.yaml"
        known = "known: " + ", ".join(files.settings.places)
        yield Problem(shown, *at("home"), "info", "place-unknown", message, known)


def _stale(persona: Persona) -> Iterator[tuple[tuple[int, ...], str, str, str]]:
    """Yield place, code, message and hint of what is no sentence of the prose."""
    hint = f"{UNTIL_NOW} lists sentences of the text below, word for word; they go once the character has a page now"
    listed = persona.front.get(UNTIL_NOW, [])
    if not isinstance(listed, list):
        yield (), "persona-value", f"{UNTIL_NOW} is {listed!r:.40}, expected a list of texts", hint
        return
    for index, text in enumerate(listed):
        if not isinstance(text, str) or not text.strip():
            yield (index,), "persona-value", f"{UNTIL_NOW} holds {text!r:.40}, expected a text", hint
        elif not has_sentence(persona.prose, text):
            near = get_close_matches(" ".join(text.split()), _sentences(persona.prose), n=1, cutoff=0.5)
            yield (
                (index,),
                "persona-stale",
                f"this is no sentence of the text: {clip(text)!r}",
                f"did you mean: {near[0]}" if near else hint,
            )


def _sentences(prose: str) -> list[str]:
    return [sentence for part in prose.split("\n\n") for sentence in _END.split(" ".join(part.split()))]


RULES = (persona,)
