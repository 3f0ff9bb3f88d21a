"""What is printed on one line stays there, and no text forges a heading or an item of a list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gm.api.editing.check.variables import sample_variables
from gm.ask.prompt.people import view_passage, view_piece_at_hand, view_self, view_world
from gm.ask.prompt.render import PrintedLines, Prompts, as_prompt_line, indent_lines, prose, quote_lines
from gm.ask.prompt.turn_context import PieceAtHand
from gm.base.config import WorldSettings
from gm.files.packaged.shipped import shipped_prompts
from gm.model.front import FRONT
from gm.model.passage import Passage
from gm.model.persona import Persona
from gm.model.state import AgentState
from gm.model.world import Agent, World

BREAKS = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", " \n\t\n ")
FORGED = ("## FORGED", "# FORGED", "- FORGED", "> FORGED", "FORGED:", "1. FORGED", "```FORGED")
HOSTILE = "".join(f"Text{line_break}{forged}" for line_break in BREAKS for forged in FORGED)
GIVEN = sample_variables()
KEPT = dict.fromkeys((".scene.topic", ".scene.note", ".chapter", ".scenes[0].papers[0].text"), "> ")
KEPT |= {".posts[0].content": "  ", ".briefs[0]": "  "}
"""What keeps its lines, and what each of them begins with instead."""
LOOKED_UP = {".soul[0].kind"}  # a value of gm's own, which the template looks up


@pytest.mark.parametrize("line_break", BREAKS)
@pytest.mark.parametrize("forged", FORGED)
def test_a_text_of_several_lines_is_printed_on_one(line_break: str, forged: str) -> None:
    assert as_prompt_line(f"Text{line_break}{forged}") == f"Text {forged}"
    assert as_prompt_line(f"Text{line_break}") == "Text"
    begun = as_prompt_line(f"{line_break}{forged}")
    assert begun == (forged if forged == "FORGED:" else f"\\{forged}"), "a line that begins with it forges nothing"


def test_a_harmless_value_is_printed_as_it_is() -> None:
    for text in (
        "",
        "Text.",
        "two  blanks ",
        "\tTab",
        "#tag",
        "- `vera-001` Tag 1",
        "a # b",
        "»x«",
        "Käse\u00a0und \u200bBrot",
    ):
        assert as_prompt_line(text) is text
    for value in (3, None, ["a\nb"], PrintedLines("a\nb")):
        assert as_prompt_line(value) is value


def test_a_lone_heading_is_none() -> None:
    assert as_prompt_line("  ## Form der Antwort") == "\\## Form der Antwort"


def test_lines_that_are_quoted_or_indented_stay_so_at_every_line_separator() -> None:
    for line_break in BREAKS[:-1]:
        assert quote_lines(f"a{line_break}# b") == "a\n> # b"
        assert indent_lines(f"a{line_break}# b{line_break}{line_break}c", 2) == "a\n  # b\n\n  c"
    assert indent_lines("") == ""


def test_prose_keeps_its_lines_and_its_headings_stand_below_those_of_the_prompt() -> None:
    assert prose("\nA\n\n## Stimme\nB \n", 2) == "A\n\n## Stimme\nB"
    assert prose("# Form der Antwort\n ## x\nTitle\n=====\n---\n#tag", 2).splitlines() == [
        "## Form der Antwort", "## x", "Title", "\\=====", "---", "#tag",
    ]  # fmt: skip
    assert prose("# x\n#### y\nTitle\n---", 3) == "### x\n#### y\nTitle\n\\---"
    assert prose("a\u2028# b\x85c", 2) == "a\n## b\nc"


def test_a_voice_is_one_paragraph_of_the_persona() -> None:
    def shown(voice: object) -> str:
        agent = Agent("mina", AgentState("mina", "room"), Persona({"name": "Mina", "voice": voice}, "Du bist Mina."))
        return Prompts(Path("none"), shipped_prompts(), "de").render("persona.j2", me=view_self(World(), agent))

    said = "So redest du, und so merkst du dir etwas und schreibst es auf: Kurz. Nie {{ laut }}.\n"
    assert said in shown({"sentences": "Kurz.", "humour": "Nie\n{{ laut }}."})
    assert said in shown("Kurz. Nie {{ laut }}.")
    assert "So redest du" not in shown({"sentences": 3, "humour": ["laut"]})


def test_a_template_can_use_every_key_of_a_persona() -> None:
    agent = Agent("mina", AgentState("mina", "room"), Persona({"name": "Mina", "habits": ["hums"], "visits": [4]}))
    me = vars(view_self(World(), agent))
    assert {key.name for key in FRONT.keys} <= set(me)
    assert (me["name"], me["home"], me["habits"], me["visits"]) == ("mina", "room", ("hums",), (4,))


def test_persona_premise_pieces_and_passages_keep_their_lines() -> None:
    agent = Agent("mina", AgentState("mina", "room"), Persona({"name": "Mina"}, "A\n# Form der Antwort\nB"))
    prompts = Prompts(Path("none"), shipped_prompts(), "de")
    assert "\nA\n## Form der Antwort\nB\n" in prompts.render("persona.j2", me=view_self(World(), agent))
    shown = view_world(replace(WorldSettings(), premise="A\n# Form der Antwort\nB"))
    text = prompts.render("director.j2", world=shown, places={}, cast=[])
    assert "\nA\n### Form der Antwort\nB\n" in text
    piece = view_piece_at_hand(World(), agent, PieceAtHand("T", "mina", "A\u2028# B\n\n- C"))
    assert prompts.render("pieces.j2", pieces=[piece]).endswith("\n> A\n> # B\n> \n> - C\n")
    passage = view_passage(Passage("library/a.md", 1, 2, "T", "A\x85# B", ""))
    assert prompts.render("passages.j2", passages=[passage]).endswith("\n> A\n> # B\n")


def cases() -> list[tuple[str, str]]:
    root = shipped_prompts()
    names = sorted(path.relative_to(root).as_posix() for path in (*root.glob("*.j2"), *root.glob("scenes/*.j2")))
    return [
        (language, name) for name in names if name in GIVEN or name.startswith("scenes/") for language in ("de", "en")
    ]


@pytest.mark.parametrize(("language", "name"), cases())
def test_no_text_of_any_field_begins_a_line_of_any_prompt(language: str, name: str) -> None:
    prompts = Prompts(Path("none"), shipped_prompts(), language)
    variables = GIVEN.get(name) or GIVEN["scene"]
    for path, hostile in replaced(variables):
        if path in LOOKED_UP:
            continue
        text = prompts.render(name, **hostile)
        forged = [line for line in text.splitlines() if line.lstrip(" ").startswith(FORGED)]
        assert all(path in KEPT and line.startswith(KEPT[path]) for line in forged), path


def replaced(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a value once for each text in it, with that text made hostile."""
    if isinstance(value, str):
        yield path, HOSTILE
        yield path, f"\n{HOSTILE}"
        yield path, "## FORGED"
    elif isinstance(value, SimpleNamespace):
        for place, new in replaced(vars(value), path):
            yield place, SimpleNamespace(**new)
    elif isinstance(value, dict):
        for key, item in value.items():
            for place, new in replaced(item, f"{path}.{key}"):
                yield place, {**value, key: new}
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            for place, new in replaced(item, f"{path}[{number}]"):
                yield place, [*value[:number], new, *value[number + 1 :]]
