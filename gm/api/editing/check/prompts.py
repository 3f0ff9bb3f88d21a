"""Check a world's own prompts: syntax, includes and variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, nodes

from gm.ask.prompt.render import FILTERS, Prompts
from gm.ask.prompt.scenetypes import read_scene_type
from gm.ask.prompt.templates import REPLY, WORDS
from gm.base.errors import Problem, PromptError, say
from gm.base.frontmatter import split_front_matter
from gm.base.languages import ENGLISH
from gm.files.check.text import check_duplicate_keys
from gm.files.formats.places import yaml_place
from gm.files.formats.text import read_text, report_conflict
from gm.files.formats.yamlfile import load_yaml
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.files.story.now import load_cast, load_settings
from gm.layers import LAYERS
from gm.model.reply_texts import parse_reply_texts
from gm.model.scene import EVERYONE, SceneType
from gm.model.world import find_agent, unknown_agent
from gm.play.prompts import open_prompts

_ENVIRONMENT = Environment(autoescape=False)
_ENVIRONMENT.filters |= FILTERS
_RAG_HINT = "it is a Jinja template; until it is put right, memories are looked for as without it"
_SCENE_KEY = re.compile(r"^(?:type|play|cast|times|reply|rounds)[ \t]*:", re.MULTILINE)
SCENES, ENDING = "scenes", ".j2"
_HINT = "the comment at the top of each packaged prompt lists its variables"


def check_prompts(layout: Layout) -> tuple[tuple[str, ...], list[Problem]]:
    """Check a world's own prompts; returns the names of readable scene types, and problems."""
    settings, _ = load_settings(layout)
    try:
        prompts = open_prompts(layout, settings)
    except PromptError as error:
        line, column = yaml_place(read_text(layout.settings, "")[0].body, ("language",))
        shown = layout.shown(layout.settings)
        return (), [Problem(shown, line, column, "error", "prompt-language", error.message, error.hint)]
    types: dict[str, Path] = {}
    problems: list[Problem] = []
    known = _KnownVariables(prompts)
    for name in prompts.names():
        path = prompts.find(name)
        assert path is not None
        if name.startswith("scenes/"):
            shown = layout.shown(path)
            text = read_text(path, shown)[0].body
            kind, found = read_scene_type(text, shown, name)
            problems += found
            if kind is not None:
                problems += _cast(kind, layout, text, shown)
                if (first := types.setdefault(kind.name, path)) != path:
                    problems.append(_report_same_type(layout, kind.name, first, path))
        if path.is_relative_to(layout.prompts):
            problems += _template(path, layout.shown(path), name, known)
    problems += _check_words(layout, settings.language)
    problems += _check_reply_texts(layout, settings.language)
    problems += _queries(layout, prompts, known)
    problems += _find_unread_files(layout)
    return tuple(types), problems


def _report_same_type(layout: Layout, kind: str, first: Path, second: Path) -> Problem:
    own, other = (second, first) if second.is_relative_to(layout.prompts) else (first, second)
    shown = layout.shown(own)
    line, column = yaml_place(split_front_matter(read_text(own, shown)[0].body)[0] or "", ("type",))
    message = f"{other.name} has the type {kind} as well, so only one of the two is played"
    return Problem(shown, line + 1, column, "warning", "scene-type-twice", message, f"write type: {own.stem.upper()}")


def _find_unread_files(layout: Layout) -> Iterator[Problem]:
    folder = layout.prompts / SCENES
    for path in sorted((*layout.prompts.rglob("*"), *(layout.root / SCENES).rglob("*"))):
        among_them = path.parent == folder or (path.parent.name == SCENES and path.parents[2] == layout.prompts)
        if path.name.startswith((".", "README")) or (among_them and path.suffix == ENDING) or not path.is_file():
            continue
        shown = layout.shown(path)
        head, _, _ = split_front_matter(read_text(path, shown)[0].body)
        if not among_them and not _SCENE_KEY.search(head or ""):
            continue
        message = f"this is not a scene type yet: scene types are files in {layout.shown(folder)}/ that end in {ENDING}"
        target = layout.shown((path.parent if among_them else folder) / f"{path.stem}{ENDING}")
        yield Problem(shown, 1, 1, "warning", "prompt-not-read", message, f"rename it to {target}")


def _cast(kind: SceneType, layout: Layout, text: str, shown: str) -> Iterator[Problem]:
    if kind.who in ((), EVERYONE):
        return
    agents, _ = load_cast(layout)
    for number, name in enumerate(kind.who):
        if find_agent(agents, name) is None:
            line, column = yaml_place(split_front_matter(text)[0] or "", ("who", number))
            error = unknown_agent(name, agents)
            yield Problem(shown, line + 1, column, "error", "prompt-front", f"who: {error.message}", error.hint)


def _template(path: Path, shown: str, name: str, known: _KnownVariables) -> Iterator[Problem]:
    text, problems = read_text(path, shown)
    yield from problems or report_conflict(text.body, shown)
    tree = _parse_template(text.body)
    if isinstance(tree, TemplateSyntaxError):
        line = tree.lineno
        source = (text.body.split("\n")[line - 1 : line] or [""])[0]
        column = len(source) - len(source.lstrip()) + 1
        message = (tree.message or "cannot be parsed").rstrip(".")
        yield Problem(shown, line, column, "error", "prompt-syntax", message, "look at this place or just before it")
        return
    lines = text.body.split("\n")
    for include in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        target = getattr(include, "template", None)
        wanted = target.value if isinstance(target, nodes.Const) else None
        if (
            isinstance(wanted, str)
            and known.prompts.find(wanted) is None
            and not getattr(include, "ignore_missing", False)
        ):
            column = _column(lines, include.lineno, re.escape(wanted))
            message = say("prompt {name} does not exist", wanted)
            hint = "put it into the world's prompts/, or correct the name"
            yield Problem(shown, include.lineno, column, "error", "prompt-missing", message, hint)
    variables = known.of(name)
    is_scene = _SCENE_KEY.search(split_front_matter(text.body)[0] or "")
    if variables is None and not is_scene and not (shipped_prompts() / name).exists():
        near = get_close_matches(name, set(known.prompts.names()) - {name}, 1, 0.75)
        hint = say("did you mean {name}?", near[0]) if near else "a prompt of gm has another name, or includes it"
        yield Problem(shown, 1, 1, "warning", "prompt-unused", say("nothing reads {name}", name), hint)
    if variables is None:
        return
    for line, used, message in _VariableReader(tree, variables).unknown():
        column = _column(lines, line, rf"\b{re.escape(used)}\b")
        yield Problem(shown, line, column, "error", "prompt-variable", message, _HINT)


def _queries(layout: Layout, prompts: Prompts, known: _KnownVariables) -> Iterator[Problem]:
    """Check ``rag.query_template`` in settings, personas and own scene types."""
    own = [path for name in prompts.names() if name.startswith("scenes/") and (path := prompts.find(name))]
    personas = [layout.persona(name) for name in layout.agent_names()]
    for path in (layout.settings, *personas, *(path for path in own if path.is_relative_to(layout.prompts))):
        shown = layout.shown(path)
        body = read_text(path, shown)[0].body
        head = body if path == layout.settings else split_front_matter(body)[0] or ""
        data = load_yaml(head, shown)[0]
        rag = data.get("rag") if isinstance(data, dict) else None
        template = rag.get("query_template") if isinstance(rag, dict) else None
        for message in _find_template_faults(template, known) if isinstance(template, str) else ():
            line, column = yaml_place(head, ("rag", "query_template"))
            line += path != layout.settings
            yield Problem(shown, line, column, "error", "rag-template", f"rag.query_template: {message}", _RAG_HINT)


def _find_template_faults(template: str, known: _KnownVariables) -> Iterator[str]:
    try:
        _ENVIRONMENT.compile(template)
        tree = _ENVIRONMENT.parse(template)
    except TemplateSyntaxError as error:
        yield (error.message or "cannot be parsed").rstrip(".")
        return
    for _, _, message in _VariableReader(tree, known.of("rag.query_template") or {}).unknown():
        yield message


def _check_words(layout: Layout, language: str) -> list[Problem]:
    packaged = Prompts(layout.root / "no-prompts-here", shipped_prompts(), language) if _is_packaged(language) else None
    problems: list[Problem] = []
    for shown, text, data in _own_documents(layout, language, WORDS, problems):
        if not isinstance(data, dict):
            message = f"found {type(data).__name__}, expected sentences by key"
            problems.append(Problem(shown, 1, 1, "error", "prompt-words", message))
            continue
        for key, sentence in data.items():
            tree = _parse_template(str(sentence))
            if isinstance(tree, TemplateSyntaxError):
                line, column = yaml_place(text, (str(key),))
                problems.append(Problem(shown, line, column, "error", "prompt-syntax", f"{key}: {tree.message}"))
            if packaged is not None and not _has_sentence(packaged, str(key)):
                problems.append(_report_unknown(shown, text, (str(key),), "sentence", WORDS))
    return problems


def _check_reply_texts(layout: Layout, language: str) -> list[Problem]:
    problems: list[Problem] = []
    for shown, text, data in _own_documents(layout, language, REPLY, problems):
        texts, faults = parse_reply_texts(data)
        for place, message in faults:
            line, column = yaml_place(text, place)
            problems.append(Problem(shown, line, column, "error", "prompt-words", ": ".join((*place, message))))
        known = Prompts(layout.root / "no-prompts-here", shipped_prompts(), ENGLISH).reply_texts.by_form
        keys = {key for said in known.values() for key in said} | {layer.reply.key for layer in LAYERS if layer.reply}
        for form, said in texts.items():
            if form not in known:
                problems.append(_report_unknown(shown, text, (form,), "form of a reply", REPLY))
                continue
            unknown = [key for key in said if key not in keys]
            problems += (_report_unknown(shown, text, (form, key), "key of a reply", REPLY) for key in unknown)
    return problems


def _report_unknown(shown: str, text: str, place: tuple[str, ...], what: str, where: str) -> Problem:
    line, column = yaml_place(text, place, key=True)
    message = f"no {what} is called {place[-1]!r}: nothing uses it"
    return Problem(shown, line, column, "warning", "words-unknown", message, f"see the packaged {where}")


def _own_documents(
    layout: Layout, language: str, name: str, problems: list[Problem]
) -> Iterator[tuple[str, str, object]]:
    """Yield each of a world's own files of that name as it is shown, its text and data, without empty ones."""
    for path in (layout.prompts / language / name, layout.prompts / name):
        shown = layout.shown(path)
        text, unread = read_text(path, shown)
        data, malformed = load_yaml(text.body, shown)
        problems += (*unread, *malformed)
        if text.exists and not unread and not malformed and data is not None:
            problems += check_duplicate_keys(text.body, shown)
            yield shown, text.body, data


def _is_packaged(language: str) -> bool:
    try:
        Prompts(Path("no-prompts-here"), shipped_prompts(), language)
    except PromptError:
        return False
    return True


def _has_sentence(prompts: Prompts, key: str) -> bool:
    try:
        prompts.words(key)
    except PromptError as error:
        return not error.message.startswith(f"{WORDS} has no sentence")
    return True


@lru_cache(maxsize=256)
def _parse_template(text: str) -> nodes.Template | TemplateSyntaxError:
    front, body, first = split_front_matter(text)
    if front is not None:
        body = "\n" * (first - 1) + body
    try:
        return Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False).parse(body)
    except TemplateSyntaxError as error:
        return error


def _column(lines: list[str], line: int, pattern: str) -> int:
    match = re.search(pattern, lines[line - 1]) if 0 < line <= len(lines) else None
    return match.start() + 1 if match else 1


class _KnownVariables:
    def __init__(self, prompts: Prompts) -> None:
        self.prompts = prompts

    @cached_property
    def _given(self) -> dict[str, dict[str, Any]]:
        # as _users: most worlds have no prompts of their own, so nothing is asked or imported
        from gm.api.editing.check.variables import sample_variables

        return sample_variables()

    @cached_property
    def _users(self) -> dict[str, set[str]]:
        users: dict[str, set[str]] = {}
        for name in self.prompts.names():
            path = self.prompts.find(name)
            tree = _parse_template(read_text(path, name)[0].body) if path else None
            for include in tree.find_all(nodes.Include) if isinstance(tree, nodes.Template) else ():
                if isinstance(include.template, nodes.Const):
                    users.setdefault(str(include.template.value), set()).add(name)
        return users

    def of(self, name: str, seen: frozenset[str] = frozenset()) -> dict[str, Any] | None:
        own = self._given.get("scene" if name.startswith("scenes/") else name)
        found = dict(own) if own is not None else None
        for user in sorted(self._users.get(name, set()) - seen):
            more = self.of(user, seen | {name})
            found = found if more is None else {**more, **(found or {})}
        return found


class _VariableReader:
    def __init__(self, tree: nodes.Template, variables: Mapping[str, Any]) -> None:
        self._tree = tree
        self._variables = dict(variables)
        # names that the template tests or defines are known
        self._spared = {str(test.node.name) for test in tree.find_all(nodes.Test) if isinstance(test.node, nodes.Name)}
        made = [name for name in tree.find_all(nodes.Name) if name.ctx in ("store", "param")]
        self._made = {name.name for name in made} | {"loop", "caller", "varargs", "kwargs", "self", "super"}
        self._made |= {macro.name for macro in tree.find_all(nodes.Macro)}
        self._globals = set(Environment().globals)
        self._items: dict[str, list[Any]] = {}

    def unknown(self) -> Iterator[tuple[int, str, str]]:
        for loop in self._tree.find_all(nodes.For):
            for sample in self._samples(loop.iter):
                if isinstance(loop.target, nodes.Name) and isinstance(sample, list | tuple) and sample:
                    self._items.setdefault(loop.target.name, []).append(sample[0])
        for name in self._tree.find_all(nodes.Name):
            if name.ctx == "load" and name.name not in (
                self._variables.keys() | self._spared | self._made | self._globals
            ):
                given = ", ".join(sorted(self._variables))
                yield name.lineno, name.name, f"no variable is called {name.name!r} here; there are: {given}"
        for part in self._tree.find_all(nodes.Getattr):
            samples = [item for item in self._samples(part.node) if isinstance(item, SimpleNamespace)]
            if samples and not any(hasattr(sample, part.attr) for sample in samples):
                given = ", ".join(sorted(vars(samples[0])))
                yield part.lineno, part.attr, f"there is no {part.attr!r} in it; there are: {given}"

    def _samples(self, node: nodes.Node) -> list[Any]:
        if isinstance(node, nodes.Name):
            return self._items.get(node.name) or [self._variables.get(node.name)]
        if isinstance(node, nodes.Getattr):
            return [getattr(inside, node.attr, None) for inside in self._samples(node.node)]
        return []
