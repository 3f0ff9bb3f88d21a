"""Nobody's prompt ever contains what they could not know: thirty rehearsed days, looked through prompt by prompt."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gm.api.editing.board import put_up_brief, put_up_feedback
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.model.calendar import SceneRef
from tests.stories.leaks import Shown, find_leaks, prompts_of
from tests.stories.playing import play, records

DAYS = 30
BRIEF_EVERY = 6


def with_layers(layout: Layout) -> Layout:
    """Let everybody have relationships and a diary."""
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write("\nrelationships: on\ndiary: on\n")
    return layout


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = with_layers(create_world(tmp_path_factory.mktemp("month") / "studio", "studio"))
    for day in range(DAYS):
        if day % BRIEF_EVERY == 3:
            put_up_brief(
                layout, f"Nach Tag {day}: Ich will eine Sache weniger sehen als gestern, und ihr wählt, welche."
            )
            put_up_feedback(layout, newest_piece(layout), "Zu glatt; wo ist hier der Dreck an den Kanten geblieben?")
        play(layout)
    return layout


def newest_piece(layout: Layout) -> str:
    pieces = [
        path
        for day in layout.logged_days()
        for entry in records(layout.day_log(day))
        for path in entry.get("artifacts", [])
    ]
    return str(pieces[-1])


@pytest.fixture(scope="module")
def prompts(month: Layout) -> list[Shown]:
    return list(prompts_of(month, range(1, DAYS + 1)))


@pytest.mark.soak
def test_no_prompt_of_thirty_days_says_what_its_character_could_not_know(month: Layout, prompts: list[Shown]) -> None:
    assert len(prompts) > 25 * DAYS
    assert find_leaks(month, prompts) == []


def with_text(prompt: Shown, text: str) -> Shown:
    return replace(prompt, blocks=(*prompt.blocks[:-1], f"{prompt.blocks[-1]}\n\n{text}\n"))


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = with_layers(create_world(tmp_path_factory.mktemp("days") / "studio", "studio"))
    play(layout, days=3)
    return layout


@pytest.mark.matrix
@pytest.mark.parametrize(
    "what", ["memory", "thought", "dialogue", "persona", "artifact", "plan", "action", "diary", "relationship"]
)
def test_a_planted_secret_is_found(days: Layout, what: str) -> None:
    """A check that finds nothing is worth something only if it would find something."""
    prompts = list(prompts_of(days, [1, 2, 3]))
    clean = find_leaks(days, prompts)
    planted = [with_text(prompts[-1], text) for text in private(days, prompts[-1].who, what)]
    found = [leak for prompt in planted for leak in find_leaks(days, [prompt])]
    assert clean == []
    assert what in {leak.what for leak in found}


def private(layout: Layout, who: str, what: str) -> list[str]:
    """Return some texts that other characters keep to themselves."""
    entries = [entry for day in layout.logged_days() for entry in records(layout.day_log(day))]
    others = [entry for entry in entries if who not in entry.get("participants", [who])]
    match what:
        case "memory":
            other = next(name for name in layout.agent_names() if name != who)
            node = records(layout.stream(other))[1]
            return [f"- `{node['id']}` Tag 1, Szene 1 · Erlebt · 5: {node['description']}"]
        case "thought":
            return [item["text"] for entry in entries for item in entry.get("thoughts", []) if item["agent"] != who][:8]
        case "dialogue":
            return [item["text"] for entry in others for item in entry["dialogue"]][:8]
        case "action":
            return [item["text"] for entry in others for item in entry["actions"]][:8]
        case "artifact":
            paths = sorted({path for entry in others for path in entry["artifacts"]})
            return [line for path in paths for line in (layout.root / path).read_text().splitlines()[12:]][:20]
        case "diary":
            other = next(name for name in layout.agent_names() if name != who)
            return [entry["text"] for entry in records(layout.layer(DIARY, other))]
        case "relationship":
            histories = [layout.layer(RELATIONSHIPS, name, HISTORY) for name in layout.agent_names() if name != who]
            return [line["why"] for path in histories for line in records(path) if line["why"]]
        case "plan":
            states = [layout.agent(name).read_text() for name in layout.agent_names() if name != who]
            return [line.strip(' ",') for state in states for line in state.splitlines() if "Arbeiten an" in line]
        case _:
            other = next(name for name in layout.agent_names() if name != who)
            return [line for line in layout.persona(other).read_text().splitlines()[-3:] if line]


def test_a_post_that_never_hung_on_the_board_is_found(days: Layout) -> None:
    prompt = Shown("vera", SceneRef(2, 3), ("## Am Schwarzen Brett\n\n- Creative Director (Tag 1): Alles neu.\n",))
    assert [leak.what for leak in find_leaks(days, [prompt])] == ["post"]


def test_a_template_that_tells_too_much_is_found(tmp_path: Path) -> None:
    """The same through a world's own template: it shows everybody a sentence out of one persona."""
    layout = create_world(tmp_path / "studio", "studio")
    line = layout.persona("vera").read_text(encoding="utf-8").splitlines()[-1]
    shutil.copytree(Path(__file__).parents[2] / "prompts", layout.prompts, dirs_exist_ok=True)
    template = layout.prompts / "pieces.j2"
    template.write_text(template.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    play(layout)
    leaks = find_leaks(layout, prompts_of(layout, [1]))
    assert {leak.what for leak in leaks} == {"persona"}
    assert "vera" not in {leak.who for leak in leaks}
