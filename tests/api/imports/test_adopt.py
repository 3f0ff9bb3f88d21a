"""A world of another tool becomes a gm world; nothing that exists is touched."""

from pathlib import Path

import pytest
import yaml

from gm.api.imports.adopt.adoption import plan_adoption, write_adoption
from gm.api.imports.adopt.personas import draft_persona, find_place
from gm.api.imports.adopt.settings import fit_week
from gm.api.imports.adopt.survey import PersonaSource, guess_language, match_sources
from gm.base.config import parse_settings
from gm.base.errors import errors_in
from gm.files.load import load_world
from gm.model.state import AgentState
from gm.model.world import Agent
from tests.handmade import BROKEN_BULLETIN, fingerprint, make_handmade

PLACES = ("bootshaus", "art-station", "produktionsbuero")


def agent(identifier: str, name: str = "") -> Agent:
    return Agent(identifier, AgentState(name or identifier.title()))


def source(path: str, prose: str = "\nText.\n", **front: object) -> PersonaSource:
    return PersonaSource(path, front, prose)


def test_planning_changes_nothing(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    before = fingerprint(tmp_path)
    adoption = plan_adoption(layout)
    assert [item.path for item in adoption.made] == ["gm.yaml", "state/personas/mina.md", "state/personas/ole.md"]
    assert fingerprint(tmp_path) == before
    assert not layout.derived.exists()


def test_only_new_files_are_made_and_a_second_time_none(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    before = fingerprint(tmp_path)
    write_adoption(layout, plan_adoption(layout))
    after = fingerprint(tmp_path)
    assert {path: digest for path, digest in after.items() if path in before} == before
    assert set(after) - set(before) == {"gm.yaml", "state/personas/mina.md", "state/personas/ole.md"}
    assert not plan_adoption(layout).made
    write_adoption(layout, plan_adoption(layout))
    assert fingerprint(tmp_path) == after


def test_the_settings_fit_what_is_there(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    write_adoption(layout, plan_adoption(layout))
    text = layout.settings.read_text(encoding="utf-8")
    settings, problems = parse_settings(yaml.safe_load(text))
    assert not problems
    assert settings.world.title == tmp_path.name
    assert settings.calendar.weekdays == ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag")
    assert dict(settings.places) == {"bootshaus": "Bootshaus (unten am Wasser)", "steg": "", "leuchtturm": ""}
    assert settings.day.scenes == (2, 2)
    assert '# ueberall: ""' in text
    assert text.count("FILL IN") >= 4


def test_a_persona_is_filled_from_the_roster(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    adoption = plan_adoption(layout)
    mina = next(item for item in adoption.made if item.path.endswith("mina.md"))
    assert mina.source == "roster/mina-soerensen.md"
    write_adoption(layout, adoption)
    loaded = load_world(layout)
    assert not errors_in(loaded.problems)
    persona = loaded.world.agents["mina"].persona
    assert persona is not None
    assert persona.front == {
        "name": "Mina Sörensen",
        "role": "Bootsbauerin",
        "age": 41,
        "pronouns": "sie/ihr",
        "home": "bootshaus",
    }
    assert persona.prose == "# Mina\n\nMina redet wenig und meint es so."


def test_no_character_is_made_up_where_nothing_is_known(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    write_adoption(layout, plan_adoption(layout))
    persona = load_world(layout).world.agents["ole"].persona
    assert persona is not None
    assert persona.front == {"name": "Ole"}
    assert persona.prose == ""


def test_what_exists_already_stays(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.settings.write_text("language: en  # mine\nplaces: {hafen: x}\n", encoding="utf-8")
    layout.personas.mkdir()
    layout.persona("ole").write_text("Ole.\n", encoding="utf-8")
    adoption = plan_adoption(layout)
    assert [item.path for item in adoption.made] == ["state/personas/mina.md"]
    assert adoption.kept == ("gm.yaml", "state/personas/ole.md")
    assert "home: bootshaus" not in adoption.made[0].text
    write_adoption(layout, adoption)
    assert layout.settings.read_text(encoding="utf-8").startswith("language: en  # mine\n")


def test_what_cannot_be_read_is_named_and_does_not_stop_it(tmp_path: Path) -> None:
    adoption = plan_adoption(make_handmade(tmp_path, bulletin=BROKEN_BULLETIN))
    assert [(item.path, item.line, item.column) for item in adoption.problems] == [("state/bulletin.json", 4, 5)]
    assert len(adoption.made) == 3


def test_agent_definitions_of_an_assistant_are_found(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    (tmp_path / "roster" / "mina-soerensen.md").unlink()
    folder = tmp_path / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "ole.md").write_text("---\nname: ole\ndescription: x\nmodel: opus\n---\nDu bist Ole.\n", encoding="utf-8")
    (folder / "reviewer.md").write_text("---\nname: reviewer\n---\nReviews code.\n", encoding="utf-8")
    made = {item.path: item for item in plan_adoption(layout).made}
    ole = made["state/personas/ole.md"]
    assert ole.source == ".claude/agents/ole.md"
    assert "name: Ole\n" in ole.text
    assert "model: opus" not in ole.text
    assert "# not taken over: description, model\n" in ole.text
    assert ole.text.endswith("---\nDu bist Ole.\n")
    assert made["state/personas/mina.md"].source is None


@pytest.mark.parametrize(
    ("path", "front", "why"),
    [
        ("roster/x.md", {"sprite": "LEO"}, "its id"),
        ("roster/leo.md", {}, "its file name"),
        ("roster/x.md", {"name": "Leonie Fuchs"}, "its name"),
        ("roster/leonie-fuchs.md", {}, "its file name"),
        ("roster/leo-of-the-hill.md", {}, "the beginning of its file name"),
        ("roster/x.md", {"name": "Leo vom Hügel"}, "the beginning of its name"),
        ("roster/x.md", {"name": 'Leonore "Leo" Fuchs'}, "a part of its name"),
    ],
)
def test_a_source_is_recognised_by_names(path: str, front: dict[str, object], why: str) -> None:
    match = match_sources([agent("leo", "Leonie Fuchs")], [PersonaSource(path, front, "")])["leo"]
    assert match.why == why


def test_a_source_describes_one_agent_and_the_best_one_is_taken() -> None:
    sources = [source("roster/mina-leo.md"), source("roster/leo.md"), source("cast/leo-b.md")]
    matches = match_sources([agent("leo"), agent("mina")], sources)
    assert matches["leo"].source.path == "roster/leo.md"
    assert matches["leo"].others == ("cast/leo-b.md",)
    assert matches["mina"].source.path == "roster/mina-leo.md"


def test_a_name_that_is_a_part_of_another_word_is_no_match() -> None:
    assert match_sources([agent("al")], [source("agents/alex.md", name="Alexander")]) == {}


def test_a_reply_format_in_the_prose_is_pointed_out() -> None:
    prose = "\nMina.\n\n## Antwortformat\nHANDLUNG: …\n"
    match = match_sources([agent("mina")], [source("roster/mina.md", prose, role="x", home="bootshaus")])["mina"]
    written = draft_persona(agent("mina"), match, PLACES)
    assert len(written.fill_in) == 1
    assert "reply format" in written.fill_in[0]
    assert written.text.endswith(prose)


def test_prose_with_carriage_returns_keeps_them() -> None:
    match = match_sources([agent("mina")], [source("roster/mina.md", "Eins.\r\nZwei.\r\n")])["mina"]
    text = draft_persona(agent("mina"), match, PLACES).text
    assert "\n" not in text.replace("\r\n", "")


@pytest.mark.parametrize(
    ("workspace", "place"),
    [
        ("Art Station (Zimmer 7b)", "art-station"),
        ("Produktionsbüro (Zimmer 7, geteilt)", "produktionsbuero"),
        ("Werkbank / Bootshaus", "bootshaus"),
        ("Dachboden", None),
        ("", None),
    ],
)
def test_a_workspace_is_a_known_place_or_none(workspace: str, place: str | None) -> None:
    assert find_place(workspace, PLACES) == place


FIVE = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag")


@pytest.mark.parametrize(
    ("days", "names"),
    [
        ({3: "Mittwoch"}, FIVE),
        ({8: "mittwoch"}, FIVE),
        ({8: "Montag"}, (*FIVE, "Samstag", "Sonntag")),
        ({5: "Freitag", 6: "Sonnabend"}, (*FIVE, "Samstag", "Sonntag")),
        ({5: "Fr", 6: "Sa"}, (*FIVE, "Samstag", "Sonntag")),
        (
            {1: "Wednesday", 2: "Thursday"},
            ("Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday"),
        ),
        ({1: "Donnerstag", 2: "Freitag", 3: "Montag"}, ("Donnerstag", "Freitag", "Montag", "Dienstag", "Mittwoch")),
        ({2: "Nebeltag"}, ()),
        ({}, FIVE),
    ],
)
def test_the_week_gives_every_known_day_its_name(days: dict[int, str], names: tuple[str, ...]) -> None:
    assert fit_week(days, "de").names == names


def test_the_language_is_guessed_only_where_it_is_clear() -> None:
    assert guess_language(["Das ist nicht der Anfang und nicht das Ende. "] * 5).language == "de"
    assert guess_language(["This is not the end, and it is not what they have. "] * 5).language == "en"
    assert guess_language(["Das ist nicht der Anfang. This is not the end, and it is not."] * 9).language is None
    assert guess_language(["Das ist es nicht."]).language is None
