"""A character that shows a name it was never told is found; a world in which everybody was told has no leak."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.memory import NewMemory, add_memory
from gm.api.experiments.evaluate.evaluation import describe_evaluation
from gm.api.experiments.evaluate.leaks import coined_names
from gm.api.experiments.evaluate.measure import Case, Measured
from gm.api.experiments.evaluate.report import canary_lines
from gm.api.worlds.create import create_world
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.model.calendar import SceneRef
from tests.api.experiments.evaluate.disclosure import disclosure
from tests.stories.playing import play, records

NAME = "Rabanus Quittek"


def measured(layout: Layout, *canaries: str, first: int | None = None, last: int | None = None) -> Measured:
    return describe_evaluation(layout, ["leaks"], first, last, canaries).measures[0]


def value(found: Measured, name: str, of: str = "all") -> float | None:
    return next(figure.value for figure in found.figures if (figure.of, figure.name) == (of, name))


def plant_canary(layout: Layout, agent: str, word: str) -> None:
    """Let only one character know a word, by a memory."""
    add_memory(layout, agent, NewMemory(f"Nur ich kenne {word}.", at="day-001/scene-01"))


def say(layout: Layout, day: int, scene: int, agent: str, text: str) -> None:
    """Put a sentence into the mouth of a character in a scene."""
    path = layout.day_log(day)
    lines: list[dict[str, Any]] = records(path)
    entry = next(line for line in lines if line.get("scene") == scene)
    assert agent in entry["participants"]
    entry["dialogue"].append({"agent": agent, "text": text})
    entry["turns"].append({"agent": agent, "round": 9, "lines": [{"to": "", "text": text}]})
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture(scope="module")
def _recorded(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return create_world(tmp_path_factory.mktemp("recorded") / "studio", "studio", days=3)


@pytest.fixture
def days(_recorded: Layout, tmp_path: Path) -> Layout:
    """Three days as language models played them."""
    return Layout(Path(shutil.copytree(_recorded.root, tmp_path / "studio")))


def scenes_of(layout: Layout, day: int) -> dict[int, list[str]]:
    return {line["scene"]: line["participants"] for line in records(layout.day_log(day)) if "scene" in line}


def apart(layout: Layout) -> tuple[tuple[int, str], tuple[int, str]]:
    """Find two scenes of the second day, and in each one who is not in the other."""
    small = [(scene, cast) for scene, cast in scenes_of(layout, 2).items() if len(cast) == 2]
    return next(
        ((one, here[0]), (other, there[0]))
        for one, here in small
        for other, there in small
        if one < other and not set(here) & set(there)
    )


def test_a_rehearsed_world_has_uses_and_no_leak(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "dinner", "dinner")
    play(layout, days=6)
    found = measured(layout)
    assert found.cases == ()
    assert value(found, "leaks") == 0


def test_three_played_days_have_uses_and_no_leak(days: Layout) -> None:
    found = measured(days)
    assert found.cases == ()
    assert value(found, "leaks") == value(found, "share of words of others") == 0
    assert next(figure.count for figure in found.figures) > 10


def test_a_planted_leak_is_found_where_it_is_said(days: Layout) -> None:
    (first, one), (later, other) = apart(days)
    say(days, 2, first, one, f"Gestern schrieb mir {NAME}, und Rabanus hatte recht.")
    say(days, 2, later, other, f"Ich denke an {NAME}.")
    found = measured(days)
    assert {(case.agent, case.at) for case in found.cases} == {(other, str(SceneRef(2, later)))}
    assert {case.text.partition(":")[0] for case in found.cases} == {
        f"{word} (first by {one}, {SceneRef(2, first)})" for word in ("rabanus", "quittek")
    }
    assert value(found, "leaks", other) == 2
    assert value(found, "leaks", one) in (0, None)


def test_a_piece_of_the_evening_is_younger_than_the_scenes_of_its_day(days: Layout) -> None:
    (first, one), (_, other) = apart(days)
    say(days, 2, first, one, f"Gestern schrieb mir {NAME}.")
    piece = days.gallery / "writing" / "day-002_brief_v1.md"
    piece.parent.mkdir(exist_ok=True)
    piece.write_text(f"---\ntitle: Brief\nagent: {other}\ncreated: day-002\n---\n\nEs kam {NAME}.\n", encoding="utf-8")
    assert {case.agent for case in measured(days).cases} == {other}, "who made the piece was never told of the name"


def test_what_was_told_in_a_scene_is_no_leak(days: Layout) -> None:
    (first, one), _ = apart(days)
    heard = next(name for name in scenes_of(days, 2)[first] if name != one)
    later = next(scene for scene, cast in scenes_of(days, 3).items() if heard in cast)
    say(days, 2, first, one, f"Gestern schrieb mir {NAME}.")
    say(days, 3, later, heard, f"Ich denke an {NAME}.")
    assert measured(days).cases == ()


def test_days_before_the_span_tell_but_are_not_counted(days: Layout) -> None:
    (first, one), (later, other) = apart(days)
    say(days, 2, first, one, f"Gestern schrieb mir {NAME}.")
    say(days, 2, later, other, f"Ich denke an {NAME}.")
    assert len(measured(days, last=2).cases) == 2
    assert measured(days, first=3).cases == ()


def test_a_planted_canary_is_found(days: Layout) -> None:
    _, (later, other) = apart(days)
    owner = next(name for name in days.agent_names() if name not in scenes_of(days, 2)[later])
    plant_canary(days, owner, "Grünspecht")
    clean = measured(days, f"Grünspecht={owner}")
    say(days, 2, later, other, "Wo ist der grünspecht?")
    found = measured(days, f"Grünspecht={owner}")
    assert clean.cases == ()
    assert value(clean, "canaries leaked") == value(clean, "canaries used") == 0
    assert [(case.agent, case.at) for case in found.cases] == [(other, str(SceneRef(2, later)))]
    assert found.cases[0].text.startswith(f"grünspecht (first by {owner}, day-001/scene-01): ")
    assert value(found, "canaries leaked") == pytest.approx(1 / 6)


def test_who_heard_a_canary_may_say_it(days: Layout) -> None:
    (first, one), _ = apart(days)
    heard = next(name for name in scenes_of(days, 2)[first] if name != one)
    later = next(scene for scene, cast in scenes_of(days, 3).items() if heard in cast)
    say(days, 2, first, one, "Ein Grünspecht!")
    say(days, 3, later, heard, "Ein Grünspecht, sagst du.")
    found = measured(days, f"Grünspecht={one}")
    assert found.cases == ()
    assert value(found, "canaries used") == pytest.approx(1 / 6), "told, and passed on"
    (traced,) = found.canaries
    assert (traced.word, traced.known, traced.used) == ("grünspecht", (one,), (heard,))
    assert set(traced.heard) == {*scenes_of(days, 2)[first], *scenes_of(days, 3)[later]} - {one}
    assert canary_lines(found)[0].startswith(f"grünspecht: known to {one}; heard by ")


@pytest.mark.parametrize("said", ["Grünspecht", "=vera", "12=vera", "zebra-4711=vera", "agent007=vera"])
def test_what_is_no_canary_is_refused(days: Layout, said: str) -> None:
    with pytest.raises(UsageError, match="is not a canary"):
        measured(days, said)


def test_one_canary_is_given_once(days: Layout) -> None:
    with pytest.raises(UsageError, match="'grünspecht' is given twice"):
        measured(days, "Grünspecht=vera", "grünspecht=leo")


def test_a_canary_of_an_unknown_character_is_refused(days: Layout) -> None:
    with pytest.raises(UsageError, match="nobody here is called 'veera'"):
        measured(days, "Grünspecht=veera")


def test_a_world_without_days_has_nothing_to_count(tmp_path: Path) -> None:
    found = measured(create_world(tmp_path / "dinner", "dinner"))
    assert found.missing == "no scene was played"
    assert found.figures == ()


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("de", "Sie sitzt auf Merles Platz, und Merle lacht.", {"merle"}),
        ("de", "Da steht Jobst Kehrein. Hier schläft Jobst Kehrein.", {"jobst", "kehrein"}),
        ("de", "Ich frage Frau Maun.", {"maun"}),
        ("de", "Sie trägt die Brusttasche und eine Handkante, dazu Zitronenkuchen und Strümpfe.", set()),
        ("de", "Sie holt Papas Hut.", set()),
        ("de", "Er legt das Anfangs Herd hin, ein Anfang.", set()),
        ("en", "I wrote to Odile about it. The letter came back.", {"odile"}),
        ("en", "Later the Later came later.", set()),
        ("en", "I wrote to Alex.", set()),
    ],
)
def test_names_are_told_from_nouns(language: str, text: str, names: set[str]) -> None:
    assert coined_names([disclosure(text)], ["alex"], language) == {(name,) for name in names}


def test_a_case_is_a_line(days: Layout) -> None:
    (first, one), (later, other) = apart(days)
    say(days, 2, first, one, f"Da war {NAME}.")
    say(days, 2, later, other, "Lang\n" * 60 + f"Ich denke an {NAME}.")
    case: Case = measured(days).cases[0]
    assert "\n" not in case.text
    assert "Rabanus" in case.text
