"""The index of a world: built, described, removed; and nothing else changes with it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.gift import give_memories
from gm.api.worlds.create import create_world
from gm.api.worlds.index import build_index, describe_index, remove_index
from gm.base.errors import LockedError, UsageError
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.files.streams.gifted import read_gifted
from gm.llm.vectors.base import EmbeddingError
from gm.play.embedder import TEST_TEXT, open_embedder, store_recipe
from gm.play.vector_search import gifted_index, index_folder
from tests.api.indexed import configure
from tests.llm.vectors.embedding_api import EmbeddingApi, Reply, serving
from tests.llm.vectors.toy import ToyEmbedder


def files_of(layout: Layout) -> dict[str, bytes]:
    """All files that are the world."""
    return {
        path.relative_to(layout.root).as_posix(): path.read_bytes()
        for path in sorted(layout.root.rglob("*"))
        if path.is_file() and layout.derived not in path.parents
    }


def test_a_world_is_embedded_agent_by_agent_after_one_test(played: Layout) -> None:
    with serving(EmbeddingApi()) as api:
        world = configure(played, api.url)
        document = build_index(played, world)
        build_index(played, world)  # nothing is missing: the server is not asked once more
    assert list(document.agents) == list(world.agents)
    for name, built in as_json(document)["agents"].items():
        count = len(world.agents[name].stream)
        assert built == {"embedded": count, "rows": count, "dropped": 0, "approximate": 0}
    wanted = [node.description for agent in world.agents.values() for node in agent.stream]
    assert api.texts == [TEST_TEXT, *wanted]
    assert max(len(body["input"]) for _, body in api.requests) == 8
    assert api.faults == []


def test_the_files_of_the_world_stay_as_they_are(played: Layout) -> None:
    world = configure(played)
    before = files_of(played)
    build_index(played, world, embedder=ToyEmbedder())
    assert files_of(played) == before
    remove_index(played)
    assert files_of(played) == before


def test_only_the_named_are_built(played: Layout) -> None:
    world = configure(played)
    document = build_index(played, world, ["Vera", "vera", "emre"], embedder=ToyEmbedder())
    assert list(document.agents) == ["vera", "emre"]
    with pytest.raises(UsageError, match="nobody here is called 'nobody'"):
        build_index(played, world, ["nobody"], embedder=ToyEmbedder())


def test_an_edited_description_is_embedded_alone(played: Layout) -> None:
    world = configure(played)
    build_index(played, world, embedder=ToyEmbedder())
    stream = played.stream("vera")
    lines = stream.read_text(encoding="utf-8").splitlines(keepends=True)
    record = json.loads(lines[1])
    record["description"] = "Von Hand geschrieben."
    lines[1] = json.dumps(record, ensure_ascii=False) + "\n"
    stream.write_text("".join(lines), encoding="utf-8")
    embedder = ToyEmbedder()
    build_index(played, configure(played), embedder=embedder)
    assert embedder.texts == [TEST_TEXT, "Von Hand geschrieben."]


def test_status_counts_what_is_there_and_what_is_not(played: Layout) -> None:
    world = configure(played)
    empty = as_json(describe_index(played, world))["agents"]["vera"]
    count = len(world.agents["vera"].stream)
    assert (empty["usable"], empty["rows"], empty["missing"], empty["bytes"]) == (False, 0, count, 0)
    build_index(played, world, ["vera"], embedder=ToyEmbedder())
    document = as_json(describe_index(played, world))
    found = document["agents"]["vera"]
    assert found["bytes"] > count * 64 * 4
    del found["bytes"]
    assert found == {
        "memories": count,
        "usable": True,
        "model": "toy",
        "dimensions": 64,
        "rows": count,
        "missing": 0,
        "stale": 0,
        "damaged": 0,
        "approximate": 0,
    }
    assert document["agents"]["emre"]["missing"] == len(world.agents["emre"].stream)
    assert document["checked"] is None
    other = as_json(describe_index(played, configure(played, model="other")))["agents"]["vera"]
    assert (other["usable"], other["rows"], other["stale"], other["missing"]) == (False, count, count, count)
    assert other["model"] == "toy"


def test_status_counts_what_is_known_from_the_start(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "studio", "studio")
    give_memories(layout)
    world = configure(layout)
    build_index(layout, world, embedder=ToyEmbedder())
    found = as_json(describe_index(layout, world))["gifted"]
    owner = next(iter(world.agents))
    assert found[owner]["memories"] == len(read_gifted(layout, owner).nodes) > 0
    assert found[owner]["rows"] >= found[owner]["memories"]
    assert all(one["missing"] == 0 for one in found.values())
    (index_folder(layout, gifted_index(owner)) / "index.json").unlink()
    assert as_json(describe_index(layout, world))["gifted"][owner]["missing"] == found[owner]["memories"]


def test_status_asks_the_provider_only_when_it_is_told_to(played: Layout) -> None:
    with serving(EmbeddingApi(models=("other",))) as api:
        world = configure(played, api.url)
        assert as_json(describe_index(played, world))["checked"] is None
        assert api.requests == []
        checked = as_json(describe_index(played, world, check=True))["checked"]
        assert not checked["ok"]
        assert "ollama pull toy" in checked["hint"]
        world = configure(played, api.url, model="other")
        assert as_json(describe_index(played, world, check=True))["checked"] == {"ok": True, "problem": "", "hint": ""}
        checked = as_json(describe_index(played, configure(played, api.url, model="other", dimensions=65), check=True))[
            "checked"
        ]
        assert "64 dimensions, 65 are configured" in checked["problem"]


def test_wrong_dimensions_stop_a_build_before_anything_is_touched(played: Layout) -> None:
    build_index(played, configure(played), embedder=ToyEmbedder())
    with serving(EmbeddingApi()) as api:
        world = configure(played, api.url, dimensions=100)
        with pytest.raises(EmbeddingError, match="64 dimensions, 100 are configured"):
            build_index(played, world)
    assert api.texts == [TEST_TEXT]
    assert as_json(describe_index(played, configure(played)))["agents"]["vera"]["missing"] == 0


def test_what_a_failing_server_embedded_before_is_kept(played: Layout) -> None:
    broken = EmbeddingApi(script=lambda _path, _body, number: Reply(400, "no more") if number == 4 else None)
    with serving(broken) as api, pytest.raises(EmbeddingError, match="no more"):
        build_index(played, configure(played, api.url))
    rows = sum(found["rows"] for found in as_json(describe_index(played, configure(played)))["agents"].values())
    assert 8 < rows <= 16
    with serving(EmbeddingApi()) as api:
        world = configure(played, api.url)
        build_index(played, world)
    assert len(api.texts) == 1 + sum(len(agent.stream) for agent in world.agents.values()) - rows


def test_one_builds_at_a_time_and_a_day_may_be_played_meanwhile(played: Layout) -> None:
    world = configure(played)
    with locked(played.vectors_lock, "gm index build"):
        with pytest.raises(LockedError, match="gm index build"):
            build_index(played, world, embedder=ToyEmbedder())
        with locked(played.lock, "gm advance-day"):
            pass


def test_the_form_that_a_server_understood_is_remembered(played: Layout) -> None:
    with serving(EmbeddingApi("/v1/embeddings")) as api:
        settings = configure(played, api.url).settings.index
        for paths in (["/api/embed", "/api/embeddings", "/v1/embeddings"], ["/v1/embeddings"]):
            before = len(api.requests)
            embedder = open_embedder(played, settings)
            embedder.embed(["x"])
            store_recipe(played, settings, embedder)
            assert api.paths[before:] == paths
        played.vectors_note.write_text("[1]")
        open_embedder(played, settings).embed(["x"])
        assert len(api.requests) == 7


def test_the_key_comes_from_the_environment(played: Layout) -> None:
    with serving(EmbeddingApi(key="secret")) as api:
        settings = configure(played, api.url + "/v1").settings.index
        open_embedder(played, settings, {"GM_INDEX_KEY": "secret"}).embed(["x"])
        with pytest.raises(EmbeddingError, match="wants another key"):
            open_embedder(played, settings, {}).embed(["x"])


def test_a_key_is_not_sent_without_encryption(played: Layout) -> None:
    settings = configure(played, "http://example.com/v1").settings.index
    with pytest.raises(EmbeddingError, match="without encryption"):
        open_embedder(played, settings, {settings.key_env: "secret", "GM_INDEX_URL": settings.url})
    open_embedder(played, settings, {"GM_INDEX_URL": settings.url})


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://localhost", "http://", "http://[::1", "http://x:port", "http://localhost/x?a="]
)
def test_an_address_that_is_none_is_named(played: Layout, url: str) -> None:
    settings = configure(played, f'"{url}"').settings.index
    with pytest.raises(EmbeddingError, match=r"index\.url is"):
        open_embedder(played, settings, {})


def test_a_removed_index_is_gone(played: Layout) -> None:
    world = configure(played)
    build_index(played, world, ["vera", "emre"], embedder=ToyEmbedder())
    document = remove_index(played)
    assert document.agents == ("emre", "vera")
    assert document.bytes > 0
    assert not played.vectors.exists()
    assert as_json(remove_index(played)) == {"agents": [], "bytes": 0}


def test_a_world_without_private_folder_gets_one_that_git_ignores(dinner: Layout) -> None:
    world = configure(dinner)
    shutil.rmtree(dinner.derived)
    build_index(dinner, world, embedder=ToyEmbedder())
    assert (dinner.derived / ".gitignore").read_text().splitlines()[-1] == "*"
