"""Whole prompts within a budget: what stands in them, what is left out, and that they say so."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.playing.context import render_request
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.turn_context import Gathered, PieceAtHand, TurnContext, count_called_up
from gm.base.config import ContextSettings, Settings
from gm.base.errors import GmError
from gm.base.tokens import estimate_tokens
from gm.files.packaged.shipped import shipped_prompts
from gm.files.questions.traces import NoTraces
from gm.memory.retrieve import Selection
from gm.model.calendar import SceneRef
from gm.model.node import Node, NodeType
from gm.model.scene import Scene
from gm.model.world import World
from gm.play.fitting import Fitted
from gm.play.question import AskedModels
from gm.play.stage import Stage
from gm.scene.dialogue.turns import Spoken
from tests.build import agent, world

PROMPTS = Prompts(Path("no-prompts-here"), shipped_prompts(), "de")
LONG = "Der Turm steht schief, und wer hineingeht, hört sich selbst zweimal, einmal davor und einmal danach. "


def node(number: int, depth: int = 0, day: int = 1) -> Node:
    kind: NodeType = "reflection" if depth else "observation"
    return Node(f"vera-{number:03d}", f"day-{day:03d}/scene-01", kind, depth, LONG + str(number), 5)


def made(memories: list[Node], limit: int | None = None, **others: object) -> World:
    cast = [replace(agent("vera"), stream=tuple(memories)), agent("emre")]
    values = Settings(context=ContextSettings(prompt_tokens=limit))
    opened = world(*cast, day=9, settings=values)
    return replace(opened, scene_types=PROMPTS.scene_types(), **others)  # type: ignore[arg-type]


def encounter(one: World) -> Scene:
    return Scene(SceneRef(9, 2), one.scene_types["ENCOUNTER"], "noon", "", ("emre", "vera"), "a test", "Emre kommt.")


def talk(lines: int) -> tuple[Spoken, ...]:
    names = ("emre", "vera")
    return tuple(Spoken(names[number % 2], f"Zeile {number}. {LONG}") for number in range(lines))


def stage() -> Stage:
    return Stage(Assembler(PROMPTS), lambda _scene: NoTraces(), 1)


def prompt_of(one: World, moment: TurnContext) -> str:
    return render_request(stage().question(one, encounter(one), "vera", moment).request)


def fitted_of(one: World, moment: TurnContext) -> Fitted:
    return stage().fitted(one, encounter(one), "vera", moment)


def whole(memories: int, lines: int, mind: int, pieces: int) -> tuple[list[Node], TurnContext]:
    stream = [node(number, depth=number % 5 == 0) for number in range(1, memories + 1)]
    gathered = tuple(
        Gathered("goal", (replace(node(number), id=f"vera-{number + 500}"),), ("Kennt man.",)) for number in range(mind)
    )
    found = tuple(PieceAtHand(f"Stück {number}", "emre", f"{LONG}\n\n" * 20) for number in range(pieces))
    return stream, TurnContext(dialogue=talk(lines), gathered=gathered, pieces=found)


def assert_order(found: Fitted, text: str) -> None:
    """Memories come before what is called up, and that before pieces."""
    kept = sum(len(item.description) for item in found.selection.nodes)
    if found.selection.dropped:
        minds = [item for part in found.context.gathered for item in part.nodes]
        assert sum(len(item.description) for item in minds) <= kept
        assert found.selection.nodes or not any(piece.text for piece in found.context.pieces)
    assert all(item.description in text for item in found.selection.nodes)


def assert_used(one: World, found: Fitted, text: str, limit: int) -> None:
    """Where something is left out, the room is used, or the next thing would not fit."""
    free = limit - estimate_tokens(text)
    if free * 20 <= limit:
        return
    if found.context.lines_left_out:
        line = found.whole.dialogue[found.context.lines_left_out - 1]
        assert free <= estimate_tokens(line.text) + FRAME
    elif found.selection.dropped:
        gone = [item for item in one.agents["vera"].stream if item not in found.selection.nodes]
        assert free <= 3 * (estimate_tokens(gone[-1].description) + FRAME), "with what 6 and 7 may have beside it"
    elif found.context.mind_left_out or any(piece.is_cut for piece in found.context.pieces):
        assert free <= max(estimate_tokens(LONG) + FRAME, estimate_tokens(LONG * 2) + FRAME)


FRAME = 40  # tokens: what stands around a line, and what says that something is left out
LEAST = estimate_tokens(prompt_of(made([]), TurnContext()))


@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 8), st.integers(0, 2), st.integers(200, 6_000))
def test_a_prompt_fits_and_nothing_gives_way_before_what_matters_less(
    memories: int, lines: int, mind: int, pieces: int, more: int
) -> None:
    stream, moment = whole(memories, lines, mind, pieces)
    limit = LEAST + more
    one = made(stream, limit)
    found = fitted_of(one, moment)
    text = prompt_of(one, moment)
    assert estimate_tokens(text) <= limit
    assert_order(found, text)
    assert_used(one, found, text, limit)
    granted = limit // 16 + 60  # and what says that something is left out
    sizes = {item.name: item for item in stage().describe(one, encounter(one), "vera", found)}
    if found.context.lines_left_out:
        assert not found.selection.nodes
        assert not count_called_up(found.context)
    if found.context.mind_left_out:
        assert sizes["pieces"].tokens <= granted
    if found.context.lines_left_out or found.selection.dropped:
        assert sizes["pieces"].tokens <= granted
        assert sizes["called_up"].tokens <= granted
    assert ("ausgelassen" in text) == bool(found.context.lines_left_out)
    assert ("der Kopf fehlt" in text) == bool(found.context.mind_left_out)
    assert ("gerade nicht vor Augen" in text) == bool(
        found.selection.dropped or any(piece.is_cut for piece in found.context.pieces)
    )
    assert found == fitted_of(one, moment), "the same world asks the same question"


def test_the_newest_and_the_deepest_insights_are_the_last_to_go() -> None:
    deep = [node(1, 2), node(2, 1), node(3), node(4, 1), node(5), node(6, 3), node(7)]
    stream = [*deep, *(node(number) for number in range(8, 40))]
    left = []
    for limit in range(LEAST + 6_000, LEAST + 40, -20):
        kept = [item.id for item in fitted_of(made(stream, limit), TurnContext()).selection.nodes]
        left.append(kept)
    order = ["vera-003", "vera-005", "vera-007", *(f"vera-{number:03d}" for number in range(8, 40))]
    order += ["vera-002", "vera-004", "vera-001", "vera-006"]
    assert all(set(kept) == set(order[len(order) - len(kept) :]) for kept in left)
    assert all(set(after) <= set(before) for before, after in pairwise(left))
    assert len(left[0]) == len(order)
    assert len(left[-1]) <= 1


def test_the_beginning_of_a_prompt_stays_while_a_talk_grows_by_little() -> None:
    stream = [node(number) for number in range(1, 50)]
    one = made(stream, LEAST + 2_000)
    begins = []
    left_out = []
    for lines in range(20):
        moment = whole(0, lines, 0, 0)[1]
        request = stage().question(one, encounter(one), "vera", moment).request
        begins.append(tuple(block.text for block in request.system))
        left_out.append(fitted_of(one, moment).selection.dropped)
    assert left_out == sorted(left_out)
    assert len(set(begins)) <= 5, "twenty lines, each of which is longer than half a memory"
    assert all(begins[place] == begins[place + 1] for place in range(0, 8, 4))


def test_a_question_that_is_to_be_shorter_keeps_so_much_free() -> None:
    stream, moment = whole(40, 6, 3, 1)
    one = made(stream, LEAST + 1_500)
    question = stage().question(one, encounter(one), "vera", moment)
    assert question.shorter is not None
    free = question.shorter(800).request
    assert estimate_tokens(render_request(free) + "x" * 800) <= LEAST + 1_500
    assert estimate_tokens(render_request(free) + "x" * 800) >= (LEAST + 1_500) * 0.95
    assert stage().question(made(stream), encounter(one), "vera", moment).shorter is None


def test_the_form_of_the_reply_in_words_counts_as_a_part_of_the_prompt() -> None:
    stream, moment = whole(60, 6, 3, 1)
    limit = LEAST + 3_500
    one = made(stream, limit)
    telling = Stage(Assembler(PROMPTS), lambda _scene: NoTraces(), 1, AskedModels(tells_schema=True))
    request = telling.question(one, encounter(one), "vera", moment).request
    told = telling.schema_text(request.schema)
    sent = estimate_tokens(render_request(request) + told)
    assert limit * 0.95 <= sent <= limit
    fitted = telling.fitted(one, encounter(one), "vera", moment)
    sections = telling.describe(one, encounter(one), "vera", fitted)
    sizes = {item.name: item.tokens for item in sections}
    assert sizes["form"] == estimate_tokens(told)
    assert abs(sum(sizes.values()) - sent) <= 2 * len(sizes)
    with pytest.raises(GmError, match="too few for vera"):
        telling.question(made(stream, LEAST + 200), encounter(one), "vera", moment)


def test_a_budget_that_is_too_small_names_the_smallest_that_works() -> None:
    stream, moment = whole(20, 6, 3, 1)
    with pytest.raises(GmError, match="too few for vera") as caught:
        prompt_of(made(stream, 1_000), moment)
    least = int(caught.value.hint.split(" to ")[1].split(" ")[0])
    assert estimate_tokens(prompt_of(made(stream, least), moment)) <= least
    with pytest.raises(GmError, match="too few for vera"):
        prompt_of(made(stream, least - 1), moment)


def test_the_last_line_of_a_talk_always_stands() -> None:
    stream, moment = whole(20, 30, 0, 0)
    with pytest.raises(GmError) as caught:
        prompt_of(made(stream, 1_000), moment)
    least = int(caught.value.hint.split(" to ")[1].split(" ")[0])
    text = prompt_of(made(stream, least), moment)
    assert "Zeile 29." in text
    assert "Zeile 28." not in text
    assert "(Was davor war, ist hier ausgelassen: 29 Zeilen.)" in text


def test_nothing_is_left_out_where_everything_fits() -> None:
    stream, moment = whole(20, 10, 3, 2)
    free, bounded = made(stream), made(stream, LEAST + 20_000)
    assert prompt_of(free, moment) == prompt_of(bounded, moment)
    assert fitted_of(bounded, moment).context == fitted_of(bounded, moment).whole


def test_a_character_whose_memories_have_no_room_is_not_told_that_there_are_none() -> None:
    stream, moment = whole(20, 30, 0, 0)
    found = fitted_of(made(stream, LEAST + 500), moment)
    assert found.selection == Selection("recent", (), (), dropped=20)
    assert "Die Aufzeichnungen beginnen heute" not in prompt_of(made(stream, LEAST + 500), moment)


def test_a_model_may_have_a_budget_of_its_own() -> None:
    values = ContextSettings(prompt_tokens=9_000, prompt_by_model={"small": 4_000})
    assert (values.prompt_for("small"), values.prompt_for("other")) == (4_000, 9_000)
