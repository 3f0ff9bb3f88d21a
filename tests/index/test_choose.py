"""A model in this process: loaded once, when it is needed, on one thread."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gm.index.base import EmbeddingError
from gm.index.choose import LocalEmbedder, load_encoder
from tests.index.toy import embed_text


class ToyEncoder:
    """Speaks the part of sentence-transformers that is used."""

    def __init__(self, name: str = "toy", device: str = "cpu") -> None:
        self.name, self.device = name, device
        self.options: list[dict[str, Any]] = []

    def encode(self, sentences: list[str], **options: Any) -> list[list[float]]:
        self.options.append(options)
        return [embed_text(text) for text in sentences]


def test_the_model_is_loaded_at_the_first_text_and_once() -> None:
    loaded: list[str] = []

    def load(name: str) -> ToyEncoder:
        loaded.append(name)
        return ToyEncoder(name)

    embedder = LocalEmbedder("toy", batch=5, load=load)
    assert loaded == []
    assert embedder.embed(["a", "b"]) == [embed_text("a"), embed_text("b")]
    embedder.embed(["c"])
    assert loaded == ["toy"]


class Broken(ToyEncoder):
    def __init__(self, name: str, device: str) -> None:
        raise OSError(f"{name} is not a local folder\nand not a valid model identifier")


def fake_library(monkeypatch: pytest.MonkeyPatch, kind: type[ToyEncoder]) -> list[int]:
    threads: list[int] = []
    torch, library = ModuleType("torch"), ModuleType("sentence_transformers")
    torch.__spec__, library.__spec__ = ModuleSpec("torch", None), ModuleSpec("sentence_transformers", None)
    vars(torch)["set_num_threads"] = threads.append
    vars(library)["SentenceTransformer"] = kind
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    return threads


def test_it_computes_on_one_thread_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = fake_library(monkeypatch, ToyEncoder)
    encoder = load_encoder("all-MiniLM-L6-v2")
    assert isinstance(encoder, ToyEncoder)
    assert (encoder.name, encoder.device, threads) == ("all-MiniLM-L6-v2", "cpu", [1])


def test_a_package_that_carries_a_model_is_found_by_its_name_and_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_library(monkeypatch, ToyEncoder)
    carried = tmp_path / "gt_toy_model" / "model"
    carried.mkdir(parents=True)
    (carried / "modules.json").write_text("[]")
    (tmp_path / "gt_toy_model" / "__init__.py").write_text("raise SystemExit('was run')")
    monkeypatch.syspath_prepend(tmp_path)
    encoder = load_encoder("gt-toy-model")
    assert isinstance(encoder, ToyEncoder)
    assert encoder.name == str(carried)


def test_a_missing_package_is_said_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EmbeddingError, match="torch is not installed") as caught:
        LocalEmbedder("toy").embed(["a"])
    assert caught.value.hint == "pip install 'gm[index-local]'"


def test_a_model_that_cannot_be_loaded_is_said_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_library(monkeypatch, Broken)
    with pytest.raises(EmbeddingError, match="the model no/such cannot be loaded: no/such is not a local folder and"):
        load_encoder("no/such")
