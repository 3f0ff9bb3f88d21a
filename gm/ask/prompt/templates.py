"""Where a world's prompts lie, and reading them.

The world's own ``prompts/`` come before the packaged ones, and in each the language's folder comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from types import CodeType

import yaml
from jinja2 import BaseLoader, BytecodeCache, Environment
from jinja2.bccache import Bucket
from jinja2.exceptions import TemplateNotFound

from gm.base.errors import PromptError
from gm.base.frontmatter import load_safely, split_front_matter
from gm.base.regular import DOCUMENT_BYTES, hint_for, read_regular
from gm.base.texts import CONFLICT, CONFLICT_HINT, find_conflict
from gm.base.yamlwords import explain_yaml

WORDS = "words.yaml"
HOME_LANGUAGE = "de"  # the language of the files that lie directly in the packaged folder


class PromptFiles:
    """The prompts of one world.

    Args:
        own: Its own ``prompts/``, which need not exist.
        chosen: The setting ``prompts``: which set of packaged prompts comes first.

    Raises:
        PromptError: There are no prompts in this language.
    """

    def __init__(self, own: Path, packaged: Path, language: str, chosen: str = "full") -> None:
        self.language = language
        beside = packaged if language == HOME_LANGUAGE else packaged / language
        # a language is the name of a folder here: it must not lead out of the prompts
        roots = (own / language, own, beside / chosen, beside) if _is_inside(language) else ()
        self._roots = [root for root in roots if root.is_dir()]
        if not any((root / WORDS).is_file() for root in self._roots):
            known = sorted({HOME_LANGUAGE, *(path.parent.name for path in packaged.glob(f"*/{WORDS}"))})
            raise PromptError(
                f"there are no prompts in language {language!r}",
                f"packaged: {', '.join(known)}; for another one, translate them into {own / language}",
            )

    def find(self, name: str) -> Path | None:
        """Return a template's path; None when there is none inside the prompts."""
        for root in self._roots if _is_inside(name) else ():
            path = root / name
            if path.is_file():
                return path
        return None

    def names(self) -> tuple[str, ...]:
        found = {
            path.relative_to(root).as_posix()
            for root in self._roots
            for folder in (root, root / "scenes")
            for path in folder.glob("*.j2")
            if path.is_file()
        }
        return tuple(sorted(found))

    def load_words(self) -> dict[str, str]:
        """Return sentences by key; a world's own override single ones."""
        words: dict[str, str] = {}
        for root in reversed(self._roots):
            path = root / WORDS
            if not path.is_file():
                continue
            data = read_prompt_yaml(path, read_prompt(path)) or {}
            if not isinstance(data, dict):
                raise PromptError(f"{path}: found {type(data).__name__}, expected sentences by key")
            words |= {str(key): str(value) for key, value in data.items()}
        return words


class _Compiled(BytecodeCache):
    # Keeps compiled templates while the process lives; compiling costs more than rendering. Not on the disk: byte code
    # is executed unchecked, and a world may come from elsewhere.
    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


COMPILED = _Compiled()


class PromptLoader(BaseLoader):
    """Skips front matter, and keeps the line numbers of the file."""

    def __init__(self, find: Callable[[str], Path | None], find_sentence: Callable[[str], str | None]) -> None:
        self._find = find
        self._find_sentence = find_sentence

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, None]:
        if template.startswith(f"{WORDS}:"):
            sentence = self._find_sentence(template.partition(":")[2])
            if sentence is None:
                raise TemplateNotFound(template)
            return sentence, template, None
        path = self._find(template)
        if path is None:
            raise TemplateNotFound(template)
        text = read_prompt(path)
        front, body, first = split_front_matter(text)
        if front is not None:
            body = "{#" + "\n" * (first - 1) + "#}" + body
        return body, str(path), None


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
        raise PromptError(f"{path}: a null byte found: this is not text", "take it out, or move the file away")
    if line := find_conflict(text):
        raise PromptError(f"{path}:{line}: {CONFLICT}", CONFLICT_HINT)
    return text


def read_prompt_yaml(path: Path, text: str) -> object:
    """Read YAML from a file of the prompts.

    Raises:
        PromptError: It is malformed; says where.
    """
    try:
        return load_safely(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        found = explain_yaml(error, text)
        raise PromptError(f"{path}:{found.line}:{found.column}: {found.message}", found.hint) from error


def _is_inside(name: str) -> bool:
    parts = PurePosixPath(name)
    return not parts.is_absolute() and ".." not in parts.parts
