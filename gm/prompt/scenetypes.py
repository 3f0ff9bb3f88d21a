"""Scene types, read from the front matter of their templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gm.config import TIMES_OF_DAY, RagSettings, kinds, parse_settings
from gm.config.kinds import Kind
from gm.errors import PromptError
from gm.frontmatter import load_safely, split_front_matter
from gm.model.record import SKIP, Key, Record, RecordError, nested
from gm.model.scene import SceneType
from gm.regular import DOCUMENT_BYTES, hint_for, read_regular
from gm.scene.focus import LONGEST_TAG, check_tags
from gm.scene.ledger import MOST_TAGS
from gm.yamlwords import explain

_TAGS = Kind(
    f"a list of texts, at most {MOST_TAGS} of at most {LONGEST_TAG} characters: [bone-towers]",
    lambda value: kinds.texts.fits(_listed(value)) and not check_tags(_listed(value)),
    kinds.texts.schema,
    keep=lambda value: tuple(_listed(value)),
)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


_TAG = kinds.text_like("a tag: lower case, hyphens for spaces", lambda value: value == "-".join(value.lower().split()))
_PLAYED = (
    Key("play", kinds.one_of("parallel", "sequential", "solo"), "how it is played", default=SKIP),
    Key("rounds", kinds.span(1), "sequential: fewest and most turns of each participant", default=SKIP),
    Key("max_turns", kinds.or_none(kinds.whole(1)), "sequential: most turns of all together", default=SKIP),
    Key("chair", kinds.flag, "sequential: whether the one who starts leads", default=SKIP),
    Key("answer_addressed", kinds.flag, "parallel: whether those who were asked may answer", default=SKIP),
)
"""What may differ when the moment is important."""
_RAISED = Record(dict[str, Any], "an important moment", *_PLAYED, code="front-{key}", closed=True)
_TIMES = kinds.list_of(kinds.one_of(*TIMES_OF_DAY), "some of " + ", ".join(TIMES_OF_DAY))
_RAG = Kind("a mapping: {limit: 7, query_template: ...}", lambda value: value is False or isinstance(value, dict), {})
SCENE_TYPE = Record(
    dict[str, Any],
    "a scene type",
    Key("type", kinds.loose_text, "its name in the logbook; absent = the name of the file", default=SKIP, field="name"),
    Key("cast", kinds.span(1), "fewest and most participants", default=SKIP),
    Key("times", _TIMES, "times of day at which the Director may choose it", default=SKIP, null=True),
    Key("reply", kinds.one_of("scene", "reflection"), "which reply the characters give", default=SKIP),
    Key("plan", kinds.flag, "whether the reply must carry a plan for the day", default=SKIP),
    Key("disperse", kinds.flag, "whether all go back to their own places afterwards", default=SKIP),
    Key("library", kinds.flag, "whether the library is asked about its topic", default=SKIP),
    Key("tag", _TAG, "tag of all memories of such scenes", default=SKIP),
    Key("tags", _TAGS, "memories with these tags stand in place of the window", default=SKIP),
    Key("rag", _RAG, "which memories come to mind, as `rag` of gm.yaml", default=None, null=True),
    *_PLAYED,
    Key("raised", nested(_RAISED), "how it is played when the moment is important: {max_turns: 14}", default=SKIP),
    code="front-{key}",
    closed=True,
)
"""The front matter of a template in ``prompts/scenes/``."""


class SceneTypeError(PromptError):
    """A value in the front matter of a scene type that cannot be used; ``error`` says where it stands."""

    def __init__(self, message: str, hint: str, error: RecordError) -> None:
        super().__init__(message, hint)
        self.error = error

    @property
    def is_unknown(self) -> bool:
        """Whether it is the key that is wrong, not its value."""
        return self.error.code == "front-key"


def parse_scene_type(path: Path, name: str) -> SceneType:
    """Read one scene type.

    Args:
        path: The template.
        name: Its name, as in ``scenes/encounter.j2``.

    Raises:
        PromptError: The front matter is missing or says something that no scene can be.
    """
    front, _, _ = split_front_matter(read_prompt(path))
    data = read_prompt_yaml(path, front or "")
    if not isinstance(data, dict):
        raise PromptError(
            f"{path}: no front matter", "a scene type begins with --- and says type, play, cast, times, reply"
        )
    for error in SCENE_TYPE.problems(data):
        where = "raised: " if error.key == "raised" and len(error.keys) > 1 else ""
        raise SceneTypeError(f"{path}: {where}{error.message}", error.hint, error)
    values = SCENE_TYPE.read(data)
    known = str(values.pop("name", "") or path.stem).upper()
    return SceneType(known, name, **{**values, "rag": _rag(path, values["rag"])})


def _rag(path: Path, found: Any) -> RagSettings | None:
    """Read which memories come to mind: the same keys as in the settings, but switched on unless it says otherwise."""
    if found is None:
        return None
    if found is False:
        return RagSettings(enabled=False)
    settings, problems = parse_settings({"rag": {"enabled": True, **found}})
    for problem in problems:
        error = RecordError(("rag",), "front-rag", problem.message)
        raise SceneTypeError(f"{path}: rag is not understood: {problem.message}", problem.hint, error)
    return settings.rag


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


def read_prompt_yaml(path: Path, text: str) -> Any:
    """Read YAML out of a file of the prompts.

    Raises:
        PromptError: It is malformed; says where.
    """
    try:
        return load_safely(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        found = explain(error, text)
        raise PromptError(f"{path}: line {found.line} of the YAML: {found.message}", found.hint) from error
