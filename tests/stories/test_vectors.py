"""A day with an embedding server: what prompts show, what is embedded when, and what happens without the server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.worlds.index import build_index, describe_index
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.scene import Scene
from gm.model.world import World
from tests.api.indexed import configure
from tests.cli.running import Run
from tests.llm.vectors.embedding_api import Body, EmbeddingApi, Reply, Script, serving
from tests.llm.vectors.toy import ToyEmbedder, embed_text
from tests.stories.playing import Heard, copied, play, set_sections, tree

SMALL = "retrieval: {strategy: %s, last: 6, all_reflections: false}\n"
WORDS_ONLY = "no index, words only: "
SCENE = ("--scene", "encounter", "--with", "vera,emre", "--topic")


@contextmanager
def indexed(layout: Layout, more: str, script: Script = lambda *_: None) -> Iterator[EmbeddingApi]:
    """Serve embeddings to a world whose index is built; every call of the server is one batch."""
    set_sections(layout.settings, more)
    with serving(EmbeddingApi(script=script)) as api:
        build_index(layout, configure(layout, api.url, batch=2048), embedder=ToyEmbedder())
        yield api


def prompt_of(run: Run, layout: Layout, topic: str, *more: str) -> tuple[dict[str, Any], str]:
    done = run("context", "vera", *SCENE, topic, "--json", "--prompt", *more, "-w", layout.root)
    assert done.code == 0, done.err
    return done.document, done.err


BY_RELEVANCE = "recall: {weights: {recency: 0, importance: 0}, now_recency: 0, window_recency: 0}\n"
TOPIC = "Quarzuhrwerk"
"""It has no word in common with any memory."""


def means(text: str) -> Script:
    """Let every question with the topic mean what a text says."""

    def answer(_path: str, body: Body, _number: int) -> Reply:
        vectors = [embed_text(text if TOPIC in asked else asked) for asked in body["input"]]
        return Reply(200, json.dumps({"embeddings": vectors}))

    return answer


@pytest.mark.matrix
@pytest.mark.parametrize(
    "settings",
    [
        SMALL % "scored" + BY_RELEVANCE,
        SMALL % "hybrid" + BY_RELEVANCE,
        SMALL % "vector",
        "retrieval: {last: 3}\nrag: {limit: 1, query_template: '{{ scene.topic }}'}\n" + BY_RELEVANCE,
        f"retrieval: {{last: 3}}\ncontext: {{sources: [about_present], memories_per_source: 1}}\n{BY_RELEVANCE}",
    ],
    ids=["scored", "hybrid", "vector", "rag", "sources"],
)
def test_a_memory_that_has_no_word_of_the_scene_is_in_its_prompt_by_the_vectors(
    played: Layout, run: Run, settings: str, tmp_path: Path
) -> None:
    set_sections(played.settings, settings)
    without, notices = prompt_of(run, copied(played, tmp_path / "twin"), TOPIC)
    assert "there is no embedding index" in notices
    stream = load_world(played).world.agents["vera"].stream
    told = next(node for node in stream if "emre" in node.tags and f"`{node.id}`" not in without["prompt"])
    with indexed(played, settings, script=means(told.description)) as api:
        document, notices = prompt_of(run, played, TOPIC)
        assert any(TOPIC in text for text in api.texts)
    assert f"`{told.id}`" in document["prompt"]
    assert notices == ""


def test_without_an_index_the_window_by_vectors_is_the_newest_and_says_so(played: Layout, run: Run) -> None:
    set_sections(played.settings, SMALL % "recent")
    recent, _ = prompt_of(run, played, "Turm")
    document, notices = prompt_of(run, played, "Turm", "--strategy", "vector")
    assert (recent["strategy"], document["strategy"]) == ("recent", "recent")
    assert document["prompt"] == recent["prompt"]
    assert notices == "there is no embedding index: the window shows the newest memories\n"


def test_context_says_which_strategy_chose_the_window_of_a_scene(played: Layout, run: Run) -> None:
    with indexed(played, SMALL % "recent"):
        document, notices = prompt_of(run, played, "Turm", "--strategy", "vector")
        stored = [node["description"] for node in document["memories"]]
    assert (document["strategy"], notices, len(stored)) == ("vector", "", 6)


def test_wishes_for_a_scene_need_its_type_and_the_character(played: Layout, run: Run) -> None:
    for more in (("--topic", "Turm"), ("--scene", "encounter", "--with", "emre,tobi,finn"), ("--strategy", "best")):
        assert run("context", "vera", *more, "-w", played.root).code == 2


class Counted(Heard):
    """Notes how many times the server was called until each scene had landed, and what the index lacks then."""

    def __init__(self, layout: Layout, api: EmbeddingApi) -> None:
        super().__init__()
        self.layout, self.api = layout, api
        self.calls: list[int] = []
        self.missing: list[int] = []

    def scene_played(self, world: World, scene: Scene, change: Any) -> None:
        super().scene_played(world, scene, change)
        self.calls.append(len(self.api.requests))
        agents = as_json(describe_index(self.layout, load_world(self.layout).world))["agents"]
        self.missing.append(sum(agent["missing"] for agent in agents.values()))


def kinds_of(api: EmbeddingApi, layout: Layout) -> list[str]:
    """Return whether each call embedded memories or questions; one that did both is a fault."""
    told = {node.description for agent in load_world(layout).world.agents.values() for node in agent.everything}
    kinds = []
    for _, body in api.requests:
        found = {"memories" if text in told else "questions" for text in body["input"]}
        kinds.append("+".join(sorted(found)))
    return kinds


def test_a_scene_costs_a_batch_of_questions_and_a_batch_of_memories(played: Layout) -> None:
    with indexed(played, SMALL % "vector" + "rag: {limit: 0}\n") as api:
        heard = Counted(played, api)
        play(played, report=heard)
        kinds = kinds_of(api, played)
    assert heard.missing == [0] * len(heard.scenes), "what a scene leaves is in the index before the next one begins"
    spent = [after - before for before, after in zip([0, *heard.calls], heard.calls, strict=False)]
    for scene, (first, last) in zip(heard.scenes, zip([0, *heard.calls], heard.calls, strict=False), strict=True):
        looks_back = scene.type.name == "REFLECTION"
        asked = [] if looks_back and "questions" not in kinds[first:last] else ["questions"]
        assert kinds[first:last] == [*asked, "memories"], scene  # who looks back may ask what was asked before
    assert kinds[sum(spent) :] == ["memories"], "what the day leaves undone"
    assert sum(spent) >= 2 * len(heard.scenes) - sum(scene.type.name == "REFLECTION" for scene in heard.scenes)
    questions = [
        text
        for kind, (_, body) in zip(kinds, api.requests, strict=True)
        if kind == "questions"
        for text in body["input"]
    ]
    assert len(questions) == len(set(questions)), "no question is embedded twice"
    assert api.faults == []
    assert not any(WORDS_ONLY in notice for notice in heard.notices)


def test_a_later_turn_embeds_what_the_last_lines_ask_anew(played: Layout) -> None:
    with indexed(played, SMALL % "recent" + "rag: {limit: 2}\n") as api:
        heard = Counted(played, api)
        play(played, report=heard)
        kinds = kinds_of(api, played)
    for scene, (first, last) in zip(heard.scenes, zip([0, *heard.calls], heard.calls, strict=False), strict=True):
        labels = {path.name.partition(".")[0] for path in played.traces.glob(f"{scene.ref}/*.json")}
        over = {label for label in labels if label.endswith("-last")}
        turns = len(labels - over)
        # those who answer in a second round, and those who talk, do so one after another; last words are asked at once
        at_first = 1 + (scene.type.starts_alone and len(scene.cast) > 1)
        together = (turns if scene.type.is_turn_by_turn else at_first + turns - len(scene.cast)) + bool(over)
        looks_back = scene.type.is_reflection
        asks = 0 if looks_back else together  # nothing is called up for a look back
        assert kinds[first:last] == [*["questions"] * asks, "memories"], scene


def test_reflection_by_questions_embeds_them_in_one_batch(played: Layout) -> None:
    more = "reflection: {method: questions, threshold: 5}\nretrieval: {last: 8}\n"
    with indexed(played, more) as api:
        heard = Counted(played, api)
        play(played, report=heard)
        kinds = kinds_of(api, played)
    reflections = [place for place, scene in enumerate(heard.scenes) if scene.type.is_reflection]
    assert len(reflections) > 1, "several characters reflect at the same time"
    first = heard.calls[reflections[0] - 1]
    looked_back = kinds[first : heard.calls[reflections[-1]]]
    assert looked_back == ["questions", *["memories"] * len(reflections)]
    assert len(api.requests[first][1]["input"]) > len(reflections), "the questions of all are one batch"


def test_a_server_that_goes_away_costs_one_notice_and_words_take_over(played: Layout) -> None:
    with ExitStack() as held:
        api = held.enter_context(indexed(played, SMALL % "hybrid" + "rag: {limit: 2}\n"))

        def leave(_world: World, scene: Scene) -> None:
            if scene.ref.scene == 2:
                held.close()

        heard = Heard(leave)
        (day,) = play(played, report=heard)
    assert day.scenes == len(heard.scenes) > 3
    (notice,) = [notice for notice in heard.notices if "vectors" in notice or WORDS_ONLY in notice]
    assert notice.startswith(f"{WORDS_ONLY}no embedding server answers at")
    assert not load_world(played).problems
    with serving(EmbeddingApi()) as api:
        configure(played, api.url, batch=2048)
        again = Counted(played, api)
        play(played, report=again)
    assert again.missing[0] == 0, "the next command embeds what that one could not"


def test_a_world_that_has_just_switched_its_index_on_gets_one_with_its_scenes(played: Layout) -> None:
    set_sections(played.settings, SMALL % "scored")
    with serving(EmbeddingApi()) as api:
        configure(played, api.url, batch=2048)
        heard = Counted(played, api)
        play(played, report=heard)
    assert heard.missing == [0] * len(heard.scenes)
    assert len([notice for notice in heard.notices if WORDS_ONLY in notice]) <= 1


def test_a_forecast_asks_no_embedder(played: Layout, run: Run) -> None:
    with indexed(played, SMALL % "vector" + "rag: {limit: 2}\n") as api:
        done = run("advance-day", "--dry-run", "-w", played.root)
    assert (done.code, api.requests) == (0, [])


def test_many_memories_without_an_index_are_left_to_gm_index_build(played: Layout) -> None:
    with serving(EmbeddingApi()) as api:
        configure(played, api.url, catch_up=2)
        set_sections(played.settings, SMALL % "vector")
        heard = Heard()
        play(played, report=heard)
        assert api.requests == []
    notices = [notice for notice in heard.notices if WORDS_ONLY in notice]
    assert notices == [f"{WORDS_ONLY}there is no index; gm index build makes one"]


def test_the_same_day_with_the_same_vectors_is_the_same(played: Layout, tmp_path: Path) -> None:
    with indexed(played, SMALL % "hybrid" + "rag: {limit: 2}\n"):
        twin = copied(played, tmp_path / "twin")
        shutil.rmtree(twin.vectors)
        build_index(twin, load_world(twin).world, embedder=ToyEmbedder())
        play(played)
        play(twin)
    assert tree(played.root) == tree(twin.root)
