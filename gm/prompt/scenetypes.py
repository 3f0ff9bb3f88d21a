"""Scene types, read from the front matter of their templates: one file declares how a type is played and chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml
from jinja2 import Environment, TemplateSyntaxError

from gm.config import TIMES_OF_DAY, RagSettings, allow
from gm.config.declare import Section, SettingProblem, parse_section, setting
from gm.errors import Problem, PromptError
from gm.frontmatter import load_safely, split_front_matter, yaml_place
from gm.model.scene import EVERYONE, SceneType
from gm.regular import DOCUMENT_BYTES, hint_for, read_regular
from gm.scene.focus import check_tags
from gm.yamlwords import explain

CHOSEN = ("regular", "every", "who", "place", "premise", "why", "suits", "daily", "share")
"""How the Director comes to a type; a file that replaces a packaged type keeps these where it does not say them."""
_FIRST_LINE = 2  # of the YAML, below the line of three hyphens


def _line(value: object) -> object:
    if isinstance(value, str) and value == " ".join(value.split()):
        return value
    raise ValueError("a text on one line")


def _template(value: object) -> object:
    text = allow.text(value)
    try:
        Environment(autoescape=False).parse(str(text))
    except TemplateSyntaxError as error:
        raise ValueError(f"a Jinja template: {error.message}") from error
    return text


def _tag(value: object) -> object:
    if isinstance(value, str) and value == "-".join(value.lower().split()):
        return value
    raise ValueError("a tag: lower case, hyphens for spaces")


def _tags(value: object) -> object:
    try:
        tags = allow.texts([value] if isinstance(value, str) else value)
    except ValueError as error:
        raise ValueError("a list of texts: [bone-towers]") from error
    assert isinstance(tags, tuple)
    if wrong := check_tags(tags):
        raise ValueError(f"other tags: {wrong}")
    return tags


def _who(value: object) -> object:
    if value == "all":
        return EVERYONE
    try:
        return allow.texts(value)
    except ValueError as error:
        raise ValueError("all, or a list of characters: [vera, jonas]") from error


def _suits(value: object) -> object:
    if isinstance(value, dict) and all(time in TIMES_OF_DAY for time in value):
        return {time: allow.between(0, 1)(measure) for time, measure in value.items()}
    raise ValueError("times of day with numbers from 0 to 1: {morning: 0.5}")


class Played(Section):
    """How a scene type is played; the same keys stand in ``raised`` for important moments."""

    play: str = setting("parallel", allow.one_of("parallel", "sequential", "solo"), "Who acts when.")
    rounds: tuple[int, int] = setting((1, 1), allow.span(1), "Fewest and most turns of each participant.")
    max_turns: int | None = setting(None, allow.or_none(allow.whole(1)), "Most turns of all together.")
    chair: bool = setting(False, allow.flag, "Whether the one who starts leads.")
    answer_addressed: bool = setting(False, allow.flag, "Whether those who were asked something answer once more.")


class FrontMatter(Played):
    """The front matter of a scene type; ``gm.model.scene.SceneType`` says what each key means."""

    type: str = setting("", _line, "Name of the type; left out = the name of the file.")
    reply: str = setting("scene", allow.one_of("scene", "reflection"), "Which reply the characters give.")
    cast: tuple[int, int] = setting((1, 99), allow.span(1), "Fewest and most participants.")
    times: tuple[str, ...] = setting(
        (), allow.some_of(*TIMES_OF_DAY), "Times of day at which the Director may choose it: [morning, evening]."
    )
    plan: bool = setting(False, allow.flag, "Whether the reply must carry a plan for the day.")
    disperse: bool = setting(False, allow.flag, "Whether all go back to their own place afterwards.")
    library: bool = setting(False, allow.flag, "Whether passages of the library are shown.")
    tag: str = setting("", _tag, "Tag of all memories of such scenes: game-night.")
    tags: tuple[str, ...] = setting((), _tags, "Tags of the memories that such scenes are about: [bone-towers].")
    regular: bool = setting(True, allow.flag, "Whether the Director proposes it whenever its times come.")
    every: int = setting(5, allow.whole(1), "Story days after which the next one counts in full.")
    who: tuple[str, ...] = setting((), _who, "Who takes part when the Director proposes it.")
    place: str = setting("", _line, "Where it is played when the Director proposes it.")
    premise: str = setting("", _template, "The sentence with which it begins.")
    why: str = setting("", _template, "The reason for it, in the logbook.")
    suits: Mapping[str, float] = setting({}, _suits, "How well it suits times of day: {morning: 0.5}.")
    daily: bool = setting(False, allow.flag, "Whether every day needs one.")
    share: int | None = setting(None, allow.or_none(allow.whole(1)), "One scene in so many of a day may be one.")


def parse_scene_type(path: Path, name: str, base: Path | None = None) -> SceneType:
    """Read one scene type.

    Args:
        path: The template.
        name: Its name, as in ``scenes/encounter.j2``.
        base: The packaged template that it replaces.

    Raises:
        PromptError: The front matter is missing or malformed; says where.
    """
    kind, problems = read_scene_type(read_prompt(path), str(path), name, read_prompt(base) if base else "")
    for problem in problems:
        raise PromptError(f"{path}:{problem.line}:{problem.column}: {problem.message}", problem.hint)
    assert kind is not None
    return kind


def read_scene_type(text: str, shown: str, name: str, base: str = "") -> tuple[SceneType | None, tuple[Problem, ...]]:
    """Read a scene type from the text of its template.

    Args:
        text: The template.
        shown: Its path, for problems.
        name: Its name, as in ``scenes/encounter.j2``.
        base: Text of the packaged template that it replaces.

    Returns:
        The type, None where there are problems; and the problems with their places.
    """
    front = split_front_matter(text)[0] or ""
    try:
        data = load_safely(front)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        found = explain(error, front)
        line = found.line + _FIRST_LINE - 1
        return None, (
            Problem(shown, line, found.column, "error", "yaml-syntax", f"not YAML: {found.message}", found.hint),
        )
    if not isinstance(data, dict):
        hint = "a scene type begins with --- and says type, play, cast, times, reply"
        return None, (Problem(shown, 1, 1, "error", "prompt-front", "no front matter", hint),)
    stem = Path(name).stem
    kept = load_safely(split_front_matter(base)[0] or "") or {}
    if str(kept.get("type") or stem).upper() == str(data.get("type") or stem).upper():
        data = {**{key: kept[key] for key in CHOSEN if key in kept}, **data}
    problems: list[SettingProblem] = []
    kind = _scene_type(data, name, problems)
    return (None if problems else kind), tuple(_place(problem, front, shown) for problem in problems)


def _scene_type(data: dict[object, object], name: str, problems: list[SettingProblem]) -> SceneType:
    own = {key: value for key, value in data.items() if key not in ("raised", "rag")}
    values = dict(vars(parse_section(FrontMatter, own, (), problems)))
    rag = data.get("rag")
    if isinstance(rag, dict):
        rag = {"enabled": True, **rag}
    elif rag is False:
        rag = {"enabled": False}
    if rag is not None:
        values["rag"] = parse_section(RagSettings, rag, ("rag",), problems)
    raised = data.get("raised", {})
    important = vars(parse_section(Played, raised, ("raised",), problems))
    values["raised"] = {key: important[key] for key in (raised if isinstance(raised, dict) else ()) if key in important}
    values["name"] = str(values.pop("type") or Path(name).stem).upper()
    return SceneType(template=name, **values)


def _place(problem: SettingProblem, front: str, shown: str) -> Problem:
    unknown = problem.code == "setting-unknown"
    message, hint = problem.message, problem.hint
    if unknown:
        message = f"unknown key '{'.'.join(map(str, problem.keys))}' in the front matter"
    elif problem.code == "setting-type":
        message, hint = f"{'.'.join(map(str, problem.keys))} is {message}", "write {name: value}"
    line, column = yaml_place(front, problem.keys, key=unknown)
    return Problem(shown, line + _FIRST_LINE - 1, column, "error", "prompt-front", message, hint)


def scene_sentences(kinds: Mapping[str, SceneType]) -> Iterator[tuple[str, str]]:
    """Yield the sentences that scene types bring along, with their keys among the Game Master's words."""
    for kind in kinds.values():
        if kind.premise:
            yield f"premise_{kind.name}", kind.premise
        if kind.why:
            yield f"why_{kind.name}", kind.why


def read_prompt(path: Path) -> str:
    """Read a file of the prompts.

    Raises:
        PromptError: It cannot be read, or is not UTF-8.
    """
    try:
        text = read_regular(path, DOCUMENT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: not UTF-8", "save the file as UTF-8") from error
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}", hint_for(error)) from error
    if "\0" in text:
        raise PromptError(f"{path}: a null byte found: this is no text", "take it out, or move the file away")
    return text


def read_prompt_yaml(path: Path, text: str) -> object:
    """Read YAML from a file of the prompts.

    Raises:
        PromptError: It is malformed; says where.
    """
    try:
        return load_safely(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        found = explain(error, text)
        raise PromptError(f"{path}: line {found.line} of the YAML: {found.message}", found.hint) from error
