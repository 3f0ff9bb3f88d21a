"""Rules for personas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from gm.base.casefold import casefold
from gm.base.errors import BrokenWorldError, Problem, say
from gm.base.frontmatter import FENCE, split_front_matter
from gm.base.texts import clip, quoted, suggest
from gm.base.untyped import items_of
from gm.files.check.files import Files
from gm.files.check.text import check_duplicate_keys, unknown_place
from gm.files.formats.places import yaml_place
from gm.files.formats.text import read_text
from gm.files.layout import Layout
from gm.files.reading import front_problems
from gm.files.story.now import load_cast, load_persona
from gm.model.front import FRONT, UNTIL_NOW
from gm.model.persona import Persona, has_sentence
from gm.model.private_headings import find_near_headings
from gm.model.world import Agent, find_agent

_END = re.compile(r"(?<=[.!?…]) ")


def check_persona(agent: str, files: Files) -> Iterator[Problem]:
    """A persona has front matter with a name and an existing home; its keys are those that are declared."""
    path = files.layout.persona(agent)
    shown = files.layout.shown(path)
    text, problems = read_text(path, shown)
    if problems or not text.exists:
        return
    found, problems = load_persona(files.layout, agent)
    if problems or found is None:
        return
    yield from check_private_headings(files.layout, agent, files.settings.publish.headings)
    head, _, _ = split_front_matter(text.body)
    if head is None:
        hint = f"begin the file with {FENCE}, name: …, role: …, home: …, {FENCE}"
        if _has_unfenced_keys(text.body):
            message = f"the front matter does not begin with a line {FENCE}: all of it counts as text"
            yield Problem(shown, 1, 1, "warning", "persona-front", message, hint)
        else:
            yield Problem(shown, 1, 1, "info", "persona-front", "this persona has no front matter", hint)
        return
    yield from check_duplicate_keys(head, shown, 1)

    def at(*keys: str | int) -> tuple[int, int]:
        line, column = yaml_place(head, keys)
        return line + 1, column

    if "name" not in found.front:
        message = say("{agent} has no name in its persona: it is called {name}", agent, repr(agent))
        yield Problem(shown, 2, 1, "info", "persona-name", message, "write name: First Last")
    yield from front_problems(path, shown, FRONT, found.front)
    for place, message, hint in _find_stale(found):
        yield Problem(shown, *at(UNTIL_NOW, *place), "warning", "persona-stale", message, hint)
    home = found.front_values.home
    if home and files.settings.places and home not in files.settings.places:
        line, column = at("home")
        yield Problem(shown, line, column, *unknown_place("home", home, files.settings.places))


def check_private_headings(layout: Layout, agent: str, private: Sequence[str]) -> Iterator[Problem]:
    """What looks like a private heading is one: else the text below it is published.

    Args:
        private: The headings that keep a text back (``publish.headings``).
    """
    shown = layout.shown(layout.persona(agent))
    _, prose, first = split_front_matter(read_text(layout.persona(agent), shown)[0].body)
    for found in find_near_headings(prose, private):
        message = say("{heading} keeps nothing private: what stands below it is published", repr(clip(found.text)))
        hint = say("write the line: ## {heading}; or add the heading to publish.headings in gm.yaml", found.meant)
        yield Problem(shown, first + found.line - 1, 1, "warning", "persona-private", message, hint)


def refuse_near_headings(layout: Layout, agents: Iterable[str], private: Sequence[str]) -> None:
    """Raise an error if ``check_private_headings`` finds anything: what is published cannot be taken back."""
    if found := [problem for agent in agents for problem in check_private_headings(layout, agent, private)]:
        message = "text below a heading that only looks private would be shown to others; nothing was written"
        hint = "correct these lines; or, if their text is meant to be public, give --despite-headings"
        raise BrokenWorldError(message, hint, found)


def _find_stale(persona: Persona) -> Iterator[tuple[tuple[int, ...], str, str]]:
    """Yield place, message and hint."""
    listed = persona.front.get(UNTIL_NOW)
    for index, text in enumerate(items_of(listed)):
        if isinstance(text, str) and not has_sentence(persona.prose, text):
            near = get_close_matches(" ".join(text.split()), _sentences(persona.prose), n=1, cutoff=0.5)
            hint = f"did you mean: {near[0]}" if near else "write a sentence of the text below, word for word"
            yield (index,), f"this is not a sentence of the text: {clip(text)!r}", hint


def _sentences(prose: str) -> list[str]:
    return [sentence for part in prose.split("\n\n") for sentence in _END.split(" ".join(part.split()))]


def check_names(files: Files) -> Iterator[Problem]:
    """Friends and quarrels are characters of this world, and parts are played in scene types that exist."""
    cast, _ = load_cast(files.layout)
    types = sorted(name.lower() for name in files.scene_types)
    for agent in cast.values():
        others = [name for name in cast if name != agent.id]
        for key, named in (("friends", agent.front_values.friends), ("quarrels", agent.front_values.quarrels)):
            for name in named:
                if find_agent(cast, name) not in others:
                    message = f"{key} names {quoted(name)}, which is not another character"
                    yield _problem_at(files, agent, (key, name), "persona-agent", message, others)
        for name in agent.front_values.roles if types else ():
            if name not in types:
                message = f"roles names {quoted(name)}, which is not a scene type in lower case"
                yield _problem_at(files, agent, ("roles", name), "persona-scene", message, types)


def check_called(files: Files) -> Iterator[Problem]:
    """No two characters are called the same."""
    called: dict[str, list[Agent]] = {}
    for agent in load_cast(files.layout)[0].values():
        called.setdefault(casefold(agent.call_name), []).append(agent)
    for first, *others in called.values():
        for agent in others:
            message = f"{first.id} and {agent.id} are both called {quoted(agent.call_name)}"
            hint = "give one of them another name, so that others can tell them apart"
            shown = files.layout.shown(files.layout.persona(agent.id))
            yield Problem(shown, 0, 0, "warning", "persona-called", message, hint)


def _problem_at(
    files: Files, agent: Agent, place: tuple[str, str], code: str, message: str, known: Sequence[str]
) -> Problem:
    path = files.layout.persona(agent.id)
    shown = files.layout.shown(path)
    head = split_front_matter(read_text(path, shown)[0].body)[0] or ""
    key, name = place
    listed = agent.persona.front.get(key) if agent.persona else None
    line, column = yaml_place(head, (key, listed.index(name) if isinstance(listed, list) else name), key=True)
    hint = suggest(name, known) if known else "take it out"
    return Problem(shown, line + 1, column, "warning", code, message, hint)


def _has_unfenced_keys(text: str) -> bool:
    """Return whether keys stand before the first line of dashes, or between it and the next."""
    parts = re.split(rf"^{FENCE}[ \t]*$", text, maxsplit=2, flags=re.MULTILINE)
    keys = {key.name for key in FRONT.keys}
    named = {name for part in parts[:2] for line in part.split("\n") for name, mark, _ in [line.partition(":")] if mark}
    return len(parts) > 1 and not keys.isdisjoint(named)


RULES = (check_persona,)
WORLD_RULES = (check_names, check_called)
