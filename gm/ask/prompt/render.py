"""Finding and rendering prompt templates.

The world's own ``prompts/`` come before the packaged ones; in each, the folder of the language comes first. Templates
are code from the user, so they run in a sandbox; the values that they show are data, each printed on one line.
"""

from __future__ import annotations

import traceback
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from jinja2 import BaseLoader, BytecodeCache, Environment, StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.bccache import Bucket
from jinja2.exceptions import TemplateNotFound

from gm.ask.prompt.scenetypes import parse_scene_type, read_prompt, read_prompt_yaml, scene_sentences
from gm.ask.prompt.values import FILTERS, Sandbox, one_line
from gm.base.errors import PromptError
from gm.base.frontmatter import split_front_matter
from gm.model.scene import SceneType

T = TypeVar("T")

WORDS = "words.yaml"
HOME_LANGUAGE = "de"  # the language of the files that lie directly in the packaged folder


class Prompts:
    """The templates of one world. ``own`` is its own ``prompts/``, which need not exist.

    Raises:
        PromptError: There are no prompts in this language.
    """

    def __init__(self, own: Path, packaged: Path, language: str) -> None:
        beside = packaged if language == HOME_LANGUAGE else packaged / language
        # a language is the name of a folder here: it must not lead out of the prompts
        roots = (own / language, own, beside) if _is_inside(language) else ()
        self._roots = [root for root in roots if root.is_dir()]
        if not any((root / WORDS).is_file() for root in self._roots):
            known = sorted({HOME_LANGUAGE, *(path.parent.name for path in packaged.glob(f"*/{WORDS}"))})
            raise PromptError(
                f"there are no prompts in language {language!r}",
                f"packaged: {', '.join(known)}; for another one, translate them into {own / language}",
            )
        self._environment = Sandbox(
            loader=_Loader(self.find, self._all_words),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            finalize=one_line,
            bytecode_cache=_compiled,
        )
        self._environment.filters |= FILTERS
        self._words: dict[str, str] = {}
        self._scene_words: dict[str, str] | None = None

    def find(self, name: str) -> Path | None:
        """Return the path of a template; None when there is none, or when the name leads out of the prompts."""
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

    def render(self, name: str, /, **variables: Any) -> str:
        """Render a template.

        Raises:
            PromptError: It is missing, malformed, or uses an undefined variable; says where.
        """
        return _guard(name, self.find, lambda: self._environment.get_template(name).render(variables)).strip() + "\n"

    def render_each(self, name: str, variable: str, values: Iterable[Any]) -> list[str]:
        """Render a template once for each value of its one variable.

        Raises:
            PromptError: As ``render``.
        """

        def render() -> list[str]:
            template = self._environment.get_template(name)
            return [template.render({variable: value}).strip() + "\n" for value in values]

        return _guard(name, self.find, render)

    def render_text(self, where: str, text: str, /, **variables: Any) -> str:
        """Render a template from the setting ``where``.

        Raises:
            PromptError: As ``render``.
        """
        return _guard(where, lambda _name: None, lambda: self._environment.from_string(text).render(variables)).strip()

    def words(self, key: str, /, **values: Any) -> str:
        """Render one of the Game Master's sentences (``words.yaml``)."""
        if self._is_plain(key):
            return self._all_words()[key].strip()
        template = self._sentence(key)
        return _guard(f"{WORDS}: {key}", self.find, lambda: template.render(values)).strip()

    def scene_types(self) -> dict[str, SceneType]:
        types = {}
        for name in self.names():
            if name.startswith("scenes/"):
                path = self.find(name)
                assert path is not None
                packaged = self._roots[-1] / name
                kind = parse_scene_type(path, name, packaged if path != packaged and packaged.is_file() else None)
                types[kind.name] = kind
        self._scene_words = dict(scene_sentences(types))
        return types

    def parse_all(self) -> None:
        """Parse every template without rendering it, or raise a ``PromptError``."""
        for name in self.names():
            _guard(name, self.find, lambda name=name: str(self._environment.get_template(name).name))  # type: ignore[misc]
        for key in self._all_words():
            self._sentence(key)

    def compile_ahead(self) -> Iterator[str]:
        """Compile one template at each step, before it is needed."""
        sentences = [f"{WORDS}:{key}" for key in self._all_words() if not self._is_plain(key)]
        for name in (*self.names(), *sentences):
            with suppress(TemplateError, PromptError, RecursionError):  # errors are reported when the template is used
                self._environment.get_template(name)
            yield name

    def _is_plain(self, key: str) -> bool:
        return "{" not in self._all_words().get(key, "{")

    def _sentence(self, key: str) -> Template:
        if key not in self._all_words():
            raise PromptError(f"{WORDS} has no sentence called {key!r}", "add it to the words of this language")
        try:
            return self._environment.get_template(f"{WORDS}:{key}")
        except TemplateSyntaxError as error:
            raise PromptError(f"{self.find(WORDS)}: {key}: {error.message}") from error

    def _all_words(self) -> Mapping[str, str]:
        if not self._words:
            self._words = self._load_words()
        if self._scene_words is None:
            self._scene_words = {}
            with suppress(PromptError):  # errors of a scene type are reported where the types are read
                self.scene_types()
        return ChainMap(self._words, self._scene_words)

    def _load_words(self) -> dict[str, str]:
        """A world's own words override single sentences."""
        words: dict[str, str] = {}
        for root in reversed(self._roots):
            path = root / WORDS
            if not path.is_file():
                continue
            data = read_prompt_yaml(path, read_prompt(path)) or {}
            if not isinstance(data, dict):
                raise PromptError(f"{path}: {type(data).__name__} found, names and sentences expected")
            words |= {str(key): str(value) for key, value in data.items()}
        return words


class _Compiled(BytecodeCache):
    """Keeps compiled templates while the process lives; compiling costs more than rendering.

    Not on the disk: byte code is executed unchecked, and a world may come from elsewhere.
    """

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        code = self._code.get((bucket.key, bucket.checksum))
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


_compiled = _Compiled()


class _Loader(BaseLoader):
    """Skips front matter, and keeps the line numbers of the file."""

    def __init__(self, find: Callable[[str], Path | None], words: Callable[[], Mapping[str, str]]) -> None:
        self._find = find
        self._words = words

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        if template.startswith(f"{WORDS}:"):
            return self._words()[template.partition(":")[2]], template, lambda: True
        path = self._find(template)
        if path is None:
            raise TemplateNotFound(template)
        text = read_prompt(path)
        front, body, first = split_front_matter(text)
        if front is not None:
            body = "{#" + "\n" * (first - 1) + "#}" + body
        return body, str(path), lambda: True


def _guard(name: str, find: Callable[[str], Path | None], render: Callable[[], T]) -> T:
    try:
        return render()
    except TemplateNotFound as error:
        raise PromptError(
            f"prompt {error.name} is missing", "put it into the world's prompts/ or reinstall gm"
        ) from error
    except TemplateSyntaxError as error:
        raise PromptError(f"{error.filename or name}:{error.lineno}: {error.message}") from error
    except (TemplateError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise PromptError(f"{_place(error, name, find)}: {error}", _hint(error)) from error
    except RecursionError as error:
        raise PromptError(f"{_place(error, name, find)}: it includes itself without end") from error


def _is_inside(name: str) -> bool:
    parts = PurePosixPath(name)
    return not parts.is_absolute() and ".." not in parts.parts


def _place(error: BaseException, name: str, find: Callable[[str], Path | None]) -> str:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(".j2"):
            return f"{frame.filename}:{frame.lineno}"
    return str(find(name) or name)


def _hint(error: BaseException) -> str:
    if isinstance(error, TemplateError):
        return "the comment at the top of each packaged prompt lists its variables"
    return ""
