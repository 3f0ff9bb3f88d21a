import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.scene.pieces.names import artifact_path, slug
from tests.build import never

PATH = re.compile(r"^gallery/[a-z0-9-]+/day-\d{3,}_[a-z0-9-]+_v\d+\.md\Z")
HOSTILE = [
    "",
    " ",
    "../../x",
    "/etc/passwd",
    "C:\\x",
    "..",
    ".",
    "con",
    "NUL",
    "lpt1",
    "com9.md",
    "a\x00b",
    "a\nb",
    "---",
    "_v1",
    "x" * 10_000,
    "-" * 10_000,
    "ä" * 10_000,
    "wort " * 2_000,
    "火の塔",
    "🔥",
    "%2e%2e%2f",
    "~root",
    "$(id)",
]


@given(st.text() | st.sampled_from(HOSTILE), st.text() | st.sampled_from(HOSTILE), st.integers(0, 5000))
def test_a_path_has_one_form_for_any_title(kind: str, title: str, day: int) -> None:
    path = artifact_path(day, kind, title, never)
    assert PATH.match(path)
    assert len(path) < 160


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_stay_in_the_gallery(hostile: str) -> None:
    assert PATH.match(artifact_path(3, hostile, hostile, never))


@given(st.text())
def test_a_slug_is_words_with_single_hyphens_between(text: str) -> None:
    made = slug(text, "untitled")
    assert re.match(r"[a-z0-9]+(-[a-z0-9]+)*\Z", made)
    assert len(made) <= 60


@given(st.text())
def test_a_slug_of_a_slug_is_itself(text: str) -> None:
    assert slug(slug(text, "untitled"), "untitled") == slug(text, "untitled")


@pytest.mark.parametrize(
    ("title", "made"),
    [
        ("Die Knochentürme", "die-knochentuerme"),
        ("Die Knochentu\u0308rme", "die-knochentuerme"),
        ("Große Öde: Teil 2", "grosse-oede-teil-2"),
        ("Café à la carte", "cafe-a-la-carte"),
        ("../../x", "x"),
        ("CON", "untitled"),
        ("con cerne", "con-cerne"),
        ("火", "untitled"),
    ],
)
def test_titles_become_file_names(title: str, made: str) -> None:
    assert slug(title, "untitled") == made


def test_a_long_title_is_cut_between_words() -> None:
    made = slug("Was die Asche behält und was sie wieder hergibt wenn der Stundenwind kommt", "untitled")
    assert made == "was-die-asche-behaelt-und-was-sie-wieder-hergibt-wenn-der"


def test_a_long_title_is_not_cut_down_to_a_reserved_name() -> None:
    assert slug("con " + "x" * 80, "untitled") == "untitled"


def test_the_version_counts_up_until_the_path_is_free() -> None:
    taken = {"gallery/audio/day-003_wind_v1.md", "gallery/audio/day-003_wind_v2.md"}
    assert artifact_path(3, "Audio", "Wind", taken.__contains__) == "gallery/audio/day-003_wind_v3.md"


def test_work_without_a_usable_kind_or_title_has_a_place_too() -> None:
    assert artifact_path(12, "", "!!!", never) == "gallery/misc/day-012_untitled_v1.md"
