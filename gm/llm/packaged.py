"""The YAML files of this package: words, prices, providers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from gm.base.frontmatter import load_safely


@cache
def read_packaged(name: str) -> Mapping[str, Any]:
    """Return the data of a file of this package."""
    data: Mapping[str, Any] = load_safely((resources.files(__package__) / name).read_text(encoding="utf-8"))
    return data


def words() -> Mapping[str, Any]:
    """Return what people and models are told beside the prompts, by name (``words.yaml``)."""
    return read_packaged("words.yaml")
