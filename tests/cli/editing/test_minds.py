"""``gm mind soul`` and ``gm mind working``: looked at and changed by hand."""

from __future__ import annotations

import pytest

from gm.files.layout import Layout
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from tests.cli.running import Run
from tests.stories.playing import set_sections, tree


def test_a_kind_that_is_given_as_a_word_is_answered_with_the_option(run: Run, dinner: Layout) -> None:
    outcome = run("mind", "soul", "add", "alex", "fears", "Being late.", "-w", dinner.root)
    assert outcome.code == 2
    assert 'gm mind soul add alex "…" --kind fear' in outcome.err
    assert "No character has a soul yet" in run("soul", "show", "-w", dinner.root).out


def test_a_soul_is_written_shown_and_taken_from(run: Run, dinner: Layout) -> None:
    assert "No character has a soul yet" in run("soul", "show", "-w", dinner.root).out
    added = run("soul", "add", "Alex", "I believe  in lists.", "-w", dinner.root)
    assert (added.code, added.out) == (0, "alex + beliefs: I believe in lists.\n")
    run("soul", "add", "alex", "Being late.", "--kind", "fear", "-w", dinner.root)
    document = run("soul", "show", "alex", "--json", "-w", dinner.root).document
    assert document == {
        "on": True,
        "souls": [
            {
                "agent": "alex",
                "path": "state/souls/alex.yaml",
                "entries": [
                    {"number": 1, "kind": "beliefs", "text": "I believe in lists."},
                    {"number": 2, "kind": "fears", "text": "Being late."},
                ],
            }
        ],
    }
    assert (
        run("soul", "show", "-w", dinner.root).out
        == "alex\n   1 beliefs: I believe in lists.\n   2 fears: Being late.\n"
    )
    removed = run("soul", "remove", "alex", "2", "--json", "-w", dinner.root).document
    assert removed["removed"] == [{"kind": "fears", "text": "Being late."}]
    assert dinner.layer(SOUL, "alex").read_text() == "beliefs:\n  - I believe in lists.\nfears: []\n"
    assert run("soul", "remove", "alex", "i believe in LISTS", "-w", dinner.root).code == 0
    assert run("check", "-w", dinner.root).code == 0


def test_a_sentence_that_stands_there_is_not_added_again(run: Run, dinner: Layout) -> None:
    run("soul", "add", "alex", "Lists.", "-w", dinner.root)
    before = tree(dinner.root)
    outcome = run("soul", "add", "alex", "LISTS", "--kind", "value", "-w", dinner.root)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "stands in alex's soul already: LISTS\n"
    assert tree(dinner.root) == before


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (("soul", "remove", "alex", "I believe in lots"), "did you mean 1: I believe in lists."),
        (("soul", "remove", "alex", "nothing like it at all"), "see: gm mind soul show alex"),
        (("soul", "remove", "alex", "3"), "there is no entry 3: alex's soul has 1"),
        (("soul", "add", "nobody", "x"), "nobody here is called 'nobody'"),
        (("soul", "add", "alex", "x", "--kind", "fact"), "'fact'"),
        (("soul", "add", "alex", "  "), "there is no text"),
        (("working", "set", "alex", "current_subgoal", "a", "b"), "current_subgoal is one text"),
        (("working", "clear", "alex", "knwon"), "did you mean known?"),
        (("working", "show", "nobody"), "nobody here is called 'nobody'"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage_and_changes_nothing(
    run: Run, dinner: Layout, wish: tuple[str, ...], told: str
) -> None:
    run("soul", "add", "alex", "I believe in lists.", "-w", dinner.root)
    run("working", "set", "alex", "known", "The oven", "-w", dinner.root)
    before = tree(dinner.root)
    outcome = run(*wish, "-w", dinner.root)
    assert outcome.code == 2
    assert told in outcome.err
    assert tree(dinner.root) == before


def test_a_page_is_written_added_to_and_cleared(run: Run, dinner: Layout) -> None:
    assert "No character has a page yet" in run("working", "show", "-w", dinner.root).out
    run("working", "set", "alex", "current_subgoal", "Buy  leeks", "-w", dinner.root)
    run("working", "set", "alex", "known", "The oven is slow", "-w", dinner.root)
    shown = run("working", "set", "alex", "known", "Sam is late", "--add", "--json", "-w", dinner.root).document
    page = {"current_subgoal": "Buy leeks", "known": ["The oven is slow", "Sam is late"]}
    assert shown == {"agent": "alex", "page": page}
    assert run("working", "show", "alex", "--json", "-w", dinner.root).document["pages"][0]["page"] == page
    assert "known: Sam is late" in run("working", "show", "-w", dinner.root).out
    run("working", "clear", "alex", "known", "-w", dinner.root)
    assert dinner.layer(WORKING, "alex").read_text() == "current_subgoal: Buy leeks\n"
    run("working", "clear", "alex", "-w", dinner.root)
    assert dinner.layer(WORKING, "alex").read_text() == ""
    assert run("working", "clear", "alex", "-w", dinner.root).err == "nothing changed\n"
    assert run("check", "-w", dinner.root).code == 0


def test_what_is_written_while_a_layer_is_switched_off_says_that_no_character_sees_it(run: Run, dinner: Layout) -> None:
    set_sections(dinner.settings, "soul: off\nworking: {enabled: off}\n")
    run("soul", "add", "alex", "Lists.", "-w", dinner.root)
    run("working", "set", "alex", "known", "a", "-w", dinner.root)
    assert "switched off" in run("soul", "show", "-w", dinner.root).err
    assert "switched off" in run("working", "show", "-w", dinner.root).err


def test_a_file_that_cannot_be_read_is_named_and_left_alone(run: Run, dinner: Layout) -> None:
    dinner.layer_folder(SOUL).mkdir()
    dinner.layer(SOUL, "alex").write_text("beliefs: [\n")
    outcome = run("soul", "add", "alex", "Lists.", "-w", dinner.root)
    assert outcome.code == 1
    assert "state/souls/alex.yaml:1:10" in outcome.err
    assert dinner.layer(SOUL, "alex").read_text() == "beliefs: [\n"


def test_the_prompt_shows_soul_and_page(run: Run, dinner: Layout) -> None:
    before = run("context", "alex", "--prompt", "-w", dinner.root).out
    run("soul", "add", "alex", "I believe in lists.", "-w", dinner.root)
    run("working", "set", "alex", "known", "The oven is slow", "-w", dinner.root)
    after = run("context", "alex", "--prompt", "-w", dinner.root).out
    for text in ("I believe in lists.", "The oven is slow", "- `soul`:", "- `working`:"):
        assert text not in before
        assert text in after
    assert after.index("I believe in lists.") < after.index("# Your memories") < after.index("The oven is slow")
