"""The rings of the code: a module imports only from lower rings, and packages of one ring do not know each other."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import gm

PACKAGE = Path(gm.__file__).parent
RINGS = (
    {"base"},
    {"model"},
    {"memory"},
    {"layers"},
    {"scene"},
    {"ask"},
    {"files", "llm"},
    {"play"},
    {"api"},
    {"faces"},
    {"cli"},
)
PURE = ("model", "memory", "layers", "scene", "ask/reply")
EDGES = {"os", "pathlib", "io", "subprocess", "socket", "shutil", "tempfile", "time", "datetime", "click", "anthropic"}
EDGES |= {"importlib.resources"}
RING_OF = {name: number for number, ring in enumerate(RINGS) for name in ring}
DATA = {"assistants", "worlds"}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in DATA)
MODULES = [path for path in FILES if path.parent != PACKAGE]

# Rooms of one package that do not know each other.
APART = (("ask/reply", "ask/prompt"), ("faces/web", "faces/mcp", "faces/book"), ("llm/vectors", "llm/rehearsal"))
# Rooms and loose modules of one package, lowest first: each imports only from those before it.
FLOORS = {
    "model": (
        "derived",
        "ids",
        "calendar",
        "callname",
        "passage",
        "record",
        "reply_form",
        "reply_faults",
        "reply_texts",
        "mind",
        "importance_source",
        "turns",
        "node",
        "stream",
        "front_kinds",
        "front",
        "persona",
        "private_headings",
        "state",
        "thread",
        "clock",
        "piece",
        "link",
        "scene",
        "logged_parts",
        "logged",
        "layer_replies",
        "consulted",
        "scene_reply",
        "solo_replies",
        "master_replies",
        "draft",
        "verdict",
        "judgement",
        "interview",
        "world",
    ),
    "scene": (
        "score",
        "ledger",
        "grounding",
        "dialogue",
        "pieces",
        "threads",
        "planning",
        "candidates",
        "directing",
        "folding",
        "evening",
    ),
    "files": (
        "formats",
        "layout",
        "relative_paths",
        "packaged",
        "reading",
        "uncommitted",
        "media",
        "editable",
        "story",
        "commits",
        "questions",
        "lexical",
        "streams",
        "layers",
        "experiments",
        "completion_names",
        "load",
        "minds",
        "save",
        "check",
    ),
    "llm": (
        "content",
        "streams",
        "schema_variants",
        "packaged",
        "providers",
        "base",
        "refusals",
        "wire",
        "identity",
        "prices",
        "calls",
        "budget",
        "chat",
        "http_client",
        "offers",
        "batch",
        "rehearsal",
        "vectors",
        "mailbox",
        "asker",
        "waiting",
        "replay",
        "foresight",
        "anthropic_api",
        "local",
        "openai_api",
        "choose",
    ),
    "play": (
        "command",
        "edits",
        "prompts",
        "embedder",
        "report",
        "spending",
        "together",
        "turn_contexts",
        "windows",
        "fold",
        "archived",
        "fitting",
        "vector_search",
        "memory_search",
        "reminders",
        "sources",
        "question",
        "slips",
        "interview",
        "liveworld",
        "stage",
        "draft",
        "judge",
        "ask",
        "second_look",
        "evening",
        "narrator",
        "reflecting",
        "directors",
        "rating",
        "player",
        "table",
        "care",
        "review",
        "master",
        "interactive",
    ),
    "api": (
        "answers",
        "editing",
        "reports",
        "worlds",
        "imports",
        "history",
        "playing",
        "views",
        "experiments",
        "reference",
    ),
    "cli": (
        "streams",
        "terminal",
        "output_files",
        "boundary",
        "world",
        "complete",
        "commands",
        "options",
        "inspecting",
        "playing",
        "editing",
        "history",
        "experiments",
        "worlds",
        "answers",
        "reference",
    ),
}
ROOMS = [f"{package}/{room}" for package, rooms in FLOORS.items() for room in rooms]
# Rooms that know nothing but what is named.
KNOW = {
    "files/formats": ("gm.files.formats", "gm.base"),
    "api/history/git": ("gm.api.history.git", "gm.base"),
    "base/markup": ("gm.base",),
}

# What no backend knows but the rehearsal.
WORLD = ("gm.scene", "gm.layers", "gm.ask.prompt", "gm.model.world", "gm.model.scene")

# Modules that write, remove or move files, and which: no others may.
WRITERS = {
    "files/formats/disk.py": "files of a world",
    "files/commits/lock.py": "locks",
    "files/lexical/schema.py": "the index of words, which is derived",
    "llm/vectors/files.py": "the embedding index, which is derived",
    "files/uncommitted/temporary.py": "temporary folders",
    "api/worlds/new.py": "a temporary folder",
    "faces/book/export/epub.py": "a temporary folder",
    "faces/book/export/pdf.py": "a temporary folder",
    "cli/boundary.py": "the error stream",
    "cli/streams.py": "the null device",
    "cli/reference.py": "pages of the documentation",
    "testing.py": "settings of worlds that are made for checks of plugins",
}
WRITING = {"write_text", "write_bytes", "touch", "unlink", "rmtree", "copyfile", "copytree"}
WRITING |= {f"os.{name}" for name in ("write", "remove", "unlink", "rename", "replace", "truncate", "ftruncate")}
WRITING |= {"sqlite3.connect", "shutil.copy", "shutil.move"}
WRITING_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"}
MAY_WRITE = re.compile("|".join(map(re.escape, (*WRITING, *WRITING_FLAGS, "open"))))
"""What stands in the text of each module that writes: the others need not be parsed."""


@cache
def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            if node.module.startswith("gm."):
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def modules_of(room: str) -> list[Path]:
    module = PACKAGE / f"{room}.py"
    modules = [module] if module.is_file() else sorted((PACKAGE / room).rglob("*.py"))
    assert modules, f"no such room: {room}"
    return modules


def lies_in(name: str, room: str) -> bool:
    dotted = f"gm.{room.replace('/', '.')}"
    return name == dotted or name.startswith(f"{dotted}.")


def test_there_are_twelve_packages_and_each_lies_in_a_ring_and_has_a_readme() -> None:
    packages = {package_of(path) for path in MODULES}
    assert packages == set(RING_OF)
    assert len(packages) <= 12
    assert not [name for name in packages if not (PACKAGE / name / "README.md").is_file()]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_from_lower_rings(path: Path) -> None:
    here = package_of(path)
    used = {name.split(".")[1] for name in imports_of(path) if name.startswith("gm.")}
    wrong = sorted(package for package in used if package != here and RING_OF[package] >= RING_OF[here])
    assert not wrong, f"{here} (ring {RING_OF[here]}) imports {wrong}"


@pytest.mark.parametrize("room", PURE)
def test_a_pure_room_touches_no_edge(room: str) -> None:
    for path in modules_of(room):
        used = imports_of(path)
        used |= {name.split(".")[0] for name in used}
        assert not used & EDGES, f"{path.name} imports {sorted(used & EDGES)}"


@pytest.mark.parametrize("rooms", APART, ids=" ".join)
def test_rooms_that_stand_apart_do_not_import_each_other(rooms: tuple[str, ...]) -> None:
    for room in rooms:
        for path in modules_of(room):
            wrong = sorted(
                name for name in imports_of(path) for other in rooms if other != room and lies_in(name, other)
            )
            assert not wrong, f"{path}: {wrong}"


def test_of_the_backends_only_the_rehearsal_knows_a_world() -> None:
    rehearsal = modules_of("llm/rehearsal")
    knowing = {path for path in modules_of("llm") if any(name.startswith(WORLD) for name in imports_of(path))}
    assert {path.name for path in knowing} >= {"facts.py", "cued.py"}
    assert not knowing.difference(rehearsal)


@pytest.mark.parametrize("room", KNOW)
def test_a_room_of_tools_imports_only_what_is_named(room: str) -> None:
    for path in modules_of(room):
        wrong = sorted(name for name in imports_of(path) if name.startswith("gm.") and not name.startswith(KNOW[room]))
        assert not wrong, f"{path}: {wrong}"


def test_only_the_command_line_prints() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        if package_of(path) == "cli" or "print" not in text:
            continue
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        assert not any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls), path


def writes(call: ast.Call) -> bool:
    """Return whether a call opens a file for writing, or writes, removes or moves one."""
    name, owner = "", ""
    match call.func:
        case ast.Name(name):
            pass
        case ast.Attribute(ast.Name(owner), name):
            pass
        case ast.Attribute(_, name):
            pass
    inside = [*ast.walk(call)]
    texts = {str(item.value) for item in inside if isinstance(item, ast.Constant)} if name == "open" else set()
    modes = {text for text in texts if set(text) <= set("rwaxbt+") and set(text) & set("wax+")}
    flags = {item.attr for item in inside if isinstance(item, ast.Attribute)} & WRITING_FLAGS
    is_called = owner != "disk" and bool({name, f"{owner}.{name}"} & WRITING)
    return is_called or bool(flags) or bool(modes)


def test_only_the_modules_that_are_named_write_files() -> None:
    writing = {
        path.relative_to(PACKAGE).as_posix()
        for path in FILES
        if MAY_WRITE.search(text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and writes(node)
    }
    assert writing == set(WRITERS)


@pytest.mark.parametrize(
    ("call", "is_writing"),
    [
        ("open(path, 'ab', 0)", True),
        ("path.open(mode='r+')", True),
        ("open(path)", False),
        ("open(path, 'rb', buffering=0)", False),
        ("tarfile.open(path, 'r:*')", False),
        ("os.open(path, os.O_RDWR | os.O_CREAT)", True),
        ("open_regular(path, os.O_RDWR)", True),
        ("open_regular(path)", False),
        ("layout.note.unlink(missing_ok=True)", True),
        ("disk.truncate(path, 0)", False),
        ("os.replace(path, target)", True),
        ("text.replace('a', 'b')", False),
        ("shutil.rmtree(path)", True),
        ("sqlite3.connect(path)", True),
    ],
)
def test_calls_that_write_are_known(call: str, is_writing: bool) -> None:
    (node,) = (node for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Call))
    assert writes(node) is is_writing


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_the_rooms_before_it(room: str) -> None:
    package, _, floor = room.partition("/")
    rooms = FLOORS[package]
    above = [f"{package}/{name}" for name in rooms[rooms.index(floor) + 1 :]]
    for path in modules_of(room):
        wrong = sorted(name for name in imports_of(path) for other in above if lies_in(name, other))
        assert not wrong, f"{path}: {wrong}"


@pytest.mark.parametrize("package", FLOORS)
def test_every_module_lies_in_a_room_that_says_what_it_is_for(package: str) -> None:
    modules = {path.stem for path in (PACKAGE / package).glob("*.py")} - {"__init__"}
    folders = {path.name for path in (PACKAGE / package).iterdir() if (path / "__init__.py").is_file()}
    assert modules | folders == set(FLOORS[package])
    told = (PACKAGE / package / "README.md").read_text(encoding="utf-8")
    named = {*(f"`{name}`" for name in modules), *(f"`{name}/`" for name in folders)}
    assert not [name for name in named if name not in told]
