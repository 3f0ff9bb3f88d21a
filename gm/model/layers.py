"""Layers of a mind: parts of a character beyond its memory stream, each in a file of its own, each to be switched.

A layer is on when its setting says so, or, with ``auto``, once the world holds such a file for anybody. What a reply
may say about a layer is a key that carries ``Layer``; it is asked for, and read, only while the layer is on. All
characters of a world are asked in the same form: a provider that caches the beginning of a question forgets it when
another schema comes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

AUTO, ON = "auto", "on"


@dataclass(frozen=True, slots=True)
class Layer:
    """Mark of a key of a reply that belongs to a layer."""

    name: str


def is_on(switch: str, present: bool) -> bool:
    """Tell whether a layer is on.

    Args:
        switch: ``auto``, ``on`` or ``off``.
        present: Whether anybody has a file of that layer.
    """
    return switch == ON or (switch == AUTO and present)


def layer_keys(form: type[BaseModel]) -> Mapping[str, str]:
    """Name the keys of a reply that belong to a layer, and the layer of each."""
    return {
        name: mark.name
        for name, field in form.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Layer)
    }


def hidden_keys(form: type[BaseModel], layers: Collection[str]) -> frozenset[str]:
    """Name the keys of a reply that nobody is asked for while only these layers are on."""
    return frozenset(name for name, layer in layer_keys(form).items() if layer not in layers)
