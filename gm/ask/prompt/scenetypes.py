"""Scene types, read from the front matter of their templates: how a type is played and chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import get_args

import yaml
from jinja2 import Environment, TemplateSyntaxError

from gm.ask.prompt.templates import read_prompt
from gm.base.config import TIMES_OF_DAY, RagSettings, kinds
from gm.base.config.declare import SettingProblem, SettingsSection, parse_section, setting
from gm.base.config.manual import settings_schema
from gm.base.errors import Problem, PromptError, say
from gm.base.frontmatter import load_safely, split_front_matter, yaml_place
from gm.base.untyped import text_as_list
from gm.base.yamlwords import explain_yaml
from gm.model.scene import ANY_NUMBER, EVERYONE, LastWord, Play, ReplyKind, SceneType
from gm.scene.directing.scenes import LONGEST_TAG, check_tags
from gm.scene.ledger import MOST_TAGS

INHERITED = ("regular", "every", "who", "place", "premise", "why", "suits", "daily", "share", "last_word", "returns")
"""How the Director comes to a type, and what follows it; a file that replaces a packaged type inherits these keys."""
_FIRST_LINE = 2  # of the YAML, below the line of three hyphens


def _check_template(text: str) -> object:
    try:
        Environment(autoescape=False).parse(text)
    except TemplateSyntaxError as error:
        raise ValueError(f"a Jinja template: {error.message}") from error
    return text


LINE = kinds.text_like("a text on one line", lambda value: value == " ".join(value.split()))
TEMPLATE = replace(kinds.text, keep=_check_template)
TAG = kinds.text_like("a tag: lower case, hyphens for spaces", lambda value: value == "-".join(value.lower().split()))
TAGS = kinds.Kind(
    f"a list of texts, at most {MOST_TAGS} of at most {LONGEST_TAG} characters: [bone-towers]",
    lambda value: kinds.texts.fits(text_as_list(value)) and not check_tags(text_as_list(value)),
    kinds.text_or_texts.schema,
    keep=lambda value: tuple(text_as_list(value)),
)
WHO = kinds.Kind(
    "all, or a list of characters: [vera, jonas]",
    lambda value: value == "all" or kinds.texts.fits(value),
    {"anyOf": [{"const": "all"}, kinds.texts.schema]},
    keep=lambda value: EVERYONE if value == "all" else tuple(value),
)
SUITS = replace(
    kinds.map_of(
        kinds.between(0, 1).fits,
        "times of day with numbers from 0 to 1: {morning: 0.5}",
        kinds.between(0, 1).schema,
    ),
    fits=lambda value: isinstance(value, dict) and all(time in TIMES_OF_DAY for time in value),
    schema={
        "type": "object",
        "properties": dict.fromkeys(TIMES_OF_DAY, kinds.between(0, 1).schema),
        "additionalProperties": False,
    },
    keep=lambda value: {time: kinds.between(0, 1)(measure) for time, measure in value.items()},
)


VARIANTS = ("raised", "again")
"""Keys that say what differs when the moment is important, and when the day had a scene of this type before."""


class PlayStyle(SettingsSection):
    """How a scene type is played; the same keys stand in ``raised`` and ``again`` for what differs there."""

    play: Play = setting("parallel", kinds.one_of(*get_args(Play)), "Who acts when.")
    rounds: tuple[int, int] = setting((1, 1), kinds.span(1), "Fewest and most turns of each participant.")
    max_turns: int | None = setting(None, kinds.or_none(kinds.whole(1)), "Most turns of all together.")
    chair: bool = setting(False, kinds.flag, "Whether the one who starts leads.")
    starts_alone: bool = setting(False, kinds.flag, "Whether the one who starts acts before the others, who see it.")
    answer_addressed: bool = setting(False, kinds.flag, "Whether those who were spoken to answer once more.")


class FrontMatter(PlayStyle):
    """The front matter of a scene type; ``gm.model.scene.SceneType`` says what each key means."""

    type: str = setting("", LINE, "Name of the type; left out = the name of the file.")
    reply: ReplyKind = setting("scene", kinds.one_of(*get_args(ReplyKind)), "Which reply the characters give.")
    cast: tuple[int, int] = setting((1, ANY_NUMBER), kinds.span(1), "Fewest and most participants.")
    times: tuple[str, ...] = setting(
        (), kinds.some_of(*TIMES_OF_DAY), "Times of day at which the Director may choose it: [morning, evening]."
    )
    plan: bool = setting(False, kinds.flag, "Whether the reply must carry a plan for the day.")
    disperse: bool = setting(False, kinds.flag, "Whether all go back to their own place afterwards.")
    last_word: LastWord = setting(
        "none", kinds.one_of(*get_args(LastWord)), "Who is asked once more afterwards for what it remembers."
    )
    returns: bool = setting(False, kinds.flag, "Whether those who came for it go back afterwards.")
    library: bool = setting(False, kinds.flag, "Whether passages of the library are shown.")
    tag: str = setting("", TAG, "Tag of all memories of such scenes: game-night.")
    tags: tuple[str, ...] = setting((), TAGS, "Tags of the memories that such scenes are about: [bone-towers].")
    regular: bool = setting(True, kinds.flag, "Whether the Director proposes it whenever its times come.")
    every: int = setting(5, kinds.whole(1), "Story days after which the next one counts in full.")
    who: tuple[str, ...] = setting((), WHO, "Who takes part when the Director proposes it.")
    place: str = setting("", LINE, "Where it is played when the Director proposes it.")
    premise: str = setting("", TEMPLATE, "The sentence with which it begins.")
    why: str = setting("", TEMPLATE, "The reason for it, in the logbook.")
    suits: Mapping[str, float] = setting({}, SUITS, "How well it suits times of day: {morning: 0.5}.")
    daily: bool = setting(False, kinds.flag, "Whether every day needs one.")
    share: int | None = setting(None, kinds.or_none(kinds.whole(1)), "One scene in so many of a day may be one.")


def front_matter_schema() -> dict[str, object]:
    """Return the JSON Schema of a scene type's front matter."""
    rag = {"anyOf": [{"enum": [False, None]}, settings_schema(RagSettings)]}
    parts = {**dict.fromkeys(VARIANTS, settings_schema(PlayStyle)), "rag": rag}
    return settings_schema(FrontMatter, parts)


def parse_scene_type(path: Path, name: str, base: Path | None = None) -> SceneType:
    """Read one scene type; ``base`` is the packaged template that it replaces.

    Raises:
        PromptError: The front matter is missing or malformed; says where.
    """
    kind, problems = read_scene_type(read_prompt(path), str(path), name, read_prompt(base) if base else "")
    for problem in problems:
        raise PromptError(f"{path}:{problem.line}:{problem.column}: {problem.message}", problem.hint)
    assert kind is not None
    return kind


@lru_cache(maxsize=256)  # a world is opened many times, with the same packaged types
def read_scene_type(text: str, shown: str, name: str, base: str = "") -> tuple[SceneType | None, tuple[Problem, ...]]:
    """Read a scene type from its template; None where there are problems.

    Args:
        shown: Its path, for problems.
        name: As in ``scenes/encounter.j2``.
        base: Text of the packaged template that it replaces.
    """
    front = split_front_matter(text)[0] or ""
    try:
        data = load_safely(front)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return None, (explain_yaml(error, front).problem(shown, _FIRST_LINE),)
    if not isinstance(data, dict):
        hint = "a scene type begins with --- and says type, play, cast, times, reply"
        return None, (Problem(shown, 1, 1, "error", "prompt-front", "no front matter", hint),)
    stem = Path(name).stem
    kept = load_safely(split_front_matter(base)[0] or "") or {}
    if str(kept.get("type") or stem).upper() == str(data.get("type") or stem).upper():
        data = {**{key: kept[key] for key in INHERITED if key in kept}, **data}
    problems: list[SettingProblem] = []
    kind = _scene_type(data, name, problems)
    return (None if problems else kind), tuple(_place(problem, front, shown) for problem in problems)


def _scene_type(data: dict[object, object], name: str, problems: list[SettingProblem]) -> SceneType:
    own = {key: value for key, value in data.items() if key not in (*VARIANTS, "rag")}
    values = dict(vars(parse_section(FrontMatter, own, (), problems)))
    rag = data.get("rag")
    if isinstance(rag, dict):
        rag = {"enabled": True, **rag}
    elif rag is False:
        rag = {"enabled": False}
    if rag is not None:
        values["rag"] = parse_section(RagSettings, rag, ("rag",), problems)
    for variant in VARIANTS:
        written = data.get(variant, {})
        played = vars(parse_section(PlayStyle, written, (variant,), problems))
        values[variant] = {key: played[key] for key in (written if isinstance(written, dict) else ()) if key in played}
    values["name"] = str(values.pop("type") or Path(name).stem).upper()
    return SceneType(template=name, **values)


def _place(problem: SettingProblem, front: str, shown: str) -> Problem:
    unknown = problem.code == "setting-unknown"
    message, hint = problem.message, problem.hint
    if unknown:
        message = say("unknown key '{key}' in the front matter", ".".join(map(str, problem.keys)))
    elif problem.code == "setting-type":
        message, hint = f"{'.'.join(map(str, problem.keys))}: {message}", "write {name: value}"
    line, column = yaml_place(front, problem.keys, key=unknown)
    return Problem(shown, line + _FIRST_LINE - 1, column, "error", "prompt-front", message, hint)


def scene_sentences(kinds: Mapping[str, SceneType]) -> Iterator[tuple[str, str]]:
    """Yield the sentences of scene types, with their keys in ``words.yaml``."""
    for kind in kinds.values():
        if kind.premise:
            yield f"premise_{kind.name}", kind.premise
        if kind.why:
            yield f"why_{kind.name}", kind.why
