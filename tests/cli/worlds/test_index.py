"""``gm index``, and what the index must not change."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gm.api.worlds.index import build_index
from gm.files.layout import Layout
from tests.api.indexed import configure
from tests.cli.running import Run
from tests.llm.vectors.embedding_api import EmbeddingApi, serving
from tests.llm.vectors.toy import ToyEmbedder


def test_an_index_is_built_looked_at_and_removed(run: Run, played: Layout) -> None:
    with serving(EmbeddingApi()) as api:
        world = configure(played, api.url)
        count = len(world.agents["vera"].stream)
        built = run("index", "build", "vera", "-w", played.root)
        assert (built.code, built.out) == (0, f"toy, 64 dimensions\nvera: {count} embedded, {count} rows\n")
        assert built.err == f"vera: {count} of {count} texts embedded\n"
        status = run("index", "status", "--check", "-w", played.root)
    assert status.code == 0
    assert f"vera   {count} memories, {count} rows, 0.0 MB\n" in status.out
    assert f"emre   {len(world.agents['emre'].stream)} memories, no index\n" in status.out
    assert status.out.endswith("the provider answers\n")
    removed = run("index", "remove", "-w", played.root)
    assert (removed.code, removed.out.startswith("removed the index of vera: ")) == (0, True)
    assert run("index", "remove", "-w", played.root).out == "there is no index\n"


def test_all_of_it_is_json_on_request(run: Run, played: Layout) -> None:
    with serving(EmbeddingApi()) as api:
        configure(played, api.url, enabled=False)
        built = run("index", "build", "--json", "--rebuild", "-w", played.root)
    assert built.document["agents"]["vera"]["embedded"] > 0
    assert "set index.enabled: true in gm.yaml" in built.err
    status = run("index", "status", "--json", "-w", played.root)
    assert status.document["agents"]["vera"]["usable"] is True
    assert status.document["enabled"] is False
    assert "vera" in run("index", "remove", "--json", "-w", played.root).document["agents"]


def test_a_provider_that_is_down_is_an_error_that_says_what_to_do(run: Run, played: Layout) -> None:
    configure(played)
    built = run("index", "build", "-w", played.root)
    assert built.code == 1
    assert "no embedding server answers at http://127.0.0.1:9" in built.err
    assert "ollama pull toy" in built.err
    status = run("index", "status", "--check", "-w", played.root)
    assert status.code == 1
    assert "the provider does not answer" in status.err
    assert run("index", "status", "-w", played.root).code == 0


def test_a_stale_index_is_called_that(run: Run, played: Layout) -> None:
    build_index(played, configure(played), embedder=ToyEmbedder())
    configure(played, model="other")
    assert "rows of toy (64 dimensions): stale; gm index build" in run("index", "status", "-w", played.root).out


def test_an_unknown_name_is_wrong_usage(run: Run, played: Layout) -> None:
    configure(played)
    assert run("index", "build", "nobody", "-w", played.root).code == 2


@pytest.mark.parametrize("more", [(), ("--tags", "turm"), ("--prompt",)])
def test_what_a_character_is_sent_is_the_same_with_and_without_an_index(
    run: Run, played: Layout, more: tuple[str, ...]
) -> None:
    arguments = ("context", "vera", "--json", *more, "-w", played.root)
    without = run(*arguments)
    build_index(played, configure(played), embedder=ToyEmbedder())
    assert run(*arguments) == without


def test_checking_a_world_says_the_same_with_an_index(run: Run, played: Layout) -> None:
    world = configure(played)
    without = run("check", "--json", "-w", played.root).document
    build_index(played, world, embedder=ToyEmbedder())
    assert run("check", "--json", "-w", played.root).document == without


HEAVY = ("simsimd", "numpy", "torch", "sentence_transformers", "numkong", "gm.llm.vectors")


@pytest.mark.parametrize("arguments", [("--help",), ("status",), ("context", "vera")])
def test_commands_that_need_no_vectors_load_none_of_it(played: Layout, arguments: tuple[str, ...]) -> None:
    configure(played)
    code = (
        "import sys; from gm.cli import gm; from gm.cli.boundary import guarded;"
        f"guarded(gm, sys.argv[1:]); print([n for n in {HEAVY!r} if n in sys.modules], file=sys.stderr)"
    )
    place = () if arguments == ("--help",) else ("-w", str(played.root))
    done = subprocess.run([sys.executable, "-c", code, *arguments, *place], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_looking_at_an_index_and_exact_search_need_no_numpy(played: Layout) -> None:
    build_index(played, configure(played), embedder=ToyEmbedder())
    code = (
        "import sys; from pathlib import Path;"
        "from gm.files.layout import Layout; from gm.files.load import load_world;"
        "from gm.play.vector_search import VectorSearch; from tests.llm.vectors.toy import ToyEmbedder;"
        "layout = Layout(Path(sys.argv[1])); world = load_world(layout).world;"
        "search = VectorSearch(layout, world.settings.index, ToyEmbedder());"
        "assert search.over({'vera': lambda: world.agents['vera'].stream})('Turm');"
        "print([n for n in ('numpy', 'torch', 'anthropic') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(played.root)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("built", [True, False])
def test_recall_says_that_it_goes_by_words_alone(run: Run, played: Layout, built: bool) -> None:
    settings = configure(played)
    if built:
        build_index(played, settings, embedder=ToyEmbedder())
    done = run("recall", "vera", "Gipsmodell", "--json", "-w", played.root)
    assert (done.code, done.document["memories"] != []) == (0, True)
    assert "words only: " in done.err
