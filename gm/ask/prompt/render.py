"""Rendering prompts: views in a sandbox, each value on one line, without headings of its own.

``PrintedLines`` are made only here, so that none can be taken for the prompt's own. Templates are the user's code; the
values that they show are data.
"""

from __future__ import annotations

import re
import traceback
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.exceptions import TemplateNotFound
from jinja2.sandbox import ImmutableSandboxedEnvironment

from gm.ask.prompt.scenetypes import parse_scene_type, scene_sentences
from gm.ask.prompt.templates import COMPILED, WORDS, PromptFiles, PromptLoader
from gm.base.errors import PromptError
from gm.model.reply_texts import ReplyTexts
from gm.model.scene import SceneType


class View(SimpleNamespace):
    """Values that a template reads as attributes; an undefined attribute is an error. Never changed once made."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a view is frozen: {name}")

    def but(self, **changed: object) -> View:
        """Return a view with other or further values."""
        return View(**{**vars(self), **changed})


PERSONA_LEVEL, PREMISE_LEVEL = 2, 3
"""The highest headings in a persona and in a world's premise."""

_BREAK = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # all at which str.splitlines breaks
_BREAKS = re.compile(rf"[^\S{_BREAK}]*[{_BREAK}]\s*")
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_BLOCK = re.compile(r"#{1,6}(?:\s|$)|[-*+](?:\s|$)|\d+[.)](?:\s|$)|[>`~|]")  # what begins one in Markdown


class PrintedLines(str):
    """A text that is printed with its lines."""

    __slots__ = ()

    def strip(self, chars: str | None = None, /) -> PrintedLines:
        return PrintedLines(super().strip(chars))


def as_prompt_line(value: object) -> object:
    """Return text on one line that is not a heading; other values unchanged."""
    if not isinstance(value, str) or isinstance(value, PrintedLines):
        return value
    if value.isprintable():  # no line break is printable: most values are done here
        return _escape_heading(value) if "#" in value else value
    if not _BREAKS.search(value):
        return _escape_heading(value) if "#" in value else value
    text = _BREAKS.sub(" ", value).strip(" ")
    return f"\\{text}" if value.lstrip(" \t")[:1] in _BREAK and _BLOCK.match(text) else _escape_heading(text)


def quote_lines(text: str) -> PrintedLines:
    """Return a Markdown quotation; the template prints the first ``>`` itself."""
    return PrintedLines("\n> ".join(text.splitlines()))


def quoted_lines(text: str) -> list[PrintedLines]:
    """Return the lines of text that a template quotes itself."""
    return list(map(PrintedLines, text.strip().splitlines()))


def indent_lines(text: str, width: int = 4) -> PrintedLines:
    """Indent all lines but the first, for an item of a list."""
    first, *others = text.splitlines() or [""]
    return PrintedLines("\n".join((_escape_heading(first), *(" " * width + line if line else "" for line in others))))


@lru_cache(maxsize=128)
def prose(text: str, level: int) -> PrintedLines:
    """Return a user's text with its lines, headings lowered to ``level`` (2–6) or below."""
    return PrintedLines("\n".join(_lower_heading(line, level) for line in text.strip().splitlines()))


def _lower_heading(line: str, level: int) -> str:
    bare = line.strip()
    if bare and set(bare) <= set("=-"[: level - 1]):
        return f"\\{bare}"  # underlines of headings of the first level and the second
    if not _HEADING.match(bare):
        return line
    return "#" * max(0, level - len(bare) + len(bare.lstrip("#"))) + bare


def _escape_heading(line: str) -> str:
    return f"\\{bare}" if _HEADING.match(bare := line.lstrip()) else line


class Sandbox(ImmutableSandboxedEnvironment):
    """Lets templates read values and do nothing else."""

    def getattr(self, obj: object, attribute: str) -> Any:
        """Views come first: their values, which are data, need no further check."""
        if type(obj) is View and attribute in (values := vars(obj)) and not attribute.startswith("_"):
            return values[attribute]
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Views come first: they are the most frequent values."""
        if type(obj) is View:
            return not attr.startswith("_")
        return super().is_safe_attribute(obj, attr, value)


def inner_quotes(text: str) -> str:
    """Replace inner quotation marks by single ones."""
    return text.translate(_INNER)


_INNER = str.maketrans({"»": "›", "«": "‹", "„": "‚", "“": "‘", "”": "’"})
FILTERS: Mapping[str, Callable[..., str]] = {"inner": inner_quotes, "quoted": quote_lines, "indent": indent_lines}
"""Filters for templates besides those of Jinja; ``indent`` replaces Jinja's."""


T = TypeVar("T")


class Prompts(PromptFiles):
    """The templates of one world, and the Game Master's sentences."""

    def __init__(self, own: Path, packaged: Path, language: str, chosen: str = "full") -> None:
        super().__init__(own, packaged, language, chosen)
        self._environment = Sandbox(
            loader=PromptLoader(self.find, self._find_sentence),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            finalize=as_prompt_line,
            bytecode_cache=COMPILED,
            cache_size=-1,  # all of them: there are not many
            auto_reload=False,  # an edited prompt makes new ``Prompts``
        )
        self._environment.filters |= FILTERS
        self._words: dict[str, str] = {}
        self._scene_words: dict[str, str] | None = None

    def render(self, name: str, /, **variables: object) -> str:
        """Render a template.

        Raises:
            PromptError: It is missing, malformed, or uses an undefined variable; says where.
        """
        return _guard(name, self.find, lambda: self._environment.get_template(name).render(variables)).strip() + "\n"

    def render_each(self, name: str, variable: str, values: Iterable[object]) -> list[str]:
        """Render a template for each value of its one variable.

        Raises:
            PromptError: As ``render``.
        """

        def render() -> list[str]:
            template = self._environment.get_template(name)
            return [template.render({variable: value}).strip() + "\n" for value in values]

        return _guard(name, self.find, render)

    def render_text(self, where: str, text: str, /, **variables: object) -> str:
        """Render a template from the setting ``where``.

        Raises:
            PromptError: As ``render``.
        """
        return _guard(where, lambda _name: None, lambda: self._environment.from_string(text).render(variables)).strip()

    def words(self, key: str, /, **values: object) -> str:
        """Render a sentence of the Game Master's (``words.yaml``)."""
        sentence = self._find_sentence(key)
        if sentence is not None and "{" not in sentence:
            return sentence.strip()
        template = self._compile(key, sentence)
        return _guard(f"{WORDS}: {key}", self.find, lambda: template.render(values)).strip()

    def says(self, key: str) -> bool:
        """Return whether ``words`` has a sentence."""
        return self._find_sentence(key) is not None

    @cached_property
    def reply_texts(self) -> ReplyTexts:
        """What is said of the keys of replies (``reply.yaml``)."""
        return self.load_reply_texts()

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

    def compile_ahead(self) -> Iterator[str]:
        """Compile one template at each step, before it is needed."""
        sentences = ChainMap(self._own_words(), self._words_of_scenes())
        templates = [f"{WORDS}:{key}" for key, sentence in sentences.items() if "{" in sentence]
        for name in (*self.names(), *templates):
            with suppress(TemplateError, PromptError, RecursionError):  # errors are reported when the template is used
                self._environment.get_template(name)
            yield name

    def _compile(self, key: str, sentence: str | None) -> Template:
        if sentence is None:
            raise PromptError(f"{WORDS} has no sentence called {key!r}", "add it to the words of this language")
        try:
            return self._environment.get_template(f"{WORDS}:{key}")
        except TemplateSyntaxError as error:
            raise PromptError(f"{self.find(WORDS)}: {key}: {error.message}") from error

    def _find_sentence(self, key: str) -> str | None:
        found = self._own_words().get(key)
        return self._words_of_scenes().get(key) if found is None else found

    def _own_words(self) -> dict[str, str]:
        if not self._words:
            self._words = self.load_words()
        return self._words

    def _words_of_scenes(self) -> dict[str, str]:
        if self._scene_words is None:
            self._scene_words = {}
            with suppress(PromptError):  # errors of a scene type are reported where the types are read
                self.scene_types()
        return self._scene_words


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


def _place(error: BaseException, name: str, find: Callable[[str], Path | None]) -> str:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(".j2"):
            return f"{frame.filename}:{frame.lineno}"
    return str(find(name) or name)


def _hint(error: BaseException) -> str:
    if isinstance(error, TemplateError):
        return "the comment at the top of each packaged prompt lists its variables"
    return ""
