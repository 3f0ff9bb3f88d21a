"""Quotations in a chapter that nobody said."""

from __future__ import annotations

import pytest

from gm.scene.evening.quoted import find_misquoted

TOLD = (
    "Alex reads: “Nobody leaves before the soup.”",
    "I was never here, and you know it. Ask Noor!",
    "Then who ate the last of the “good” bread?",
    "I want a dinner at which Noor can forget to be polite.",
)


@pytest.mark.parametrize(
    "text",
    [
        "“I was never here, and you know it,” Alex said. “Ask Noor!”",
        "»i was never here«, said Alex, »and you know it«",
        "„Then who ate the last of the ‚good‘ bread?“",
        'On the wall stood "Nobody leaves before the soup."',
        "“I was never here … you know it. … Then who ate the last?”",
        "The letter said: “i want a dinner … Noor can forget to be polite”.",
        "A “lovely long unsaid” title, and a day without a word.",
        "",
    ],
)
def test_what_was_said_is_no_misquotation(text: str) -> None:
    assert list(find_misquoted(text, TOLD)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("“I was never there, and you know it. Ask Noor!”", ["I was never there, and you know it."]),
        (
            "“Then who ate\nthe very last … Ask Noor, I beg you!”",
            ["Then who ate the very last", "Ask Noor, I beg you!"],
        ),
        ("“I was never here, and you know it. Ask Noor!” “Then who ate the last?”", []),
        ("“I was never here. Ask Noor!”", ["I was never here. Ask Noor!"]),
        ("»Ich war nie hier, glaub mir.«", ["Ich war nie hier, glaub mir."]),
    ],
)
def test_what_was_not_said_is_found_by_the_sentence(text: str, found: list[str]) -> None:
    assert list(find_misquoted(text, TOLD)) == found
