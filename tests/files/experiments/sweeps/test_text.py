"""The file of a sweep: what it means, and how its mistakes are named."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.errors import Problem
from gm.files.experiments.sweeps.folder import Sweep, name_run, nest_value
from gm.files.experiments.sweeps.text import parse_sweep

MEASURES = ("promises", "plans", "leaks")
HEAD = "template: dinner\ndays: 2\n"


def read(text: str, folder: Path) -> Sweep:
    sweep, problems = parse_sweep(dedent(text), "s.yaml", folder, measures=MEASURES)
    assert sweep is not None, list(map(str, problems))
    return sweep


def mistakes(text: str, folder: Path) -> list[Problem]:
    sweep, problems = parse_sweep(text, "s.yaml", folder, measures=MEASURES)
    assert sweep is None
    return problems


def test_a_matrix_is_multiplied_and_a_list_is_added(tmp_path: Path) -> None:
    sweep = read(
        """
        template: dinner
        days: 3
        briefs: {cold: {3: The oven is dead., 2: [One., Two.]}}
        all: {day.scenes: [3, 3]}
        matrix:
          seed: 1..2
          briefs: [none, cold]
        runs:
          - {seed: 9, weights.promise: 0.5}
        """,
        tmp_path,
    )
    assert [run.name for run in sweep.runs] == [
        "seed=1,briefs=none",
        "seed=1,briefs=cold",
        "seed=2,briefs=none",
        "seed=2,briefs=cold",
        "seed=9,weights.promise=0.5",
    ]
    assert sweep.varied == ("seed", "briefs", "weights.promise")
    assert sweep.runs[1].briefs == ((2, "One."), (2, "Two."), (3, "The oven is dead."))
    assert sweep.runs[0].briefs == ()
    assert sweep.runs[4].settings == {"day.scenes": [3, 3], "seed": 9, "weights.promise": 0.5}


def test_a_run_overrides_what_all_share(tmp_path: Path) -> None:
    sweep = read("template: dinner\ndays: 1\nall: {seed: 5}\nruns: [{seed: 6}, {weights.promise: 1}]\n", tmp_path)
    assert [run.settings["seed"] for run in sweep.runs] == [6, 5]


def test_every_condition_has_every_seed(tmp_path: Path) -> None:
    sweep = read(
        """
        template: dinner
        days: 1
        all: {reflection.enabled: true, weights.promise: 2}
        seeds: 1..2
        measures: [plans, promises, plans]
        conditions:
          full:
          bare: {reflection.enabled: false}
        """,
        tmp_path,
    )
    assert [run.name for run in sweep.runs] == [
        "condition=full,seed=1",
        "condition=full,seed=2",
        "condition=bare,seed=1",
        "condition=bare,seed=2",
    ]
    assert sweep.runs[3].settings == {"reflection.enabled": False, "weights.promise": 2, "seed": 2}
    assert sweep.varied == ("condition", "seed")
    assert [one.name for one in sweep.conditions] == ["full", "bare"]
    assert sweep.measures == ("plans", "promises")


def test_conditions_alone_are_runs(tmp_path: Path) -> None:
    sweep = read("template: dinner\ndays: 1\nconditions: {a: {seed: 1}, b: {seed: 2}}\n", tmp_path)
    assert [(run.name, run.settings) for run in sweep.runs] == [
        ("condition=a", {"seed": 1}),
        ("condition=b", {"seed": 2}),
    ]


def test_what_is_said_instead_takes_the_place_of_the_files_own(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    text = "template: dinner\ndays: 1\nseeds: 1..6\n"
    instead = {"world": str(tmp_path / "mine"), "days": 3, "seeds": "4..5"}
    sweep, problems = parse_sweep(text, "s.yaml", Path("elsewhere"), instead=instead)
    assert sweep is not None, problems
    assert (sweep.world, sweep.template, sweep.days) == (tmp_path / "mine", "", 3)
    assert [run.name for run in sweep.runs] == ["seed=4", "seed=5"]


@pytest.mark.parametrize(
    ("text", "place", "code", "said"),
    [
        (HEAD + "matrix: {weights.promis: [1]}\n", (3, 10), "setting-unknown", "did you mean promise?"),
        (HEAD + "matrix: {retreival.strategy: [tags]}\n", (3, 10), "setting-unknown", "did you mean retrieval?"),
        (HEAD + "matrix: {seed: [1, two]}\n", (3, 20), "setting-value", 'seed is "two"'),
        (HEAD + "matrix:\n  seed: 4\n", (4, 9), "sweep-matrix", "expected a list"),
        (HEAD + "matrix: {seed: 1..99999}\n", (3, 16), "sweep-matrix", "at most 10,000 runs"),
        (HEAD + "seeds: 6..1\n", (3, 8), "sweep-matrix", "which runs backwards"),
        (HEAD + "seeds: 1\n", (3, 8), "sweep-seeds", "seeds is 1, expected a list"),
        (HEAD + "matrix: {promts: [none]}\n", (3, 10), "setting-unknown", "did you mean prompts?"),
        (HEAD + "matrix: {prompts: [nowhere]}\n", (3, 20), "sweep-prompts", 'no folder "nowhere"'),
        (HEAD + "matrix: {briefs: [colt]}\nbriefs: {cold: {2: x}}\n", (3, 19), "sweep-briefs", "did you mean cold?"),
        (HEAD + "briefs: {cold: {zero: x}}\nruns: [{seed: 1}]\n", (3, 17), "sweep-briefs", "not a story day"),
        (HEAD + "briefs: {cold: {2: 7}}\nruns: [{seed: 1}]\n", (3, 20), "sweep-briefs", "expected a text"),
        (HEAD + "runs: [{seed: 1}, {seed: 1}]\n", (3, 19), "sweep-twice", "seed=1 occurs twice"),
        (HEAD + "runs: [7]\n", (3, 8), "sweep-runs", "expected {key: value}"),
        (HEAD + "matrics: {seed: [1]}\n", (3, 1), "sweep-key", "did you mean matrix?"),
        ("template: diner\ndays: 2\nruns: [{seed: 1}]\n", (1, 11), "sweep-base", "did you mean dinner?"),
        ("world: nowhere\ndays: 2\nruns: [{seed: 1}]\n", (1, 8), "sweep-base", "no folder 'nowhere'"),
        ("days: 2\nruns: [{seed: 1}]\n", (1, 1), "sweep-base", "neither world nor template"),
        ("template: dinner\ndays: 0\nruns: [{seed: 1}]\n", (2, 7), "sweep-days", "from 1 to"),
        (HEAD, (1, 1), "sweep-empty", "nothing is varied"),
        (HEAD + "days: 3\nruns: [{seed: 1}]\n", (3, 1), "key-twice", "twice"),
        (HEAD + "matrix: [\n", (3, 9), "yaml-syntax", "not YAML"),
        ("- 1\n", (1, 1), "sweep-form", "expected a mapping"),
        (HEAD + "conditions: [full]\n", (3, 13), "sweep-conditions", 'conditions is ["full"]'),
        (HEAD + "conditions: {}\n", (3, 13), "sweep-conditions", "conditions: {full"),
        (HEAD + "conditions: {../up: {}}\n", (3, 14), "sweep-conditions", 'cannot be called "../up"'),
        (HEAD + "conditions: {a: {}, A: {}}\n", (3, 21), "sweep-conditions", "A occurs twice"),
        (HEAD + "conditions: {a: 7}\n", (3, 17), "sweep-values", "expected {key: value}"),
        (HEAD + "conditions: {a: {plans.enable: false}}\n", (3, 18), "setting-unknown", "did you mean enabled?"),
        (HEAD + "conditions: {a: {seed: 1}}\nseeds: 1..2\n", (3, 18), "sweep-conditions", "varied for all of them"),
        (HEAD + "matrix: {seed: [1]}\nseeds: [2]\n", (4, 1), "sweep-seeds", "varied by matrix too"),
        (HEAD + "seeds: [1, two]\n", (3, 12), "setting-value", 'seed is "two"'),
        (
            HEAD + "conditions: {a: {}}\nmeasures: plans\n",
            (4, 11),
            "sweep-measures",
            "measures: [promises, plans]",
        ),
        (HEAD + "conditions: {a: {}}\nmeasures: [plan]\n", (4, 12), "sweep-measures", "did you mean plans?"),
        (HEAD + "conditions: {a: {}}\ncanaries: [a=b]\n", (4, 11), "sweep-canaries", "measures: [leaks]"),
        (HEAD + "conditions: {a: {}}\nmeasures: [leaks]\ncanaries: [1]\n", (5, 12), "sweep-canaries", "WORD=agent"),
        (HEAD + "conditions: {a: {}}\nmeasures: [leaks]\ncanaries: x\n", (5, 11), "sweep-canaries", "WORD=agent"),
    ],
)
def test_a_mistake_is_named_at_its_place(
    tmp_path: Path, text: str, place: tuple[int, int], code: str, said: str
) -> None:
    problems = mistakes(text, tmp_path)
    (found,) = [problem for problem in problems if problem.code == code]
    assert (found.line, found.column) == place
    assert said in f"{found.message} {found.hint}"


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    problems = mistakes("template: dinner\ndays: x\nmatrix: {seed: [-1], model: [7]}\nextra: 1\n", tmp_path)
    assert [problem.line for problem in problems] == [2, 3, 3, 4]


def test_a_name_that_a_folder_cannot_have_is_told_by_a_digest() -> None:
    plain, other = name_run({"world.title": "Zeit & Brot"}), name_run({"world.title": "Zeit / Brot"})
    assert plain.startswith("world.title=Zeit-Brot~")
    assert plain != other
    assert "/" not in other
    assert len(name_run({"world.title": "a" * 500})) <= 120


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,9}(\.[a-z]{1,9})?", fullmatch=True), st.text() | st.integers(), min_size=1)
)
def test_a_name_is_a_folder_of_its_own(own: dict[str, str | int]) -> None:
    name = name_run(own)
    assert name == name_run(dict(own))
    assert "/" not in name
    assert "\0" not in name
    assert name not in (".", "..")
    assert len(name) <= 120


@given(st.text())
def test_no_text_crashes_the_reader(text: str) -> None:
    sweep, problems = parse_sweep(text, "s.yaml", Path("/nonexistent"))
    assert (sweep is None) == bool(problems)


def test_a_dotted_key_means_sections() -> None:
    assert nest_value("a.b.c", 1) == {"a": {"b": {"c": 1}}}


@pytest.mark.parametrize("values", ["{persona.mina: x}", "{personas.mina: x}", "{personas: {mina: x}}"])
def test_a_persona_as_a_condition_is_pointed_to_two_worlds(values: str, tmp_path: Path) -> None:
    text = HEAD + f"seeds: [1]\nconditions: {{full: {{}}, other: {values}}}\n"
    _, (problem,) = parse_sweep(text, "s.yaml", tmp_path)
    assert problem.code == "setting-unknown"
    assert "a persona is a file, not a setting: make two worlds" in (problem.hint or "")


def test_a_misspelt_setting_of_personas_is_still_a_misspelt_setting(tmp_path: Path) -> None:
    _, (problem,) = parse_sweep(HEAD + "seeds: [1]\nall: {persona.consul: true}\n", "s.yaml", tmp_path)
    assert problem.hint == "did you mean consult?"
