"""What a notebook does with ``import gm``: open a world, play a day, ask questions, and read values.

``tests/public.txt`` lists everything public with its types. ``python -m tests.test_public`` writes it anew: what it
changes then is a change for those who use gm, so a renamed name goes into ``gm._RENAMED``, and the CHANGELOG says it.
"""

import ast
import doctest
import gc
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import Field, FrozenInstanceError
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import numpy
import pytest
from packaging.version import Version

import gm
from gm.api.reference.public import Public, list_public, render_api
from gm.base.arguments import RENAMED
from gm.files.layout import Layout

untyped: Any = gm
SWEEP = gm.Sweep(None, "dinner", 1, (), ())
PLAN = gm.Filters(types=("plam",))
HYBIRD = gm.ContextOptions(strategy="hybird")
LIST = Path(__file__).with_name("public.txt")
PROGRAM = """
    from pathlib import Path

    import gm

    layout: gm.Layout = gm.create_world(Path("dinner"), "dinner")
    days: list[gm.DayResult] = gm.play_days(layout, "rehearsal", days=1, seed=3)
    opened: gm.OpenWorld = gm.open_world(layout.root)
    agent: gm.Agent = opened.agents["casey"]
    nodes: tuple[gm.Node, ...] = opened.memories(agent.id)
    scenes: tuple[gm.LogEntry, ...] = opened.scenes
    threads: tuple[gm.Thread, ...] = opened.threads
    regards: tuple[gm.Regard, ...] = opened.relationships
    found: gm.Recalled = gm.recall_memories(layout, agent.id, nodes[0].description, gm.RecallOptions(most=1))
    context: gm.Context = gm.describe_context(layout, opened.world, agent.id)
    answered: gm.Answered = gm.ask_character(layout, "rehearsal", gm.CharacterQuestion("casey", "What is missing?"))
    scene: gm.LogEntry = gm.play_scene(layout, "rehearsal", gm.SceneRequest("work", ("casey",)))
    branch: gm.Branch = gm.make_branch(layout, "what-if", gm.SceneRef(1), Path("what-if"))
    compared: gm.Comparison = gm.describe_comparison(layout.root, branch.world)
    tables = gm.write_parquet(opened, "tables")
    print(len(days), len(nodes) > 0, found.memories[0].id, scene.participants, compared.b.day, len(tables))
"""


def public() -> str:
    return "".join(f"{item.declared}\n" for item in list_public())


def test_every_public_class_function_and_method_has_a_sentence() -> None:
    kinds = (type, property, cached_property)
    found = [item for item in list_public() if inspect.isfunction(item.value) or isinstance(item.value, kinds)]
    assert len(found) > 250
    assert [item.declared for item in found if not item.doc] == []


def test_no_day_to_play_is_refused(tmp_path: Path) -> None:
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    with pytest.raises(gm.GmError, match="days is 0: nothing would be played"):
        gm.play_days(layout, "rehearsal", days=0)


def test_a_day_leaves_the_garbage_collector_of_its_process_as_it_was(tmp_path: Path) -> None:
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    frozen: list[int] = []

    class Watching(gm.Report):
        def scene_played(self, *_told: object) -> None:
            frozen.append(gc.get_freeze_count())

    gc.freeze()
    try:
        before = gc.get_freeze_count()
        gm.play_days(layout, "rehearsal", Watching(), 1)
        assert 0 < gc.get_freeze_count() <= max(frozen) <= before
    finally:
        gc.unfreeze()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"sede": 3}, "play_days takes no 'sede'; did you mean seed"),
        ({"scenes": 1}, "play_days takes no 'scenes'"),
        ({"director": "rules"}, "did you mean direction"),
        ({"seed": "1"}, "seed is '1', expected a whole number or None"),
        ({"seed": True}, "seed is True"),
        ({"batch": "no"}, "batch is 'no', expected True or False"),
        ({"days": "3"}, "days is '3', expected a whole number"),
    ],
)
def test_no_day_is_played_with_an_option_that_is_wrong(option: dict[str, Any], said: str, tmp_path: Path) -> None:
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    with pytest.raises(gm.WrongTypeError, match=said):
        gm.play_days(layout, "rehearsal", **option)
    assert gm.describe_status(layout)[0].day == 0


def test_the_limit_of_a_run_has_the_name_that_it_has_in_a_sweep(tmp_path: Path) -> None:
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    backend = gm.choose_for(layout, "rehearsal").backend
    assert gm.play_days(layout, backend, max_usd=1)[0].day == 1
    with pytest.warns(DeprecationWarning, match="most_usd is now max_usd"):
        gm.play_scene(layout, backend, gm.SceneRequest("work", ("casey",)), most_usd=1.0)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda _: untyped.InterviewOptions(without=("reflection",)), "did you mean reflections"),
        (lambda _: untyped.InterviewOptions(without="reflections"), r"write \('reflections',\)"),
        (
            lambda _: untyped.InterviewOptions(without=("../../../../x",)),
            "expected 'reflections' or 'plans'",
        ),
        (lambda _: untyped.InterviewOptions(kinds=("plan",)), "did you mean plans"),
        (lambda _: untyped.NewMemory("t", importance=3.7), "importance is 3.7, expected a whole number or None"),
        (lambda _: untyped.NewMemory("t", importance=True), "importance is True"),
        (lambda _: untyped.NewMemory("t", type="foo"), "type is 'foo', expected 'observation' or 'reflection'"),
        (lambda _: untyped.NewMemory("t", tags="abc"), r"write \('abc',\)"),
        (lambda _: untyped.NewMemory("t", metadata={"x": float("nan")}), "metadata cannot be written as JSON"),
        (lambda _: untyped.RecallOptions(purpose="foo"), "purpose is 'foo', expected 'past' or 'now'"),
        (lambda _: untyped.RecallOptions(most=-3), "most is -3, expected a number from 0"),
        (lambda _: untyped.Filters(days=(5, 1)), r"days is \(5, 1\), expected the first day before the last"),
        (lambda _: untyped.Filters(types="plan"), r"write \('plan',\)"),
        (lambda _: untyped.ContextOptions(last=0), "last is 0, expected a number from 1"),
        (lambda _: untyped.ContextOptions(moment="day-001"), r"gm\.parse_moment"),
        (lambda _: untyped.CharacterQuestion("casey", None), "text is None, expected a text"),
        (lambda _: untyped.SceneRequest("work", "casey"), r"write \('casey',\)"),
        (lambda _: gm.Direction("rule"), "there is no Director 'rule'; did you mean rules"),
        (lambda _: gm.play_sweep(SWEEP, "out", backend="rays"), "no sweep is played by 'rays'; did you mean ray"),
        (lambda _: untyped.Direction(script=3), "script is 3, expected Path or None"),
        (lambda opened: gm.recall_memories(opened.layout, "casey", "x", untyped.RecallOptions("hybird")), "'hybird'"),
        (lambda opened: gm.describe_context(opened.layout, opened.world, "casey", HYBIRD), "called 'hybird'"),
        (lambda opened: gm.recall_memories(opened.layout, "casey", "x", gm.RecallOptions(filters=PLAN)), "mean plan"),
        (lambda opened: gm.describe_threads(opened.world, "nobody"), "nobody here is called 'nobody'"),
        (lambda opened: gm.describe_stream(opened.layout, "nobody"), "nobody here is called 'nobody'"),
        (lambda opened: gm.describe_found(opened.layout, "x", ["nobody"]), "nobody here is called 'nobody'"),
        (lambda _: gm.read_sweep("no.yaml", {"sedes": [1]}), "a sweep has no 'sedes'; did you mean seeds"),
    ],
)
def test_what_cannot_be_meant_is_refused(call: Callable[[gm.OpenWorld], object], said: str, two_days: Layout) -> None:
    with pytest.raises(gm.UsageError, match=said):
        call(gm.open_world(two_days.root))


def test_names_and_numbers_are_taken_in_other_forms(two_days: Layout, tmp_path: Path) -> None:
    world = gm.open_world(two_days.root).world
    assert gm.describe_threads(world, "Casey") == gm.describe_threads(world, "casey")
    assert gm.describe_stream(two_days, "Casey") == gm.describe_stream(two_days, "casey")
    assert gm.describe_found(two_days, "the", ["Casey"]) == gm.describe_found(two_days, "the", ["casey"])
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    node, _ = gm.add_memory(layout, "casey", untyped.NewMemory("A thing.", importance=numpy.int64(5), tags=["a"]))
    assert (node.importance, node.tags) == (5, ("a",))
    assert gm.open_world(layout.root).problems == ()


def test_questions_are_read_from_a_path_as_text(two_days: Layout, tmp_path: Path) -> None:
    layout = Layout(Path(shutil.copytree(two_days.root, tmp_path / "dinner")))
    file = tmp_path / "questions.yaml"
    file.write_text("questions: [{kind: memory, text: Who was there?}]\n", encoding="utf-8")
    options = gm.InterviewOptions(("casey",), questions=str(file), once=True)
    assert [answer.question for answer in gm.interview_characters(layout, "rehearsal", options).answers] == [
        "Who was there?"
    ]


def test_what_is_not_a_world_is_named(tmp_path: Path) -> None:
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    opened = gm.open_world(layout.root)
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: gm.play_days("dinner", "rehearsal"), "layout is 'dinner', expected gm.Layout"),  # type: ignore[arg-type]
        (lambda: gm.play_days(layout, 3), "choice is 3, expected gm.Choice or gm.Backend or a text"),  # type: ignore[arg-type]
        (lambda: gm.memories_table(opened.world), "opened is of the type World"),  # type: ignore[arg-type]
        (lambda: gm.describe_stats(opened), r"gm\.open_world\(FOLDER\)\.world is one"),  # type: ignore[arg-type]
        (lambda: gm.describe_evaluation(layout, "plans"), r"write \('plans',\)"),
    ]
    for call, said in wrong:
        with pytest.raises(gm.WrongTypeError, match=said):
            call()


def test_a_notebook_makes_a_world_plays_a_day_and_asks_about_it(tmp_path: Path) -> None:
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    (day,) = gm.play_days(layout, gm.choose_for(layout, "rehearsal"), gm.Report(), 1, command="a notebook")
    opened = gm.open_world(tmp_path / "dinner")
    assert opened.problems == ()
    assert len(opened.scenes) == day.scenes == len(opened.world.log) - 1
    assert opened.threads == opened.world.threads
    status, problems = gm.describe_status(opened.layout)
    assert (status.day, status.open, problems) == (1, False, [])
    assert (
        day.memories
        == gm.describe_stats(opened.world).all.memories
        == sum(agent.memories for agent in status.agents.values())
    )
    name = next(iter(status.agents))
    memories = gm.describe_stream(opened.layout, name).memories
    assert tuple(found.node for found in memories) == opened.memories(opened.agents[name].name)
    assert len(memories) == status.agents[name].memories
    why = gm.describe_why(opened.layout, memories[-1].node.id)
    assert (why.agent, why.node) == (name, memories[-1].node)
    with gm.open_recall(opened.layout, opened.world.settings) as recall:
        found, _ = recall.find(name, memories[-1].node.description, gm.RecallOptions(most=1))
    assert [memory.id for memory in found.memories] == [memories[-1].node.id]
    assert gm.describe_context(opened.layout, opened.world, name, gm.ContextOptions()).prompt
    assert gm.describe_report(gm.check_world(opened.layout)).ok


def test_an_answer_is_frozen_and_becomes_json(tmp_path: Path) -> None:
    status, _ = gm.describe_status(gm.create_world(tmp_path / "dinner", "dinner"))
    with pytest.raises(FrozenInstanceError):
        status.day = 5  # type: ignore[misc]
    document = gm.as_json(status)
    assert list(document)[:4] == ["world", "day", "day_of_week", "open"]
    assert json.loads(json.dumps(document)) == document


def test_a_folder_without_a_world_is_refused(tmp_path: Path) -> None:
    with pytest.raises(gm.GmError, match="is not a world"):
        gm.open_world(str(tmp_path))


def test_every_public_name_is_there_and_typed() -> None:
    stub = ast.parse(Path(gm.__file__).with_name("__init__.pyi").read_text(encoding="utf-8"))
    typed = {
        alias.asname or "": (node.module, alias.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module != "collections.abc"
        for alias in node.names
    }
    assert sorted(typed) == gm.__all__
    for public, (module, name) in typed.items():
        assert public == name
        assert inspect.unwrap(getattr(gm, name)) is inspect.unwrap(getattr(import_module(str(module)), name))
    assert not hasattr(gm, "no_such_name")
    assert (Path(gm.__file__).parent / "py.typed").is_file()


def classes_in(annotation: object) -> Iterator[type]:
    """Yield the classes that a type is made of; an alias is what it stands for."""
    parts = annotation if isinstance(annotation, list) else get_args(annotation)
    if isinstance(annotation, type):
        yield annotation
    for part in (get_origin(annotation), *parts):
        if part is not None:
            yield from classes_in(part)


def types_in(item: Public) -> Iterator[object]:
    """Yield the types of a public function, field or property."""
    owner = getattr(gm, item.name)
    if item.declared.startswith("class ") or get_origin(owner) is Literal:
        return
    if is_typeddict(owner):
        yield get_type_hints(owner)[item.value]
        return
    is_field = isinstance(item.value, Field)
    of = owner if is_field else getattr(item.value, "fget", None) or getattr(item.value, "func", item.value)
    # names that a module imports for type checkers alone
    others = {name: getattr(gm, name) for name in gm.__all__} | {"DataFrame": object}
    hints = get_type_hints(of, {**others, **vars(import_module(inspect.unwrap(owner).__module__))})
    yield from [hints[item.value.name]] if is_field else hints.values()


def test_every_type_that_a_public_signature_names_is_public() -> None:
    named = [(item.declared, found) for item in list_public() for hint in types_in(item) for found in classes_in(hint)]
    ours = [(declared, found) for declared, found in named if found.__module__.partition(".")[0] == "gm"]
    assert len({found for _, found in ours}) > 50
    assert [declared for declared, found in ours if getattr(gm, found.__name__, None) is not found] == []


def test_every_type_that_a_public_signature_names_is_explained() -> None:
    page = render_api()
    named = {word for item in list_public() for word in re.findall(r"\b[A-Z]\w+", re.sub("'[^']*'", "", item.declared))}
    outside = {"Any", "Callable", "DataFrame", "False", "Iterable", "Iterator", "Literal", "Mapping", "None", "Path"}
    outside |= {"PathLike", "Sequence", "True", "Unpack", "Value"}  # the last is a type variable
    assert [word for word in sorted(named - outside) if word not in gm.__all__ and f"`{word}` " not in page] == []


@pytest.mark.slow
def test_mypy_knows_every_public_name(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    names = "".join(f"gm.{name}\n" for name in gm.__all__)
    program.write_text(f"import gm\n{names}gm.no_such_name\n", encoding="utf-8")
    check = [sys.executable, "-m", "mypy", "--strict", str(program)]
    typed = subprocess.run(check, cwd=Path(gm.__file__).parents[1], capture_output=True, text=True)
    assert typed.stdout.splitlines() == [
        f'{program}:{len(gm.__all__) + 2}: error: Module has no attribute "no_such_name"  [attr-defined]',
        "Found 1 error in 1 file (checked 1 source file)",
    ]


def test_to_import_gm_imports_nothing_else() -> None:
    code = "import sys, gm; print([name for name in sys.modules if name.startswith('gm.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_public_is_listed_with_its_types() -> None:
    assert LIST.read_text(encoding="utf-8") == public(), "if this is meant: python -m tests.test_public"


def test_a_renamed_name_works_and_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gm, "_RENAMED", {"open_it": ("open_world", "0.3.0")})
    with pytest.warns(DeprecationWarning, match=r"gm\.open_it is now gm\.open_world.* 0\.3\.0") as warned:
        assert gm.open_it is gm.open_world  # type: ignore[attr-defined]
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(gm, "no_such_name")


def test_an_old_name_goes_after_one_version() -> None:
    for old, (new, gone_in) in gm._RENAMED.items():
        assert new in gm.__all__
        assert old not in gm.__all__
        assert Version(gm.__version__) < Version(gone_in), f"gm.{old} was to go with version {gone_in}"
    for old, (_, gone_in) in RENAMED.items():
        assert Version(gm.__version__) < Version(gone_in), f"{old} was to go with version {gone_in}"


SLOW = {"play_sweep"}
EXAMPLES = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name in sorted({item.name for item in list_public() if ">>>" in item.doc})
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_what_it_says(name: str, two_days: Layout, tmp_path: Path) -> None:
    layout = Layout(Path(shutil.copytree(two_days.root, tmp_path / "dinner")))
    folder = tmp_path / "folder"
    folder.mkdir()
    given = {"gm": gm, "layout": layout, "opened": gm.open_world(layout.root), "folder": folder}
    tests = doctest.DocTestFinder().find(getattr(gm, name), name, globs=given)
    results = [doctest.DocTestRunner().run(test) for test in tests]
    assert sum(result.attempted for result in results) > 0
    assert not any(result.failed for result in results)


@pytest.mark.slow
def test_a_program_outside_of_the_package_runs_and_is_typed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    root = str(Path(gm.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 True casey-001 ('casey',) 1 6\n"
    # with the settings of the repository, what mypy remembers of it holds here too
    check = [sys.executable, "-m", "mypy", "--strict", str(program)]
    typed = subprocess.run(check, cwd=root, env=environment, capture_output=True, text=True)
    assert typed.stdout == "Success: no issues found in 1 source file\n", typed.stderr


if __name__ == "__main__":
    LIST.write_text(public(), encoding="utf-8")
