"""What a month of rehearsed days begins comes to an end: appointments, plans; and nobody is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.outcomes import Outcomes, Planned, outcomes_of
from gm.api.worlds.create import create_world
from tests.stories.playing import play

AWAY = {
    "studio": {"Montag": "emre", "Dienstag": "finn", "Mittwoch": "nami", "Donnerstag": "leo", "Freitag": "vera"},
    "dinner": {"Tuesday": "casey", "Friday": "alex"},
}


def played(folder: Path, name: str, days: int, *, away: bool = False, seed: int = 1) -> Outcomes:
    layout, planned = create_world(folder / f"{name}-{seed}", name), Planned()
    if away:
        off = ", ".join(f"{{who: {who}, weekday: {weekday}}}" for weekday, who in AWAY[name].items())
        text = layout.settings.read_text(encoding="utf-8")
        layout.settings.write_text(text.replace("\ncalendar:\n", f"\ncalendar:\n  away: [{off}]\n"), "utf-8")
    play(layout, days=days, report=planned, seed=seed)
    return outcomes_of(layout, planned)


def nothing_is_left(found: Outcomes) -> bool:
    return (found.lost, found.alone, found.vague) == ((), (), ())


def test_in_a_day_every_item_of_a_plan_comes_to_something_and_no_character_is_alone(tmp_path: Path) -> None:
    found = played(tmp_path, "dinner", days=1)
    assert nothing_is_left(found), found
    assert found.items >= 5


@pytest.mark.soak
@pytest.mark.parametrize("name", AWAY)
def test_in_thirty_days_every_appointment_is_held_or_remembered_and_no_character_is_alone(
    tmp_path: Path, name: str
) -> None:
    months = [played(tmp_path, name, days=30, away=True, seed=seed) for seed in (1, 2, 3)]
    for found in months:
        assert nothing_is_left(found), found
        assert found.items >= 200
    # how many appointments one month has is a matter of the dice
    assert sum(found.agreed["kept"] for found in months) >= 5 * len(months)
    assert sum(found.agreed["missed"] for found in months) >= len(months)
