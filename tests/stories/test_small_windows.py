"""Worlds in models with small windows: the short prompts, and how prompt and answer share a window."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gm.api.playing.context import Context, ContextOptions, describe_context, render_request
from gm.ask.prompt.context import Assembler
from gm.ask.reply.schema import schema_of
from gm.base.config import LlmSettings
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.layers import LAYERS
from gm.llm.base import Request
from gm.memory.retrieve import Selection
from gm.model.scene_reply import SceneReply
from gm.play.fitting import NoRoomError
from gm.play.prompts import open_prompts
from tests.everything import everything_on
from tests.replies import TEXTS
from tests.stories.playing import Counting, about, play, set_sections

SHARE = 0.75
"""What the short prompts need of the default ones in a first scene; measured: dinner 0.74, studio 0.72."""


class Windowed(Counting):
    """The rehearsal, as a model whose window is known."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self._window = window

    def window(self, _model: str) -> int:
        return self._window


@pytest.fixture
def world_of(studio: Layout, dinner: Layout) -> Mapping[str, Layout]:
    return {"studio": studio, "dinner": dinner}


def tokens_of(request: Request) -> int:
    return estimate_tokens(render_request(request))


def morning(layout: Layout, prompts: str) -> Context:
    set_sections(layout.settings, f"prompts: {prompts}")
    world = load_world(layout).world
    return describe_context(layout, world, next(iter(world.agents)), ContextOptions())


@pytest.mark.matrix
@pytest.mark.parametrize(("template", "window", "memories"), [("dinner", 8_192, 20), ("studio", 12_288, 10)])
def test_three_days_are_played_in_a_small_window(
    template: str, window: int, memories: int, world_of: Mapping[str, Layout]
) -> None:
    layout = world_of[template]
    set_sections(layout.settings, "prompts: short")
    backend = Windowed(window)
    play(layout, days=3, backend=backend)
    assert {request.max_tokens for request in backend.asked} == {window // 4}
    assert max(tokens_of(request) + request.max_tokens for request in backend.asked) <= window
    scenes = [
        request for request in backend.asked if request.place.startswith("day-003") and request.purpose == "scene"
    ]
    assert min(len(about(request).memories) for request in scenes) >= memories


@pytest.mark.parametrize("template", ["dinner", "studio"])
def test_a_first_scene_is_a_quarter_shorter(template: str, world_of: Mapping[str, Layout]) -> None:
    full, short = (morning(world_of[template], prompts) for prompts in ("full", "short"))
    assert short.tokens <= SHARE * full.tokens
    sizes = [{section.name: section.tokens for section in found.sections} for found in (full, short)]
    assert sizes[1]["persona"] == sizes[0]["persona"], "who a character is stays whole"


@pytest.mark.parametrize("importance", ["reply", "facets"])
@pytest.mark.parametrize("template", ["dinner", "studio"])
def test_the_short_form_of_the_reply_names_every_key_of_it(
    template: str, importance: str, world_of: Mapping[str, Layout]
) -> None:
    layout = everything_on(world_of[template])
    set_sections(layout.settings, f"importance: {{from: {importance}}}\ndecisions: on")
    prompt = morning(layout, "short").prompt or ""
    layers = frozenset(layer.name for layer in LAYERS) | {"kinds", "share", "decisions"}
    schema = schema_of(SceneReply, TEXTS, layers, importance)
    missing = {name for name in _keys(schema) if f"`{name}`" not in prompt}
    assert missing == ({"library"} if template == "dinner" else set()), "the dinner has no books"


def _keys(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from _keys(part)


def test_a_scene_describes_the_place_where_it_is_played_and_names_the_others(dinner: Layout) -> None:
    prompt = morning(dinner, "short").prompt or ""
    places = load_world(dinner).world.settings.places
    assert [name for name, text in places.items() if text in prompt] == ["hallway"]
    assert all(f"`{name}`" in prompt for name in places)


def test_who_is_asked_outside_of_a_scene_knows_what_all_places_are_like(dinner: Layout) -> None:
    set_sections(dinner.settings, "prompts: short")
    world = load_world(dinner).world
    assembler = Assembler(open_prompts(dinner, world.settings))
    first, *_ = assembler.system(world, world.agents["alex"], Selection("recent", (), ()), form=False)
    assert all(text in first for text in world.settings.places.values())


@pytest.mark.parametrize(("prompts", "is_named"), [("full", True), ("short", False)])
def test_a_window_that_is_too_small_names_the_short_prompts_where_they_are_not_used(
    prompts: str, is_named: bool, dinner: Layout
) -> None:
    set_sections(dinner.settings, f"prompts: {prompts}")
    with pytest.raises(NoRoomError) as caught:
        play(dinner, backend=Windowed(4_000))
    assert ("prompts: short" in caught.value.hint) is is_named


def test_a_window_that_a_long_answer_fills_names_its_limit(dinner: Layout) -> None:
    set_sections(dinner.settings, "llm: {max_tokens: 7000}")
    with pytest.raises(NoRoomError) as caught:
        play(dinner, backend=Windowed(8_192))
    needed = re.search(r"has about (\d+)", caught.value.message)
    assert needed
    assert caught.value.hint.startswith(f"lower llm.max_tokens to {8_192 - int(needed[1])} at most; or start")


def test_a_window_that_is_too_small_is_told_with_what_takes_its_room(dinner: Layout) -> None:
    set_sections(dinner.settings, "context: {prompt_tokens: 3000}")
    with pytest.raises(NoRoomError) as caught:
        morning(dinner, "full")
    told = re.search(r"has about (\d+): (system \d+, persona \d+, .*)", caught.value.message)
    assert told
    parts = [int(number) for number in re.findall(r"\d+", told[2])]
    assert abs(sum(parts) - int(told[1])) <= len(parts)


@pytest.mark.parametrize("own", ["{}", "{max_tokens: 2000}"])
def test_a_window_that_is_too_small_for_any_answer_does_not_name_its_limit(own: str, dinner: Layout) -> None:
    set_sections(dinner.settings, f"llm: {own}")
    with pytest.raises(NoRoomError) as caught:
        play(dinner, backend=Windowed(4_000))
    assert "llm.max_tokens" not in caught.value.hint


@pytest.mark.parametrize(
    ("own", "window", "tokens"),
    [(None, None, 4096), (None, 8192, 2048), (None, 131_072, 4096), (3000, 8192, 3000), (3000, None, 3000)],
)
def test_an_answer_takes_a_quarter_of_a_window_unless_it_is_told(
    own: int | None, window: int | None, tokens: int
) -> None:
    assert LlmSettings(max_tokens=own).answer_tokens(window) == tokens
