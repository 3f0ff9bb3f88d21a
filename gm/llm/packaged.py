"""The YAML files of this package: words, prices, providers."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from gm.base.frontmatter import load_safely


@cache
def read_packaged(name: str) -> Any:
    """Return the data of a file of this package."""
    return load_safely((resources.files(__package__) / name).read_text(encoding="utf-8"))


def words() -> Any:
    """Return what people and models are told beside the prompts, by name (``words.yaml``)."""
    return read_packaged("words.yaml")
