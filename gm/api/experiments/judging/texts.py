"""Texts that do not show where they come from: what was done and said, without form and of one length.

Form sways judges more than place or length does, so it is taken off before anything is compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import partial

from gm.api.views.day import view_day
from gm.api.views.scenes import SceneView
from gm.base.errors import Problem, refuse_errors
from gm.base.markup.clean import neutralise
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.minds import without_minds
from gm.layers.privacy import kept_back
from gm.model.calendar import by_end, render_day
from gm.model.interview import InterviewAnswer
from gm.model.scene import REFLECTION
from gm.model.turns import Said
from gm.model.verdict import DAY, INTERVIEW, SCENE
from gm.model.world import World

MOST_WORDS = {DAY: 10_000, SCENE: 1500, INTERVIEW: 1500}
"""Words of a text by what it is of; longer ones are cut. A day is a chapter: its end belongs to it."""
NARROWING = 20
"""A text is cut at a boundary in the last twentieth before the length that it should have."""

_SIGNS = str.maketrans({**dict.fromkeys("“”„»«‟", '"'), **dict.fromkeys("‘’‚›‹", "'"), "—": "–", "…": "...", "|": " "})
_DROPPED = re.compile(r"\s*(?:#{1,6}(?:\s|$)|```|~~~|[-=*_:\s]{3,}$)")
_BLOCK = re.compile(r"\A\s*(?:(?:[-*+>•]|\d{1,3}[.)])\s+|>)+")
_INLINE = (
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)"), r"\1"),
    (re.compile(r"</?[A-Za-z!][^<>]*>"), " "),
    (re.compile(r"`+|~~+|\*{2,}|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"), ""),
    (re.compile(r"\bday-\d+(?:/scene-\d+\w?)?\b|\b[^\W\d][\w-]{0,60}-\d{3,}\b"), ""),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\.\d{1,2}\.\d{2,4}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b"), ""),
    (re.compile(r"\([\s,;]*\)|\[[\s,;]*\]"), ""),
    (re.compile(r"\s+(?=[.,;!?](?:\s|$))"), ""),
)
_KEPT_SIGNS = "°©®™"
_SKIN, _JOINERS = range(0x1F3FB, 0x1F400), "\u200d\u20e3\ufe0e\ufe0f"
_SCENE_END, _SENTENCE_END = re.compile(r"\n\n"), re.compile(r"[.!?][\"']*(?=\s)|\n")
_WORD = re.compile(r"\S+")


def collect_texts(layout: Layout, what: str, without: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the texts of a world by what they are of: ``day-002``, ``day-002/scene-03`` or ``vera/memory-2``.

    What has no text is not there, and neither is a day that is not over.

    Args:
        without: Of interviews, those in which just this was kept from the character.

    Raises:
        BrokenWorldError: Files that are needed cannot be read.
    """
    if what == INTERVIEW:
        answers = newest_answers(layout, without)
        return {
            item: f"{strip_form(one.question)}\n\n{text}"
            for item, one in answers.items()
            if (text := strip_form(one.answer))
        }
    world = load_world(layout, whole_streams=False).world
    with without_minds(layout, ("thoughts", "reasons", *kept_back(world.settings))) as hidden:
        return dict(_days_or_scenes(layout, world, what, hidden))


def _days_or_scenes(layout: Layout, world: World, what: str, hidden: Collection[str]) -> Iterator[tuple[str, str]]:
    for day in layout.logged_days():
        view = view_day(layout, day, hidden)
        if view is None or view.is_open:
            continue
        _refuse(layout, view.problems)
        scenes = {f"{render_day(day)}/{scene.anchor}": _render_scene(world, scene) for scene in view.scenes}
        texts = {render_day(day): "\n\n".join(filter(None, scenes.values()))} if what == DAY else scenes
        yield from ((name, text) for name, text in texts.items() if text)


def newest_answers(layout: Layout, without: tuple[str, ...] = ()) -> dict[str, InterviewAnswer]:
    """Return what characters answered last to each question, by ``vera/memory-2``; arguments as ``collect_texts``."""
    from gm.files.experiments.interviews import read_interviews

    answers, problems = read_interviews(layout)
    _refuse(layout, problems)
    ordered = sorted(answers, key=lambda one: by_end(one.at))
    return {f"{one.agent}/{one.key}": one for one in ordered if {*one.without} == {*without}}


def strip_form(text: str) -> str:
    """Return a text on one line without its form: Markdown, headings, ids, dates, emoji, kinds of quotation marks."""
    lines = [line for line in neutralise(text).translate(_SIGNS).split("\n") if not _DROPPED.match(line)]
    text = " ".join(_BLOCK.sub("", line, count=1) for line in lines)
    text = " ".join("".join(sign for sign in text if not _is_picture(sign)).split())
    for pattern, by in _INLINE:
        text = pattern.sub(by, text)
    return " ".join(text.split())


def cut_alike(first: str, second: str, limit: int) -> tuple[str, str]:
    """Return two texts; if one has more words than ``limit``, both are cut to the same length within a tenth."""
    counts = [len(text.split()) for text in (first, second)]
    if max(counts) <= limit:
        return first, second
    cut = partial(_cut_to_words, most=min(limit, *counts))
    return cut(first), cut(second)


def _cut_to_words(text: str, most: int) -> str:
    ends = [match.end() for match in _WORD.finditer(text)]
    if len(ends) <= most:
        return text
    low, high = ends[most - most // NARROWING - 1], ends[most - 1]
    at = high
    for boundary in (_SCENE_END, _SENTENCE_END):
        found = [match.end() for match in boundary.finditer(text) if low <= match.end() <= high + 1]
        if found:
            at = found[-1]
            break
    text = text[:at].rstrip()
    return f'{text}"' if text.rpartition("\n")[2].count('"') % 2 else text


def _is_picture(sign: str) -> bool:
    if sign.isascii():
        return False
    is_symbol = unicodedata.category(sign) == "So" and sign not in _KEPT_SIGNS
    return is_symbol or ord(sign) in _SKIN or sign in _JOINERS


def _render_scene(world: World, scene: SceneView) -> str:
    lines = [line for turn in scene.turns for line in _render_turn(world, turn.agent, turn.action, turn.lines)]
    if not lines and REFLECTION not in scene.type:
        lines = [strip_form(scene.summary)]
    return "\n".join(filter(None, lines))


def _render_turn(world: World, agent: str, action: str, said: Iterable[Said]) -> Iterator[str]:
    yield strip_form(action)
    name = strip_form(world.call_name(agent))
    for line in said:
        text = strip_form(line.text).replace('"', "'")
        if text:
            yield f'{name}: "{text}"' if name else f'"{text}"'


def _refuse(layout: Layout, problems: Iterable[Problem]) -> None:
    refuse_errors(problems, f"{layout.root} cannot be read", "correct these places: what is missing would be judged")
