"""What is private, and what gives it away."""

from __future__ import annotations

import pytest

from gm.memory.private import is_private, open_nodes, private_nodes, quotes
from tests.build import node

SECRET = node(1, description="Niemand darf wissen, dass ich den Turm zuerst gezeichnet habe.", tags=("Privat",))
OPEN = node(2, description="Der Turm steht.", tags=("turm",))


@pytest.mark.parametrize(
    ("tags", "private"), [((), False), (("turm",), False), (("PRIVATE",), True), ((" privat ",), True)]
)
def test_a_tag_says_that_something_is_private_in_either_language(tags: tuple[str, ...], private: bool) -> None:
    assert is_private(tags) is private


def test_memories_are_told_apart() -> None:
    assert open_nodes([SECRET, OPEN]) == (OPEN,)
    assert private_nodes([SECRET, OPEN]) == (SECRET,)


def test_a_line_that_quotes_the_beginning_of_a_memory_gives_it_away_however_it_is_wrapped() -> None:
    assert quotes("Vera: Niemand darf wissen,\n dass ich den Turm zuerst …", [SECRET])
    assert not quotes("Der Turm steht.", [SECRET])
    assert not quotes("Nichts.", [node(3, description=" ")])
