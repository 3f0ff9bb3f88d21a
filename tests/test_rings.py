"""The rings of the code: a module imports only from lower rings, and packages of one ring do not know each other."""

import ast
from pathlib import Path

import pytest

import gm

PACKAGE = Path(gm.__file__).parent
RINGS = (
    {"errors", "texts"},
    {"config", "tokens", "frontmatter", "regular", "yamlwords"},
    {"model"},
    {"memory"},
    {"layers"},
    {"scene", "reply"},
    {"store", "prompt", "llm", "index", "git", "markup"},
    {"day"},
    {"tools"},
    {"mcp", "web", "binding"},
    {"cli"},
)
PURE = ("model", "memory", "layers", "scene", "reply")
EDGES = {"os", "pathlib", "io", "subprocess", "socket", "shutil", "tempfile", "time", "datetime", "click", "anthropic"}
RING_OF = {name: number for number, ring in enumerate(RINGS) for name in ring}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in RING_OF)


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_lies_in_a_ring() -> None:
    rooms = {room_of(path) for path in MODULES if "worlds" not in path.parts}
    assert rooms <= set(RING_OF), f"not in any ring: {sorted(rooms - set(RING_OF))}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_from_lower_rings(path: Path) -> None:
    here = room_of(path)
    used = {name.split(".")[1] for name in imports_of(path) if name.startswith("gm.")}
    wrong = sorted(room for room in used if room != here and RING_OF[room] >= RING_OF[here])
    assert not wrong, f"{here} (ring {RING_OF[here]}) imports {wrong}"


@pytest.mark.parametrize("room", PURE)
def test_a_pure_ring_touches_no_edge(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        used = {name.split(".")[0] for name in imports_of(path)}
        assert not used & EDGES, f"{path.name} imports {sorted(used & EDGES)}"


def test_whoever_reads_a_file_knows_nothing_of_the_rules_that_check_it() -> None:
    for path in (PACKAGE / "store").rglob("*.py"):
        if "check" not in path.parts:
            used = {name for name in imports_of(path) if name.startswith("gm.store.check")}
            assert not used, f"{path.name} imports {sorted(used)}"


def test_only_the_command_line_prints() -> None:
    for path in PACKAGE.rglob("*.py"):
        if room_of(path) == "cli":
            continue
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        assert not any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls), path


# Inside of store: what a file is made of, what lands together, what stands in a line, streams and minds, the whole.
STORE_FLOORS = ("forms", "reading", "commits", "lexical", "streams", "layers", "check")


def test_inside_of_store_each_package_imports_only_from_those_before_it() -> None:
    for floor, package in enumerate(STORE_FLOORS):
        modules = sorted((PACKAGE / "store" / package).glob("*.py"))
        assert modules
        for path in modules:
            for name in sorted(imports_of(path)):
                parts = name.split(".")
                if parts[:2] == ["gm", "store"] and len(parts) > 2 and parts[2] in STORE_FLOORS:
                    assert STORE_FLOORS.index(parts[2]) <= floor, f"{path}: {name}"


def test_forms_of_files_know_no_world() -> None:
    for path in sorted((PACKAGE / "store" / "forms").glob("*.py")):
        for name in sorted(imports_of(path)):
            known = ("gm.store.forms", "gm.errors", "gm.frontmatter", "gm.yamlwords", "gm.regular", "gm.texts")
            assert not name.startswith("gm.") or name.startswith(known), f"{path}: {name}"
