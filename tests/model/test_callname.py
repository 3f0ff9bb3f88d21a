"""Call names of names that no person has: a persona of another's world may hold any text."""

import pytest

from gm.model.callname import call_name_of


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Old " * 3000 + "Pell", "Old " * 3000 + "Pell"),
        ("Dr Old " * 3000 + "Pell", "Old " * 3000 + "Pell"),
        ("Old", "Old"),
        ("Old Dr", "Old Dr"),
        (" 'a" * 4000, "'a"),
    ],
    ids=["epithets", "titles", "epithet", "title", "quotes"],
)
def test_a_name_of_any_length_has_a_call_name(name: str, called: str) -> None:
    assert call_name_of(name) == called
