"""Trees of what memories rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.api.views.evidence import TreePlace, grow_tree


def grown(
    evidence: Mapping[str, str], root: str = "a", *, deepest: int = 9, most: int = 99, **more: Any
) -> TreePlace[str]:
    """Grow a tree of letters; capital letters are memories that do not exist."""
    return grow_tree(
        root,
        root,
        lambda name: [(cited, None if cited.isupper() else cited) for cited in evidence.get(name, "")],
        deepest=deepest,
        most=most,
        **more,
    )


def drawn(place: TreePlace[str]) -> str:
    marks = ("?" if place.memory is None else "") + ("=" if place.again else "") + "…" * place.cut
    below = "".join(map(drawn, place.below))
    return place.id + marks + (f"({below})" if below else "")


def test_a_memory_stands_above_what_it_rests_on() -> None:
    assert drawn(grown({"a": "bc", "b": "d"})) == "a(b(d)c)"


def test_a_memory_is_unfolded_where_it_lies_highest_and_only_named_elsewhere() -> None:
    assert drawn(grown({"a": "bc", "b": "c", "c": "d"})) == "a(b(c=)c(d))"


def test_a_circle_ends_where_it_closes() -> None:
    assert drawn(grown({"a": "ab", "b": "a"})) == "a(a=b(a=))"


def test_what_does_not_exist_is_a_leaf_each_time() -> None:
    assert drawn(grown({"a": "Xb", "b": "X"})) == "a(X?b(X?))"


def test_layers_that_are_too_deep_are_counted() -> None:
    assert drawn(grown({"a": "b", "b": "cd"}, deepest=1)) == "a(b……)"


def test_a_layer_is_there_before_anything_below_it() -> None:
    assert drawn(grown({"a": "bc", "b": "de"}, most=4)) == "a(b…(d)c)"


def test_what_stands_in_an_earlier_tree_is_only_named() -> None:
    met: set[str] = set()
    evidence = {"a": "b", "c": "ab"}
    assert drawn(grown(evidence, "a", met=met)) == "a(b)"
    assert drawn(grown(evidence, "c", met=met)) == "c(a=b=)"
    assert drawn(grown(evidence, "a", met=met)) == "a="
