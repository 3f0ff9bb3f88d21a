"""READMEs and decisions name code of this project only as it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gm.base.config.manual import all_settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("gm/**/README.md"), ROOT / "tests" / "README.md", *ROOT.glob("docs/adr/*.md")])
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
FILE = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|j2|js|html|css)")
"""A file of code; files of worlds and places to fill in have other endings, or capitals."""
READMES = sorted(ROOT.glob("gm/*/**/README.md"))
OF_SITES = frozenset(("colours.css", "search-data.js", "search.html"))
"""Files that only a made site has."""
DATA = re.compile(r".*\.(?:json|jsonl|yaml)")
DOTTED = re.compile(r"_?[a-z]\w*(?:\._?[A-Za-z]\w*)+")
"""Of ``package.module.name``, of ``module.Class.method``."""


@cache
def modules() -> dict[str, Path]:
    """Modules and packages of the code, the tests and the benchmarks by dotted name."""
    found = {}
    for top in ("gm", "tests", "bench"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def names_in(path: Path) -> frozenset[str]:
    """Names that a module defines or imports, also those in its classes (``Class.method``)."""

    def walk(body: list[ast.stmt], before: str) -> Iterator[str]:
        for node in body:
            match node:
                case ast.ClassDef():
                    yield before + node.name
                    yield from walk(node.body, f"{before}{node.name}.")
                    stored = (inner for inner in ast.walk(node) if isinstance(inner, ast.Attribute))
                    yield from (
                        f"{before}{node.name}.{inner.attr}" for inner in stored if isinstance(inner.ctx, ast.Store)
                    )
                case ast.FunctionDef():
                    yield before + node.name
                case ast.Assign():
                    yield from (before + target.id for target in node.targets if isinstance(target, ast.Name))
                case ast.AnnAssign(target=ast.Name(id=name)):
                    yield before + name
                case ast.Import() | ast.ImportFrom():
                    yield from (before + (alias.asname or alias.name) for alias in node.names)
                case ast.If() | ast.Try():
                    yield from walk(node.body, before)
                    yield from walk(node.orelse, before)

    return frozenset(walk(ast.parse(path.read_text(encoding="utf-8")).body, ""))


@cache
def first_words() -> frozenset[str]:
    """Last parts of the names of modules, by which pages name them."""
    return frozenset(name.rpartition(".")[2] for name in modules())


@cache
def settings() -> frozenset[str]:
    """Names of settings, and what they begin with."""
    names = [entry.name.split(".") for entry in all_settings()]
    return frozenset(".".join(name[:end]) for name in names for end in range(1, len(name) + 1))


@cache
def macros() -> frozenset[str]:
    """Macros of the pages (``scenes.title``)."""
    found = []
    for path in (ROOT / "gm/faces/web/templates/macros").glob("*.html"):
        found += [f"{path.stem}.{name}" for name in re.findall(r"{% macro (\w+)", path.read_text(encoding="utf-8"))]
    return frozenset(found)


@cache
def files() -> tuple[str, ...]:
    """All files of code, as ``/path``."""
    tops = ("gm", "tests", "bench", "prompts")
    found = [*ROOT.glob("*.py"), *(path for top in tops for path in (ROOT / top).rglob("*.*"))]
    return tuple(f"/{path.relative_to(ROOT).as_posix()}" for path in found)


def is_there(name: str) -> bool:
    """Return whether a dotted name is a module, or a name in one; methods may be named without their class."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        module, rest = ".".join(parts[:end]), ".".join(parts[end:])
        for full, path in modules().items():
            if full == module or full.endswith(f".{module}"):
                known = names_in(path)
                if not rest or rest in known or any(one.endswith(f".{rest}") for one in known):
                    return True
    return False


def wrong_names(text: str) -> list[str]:
    """Return what a page names as code of this project although it does not exist."""
    found = []
    for code in CODE.findall(FENCE.sub("", text)):
        name = code.removeprefix("python -m ").partition("(")[0].split(" ")[0]
        if FILE.fullmatch(name):
            if name not in OF_SITES and not any(path.endswith(f"/{name}") for path in files()):
                found.append(code)
        elif (
            DOTTED.fullmatch(name)
            and not DATA.fullmatch(name)
            and name.split(".")[0] in first_words()
            and name not in settings() | macros()
            and not is_there(name)
        ):
            found.append(code)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_code_that_a_page_names_exists(page: Path) -> None:
    assert wrong_names(page.read_text(encoding="utf-8")) == []


def test_what_does_not_exist_is_found() -> None:
    text = "`play.master` `play.liveworld.land` `scene.score.reason(world)` `scenes.title` `day.together` `gm.yaml`"
    assert wrong_names(text) == []
    assert wrong_names("`play.master.no_such` `liveworld.NoSuch.land`") == [
        "play.master.no_such",
        "liveworld.NoSuch.land",
    ]
    assert wrong_names("`test_no_such.py` `macros/no_such.html`") == ["test_no_such.py", "macros/no_such.html"]


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.parent.relative_to(ROOT).as_posix())
def test_a_readme_names_every_module_and_room_beside_it(page: Path) -> None:
    beside = {path.stem for path in page.parent.glob("*.py")} | {
        path.parent.name for path in page.parent.glob("*/__init__.py")
    }
    named = {name for code in CODE.findall(page.read_text(encoding="utf-8")) for name in re.findall(r"\w+", code)}
    assert not beside - named - {"__init__", "__main__"}
