"""Souls and pages on the disk: read tolerantly, changed key by key, and what a person wrote stays to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gm.base.errors import GmError
from gm.files.commits.stepforms import parse_step, render_step
from gm.files.commits.steps import BrokenFileError, SetYaml, carry_out
from gm.files.commits.writer import writing
from gm.files.formats.yamlmap import change_mapping, read_mapping
from gm.files.layers import load_mind, mind_steps
from gm.files.layout import Layout
from gm.layers.soul import SOUL, SoulChange, SoulEntry
from gm.layers.working import WORKING, PageChange
from gm.model.mind import MindChange

BY_HAND = """\
# Vera, as I see her
beliefs:   # two for now
  - Places remember who wore them down.  # the first one
  - 'Hands before words'
fears: []   # none that she would tell
dreams: {far: [a, b]}
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / "state" / "personas").mkdir(parents=True)
    return Layout(tmp_path)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def change(layout: Layout, wanted: MindChange) -> None:
    with writing(layout, "a test") as writer:
        writer.commit(mind_steps(layout, "vera", wanted))


def test_sentences_are_added_and_taken_out_and_every_other_byte_stays(layout: Layout) -> None:
    path = write(layout.layer(SOUL, "vera"), BY_HAND)
    added = (SoulEntry("fears", "Slow hands: mine."), SoulEntry("values", "One thing done."))
    change(layout, MindChange({SOUL.name: SoulChange(added, (SoulEntry("beliefs", "Hands before words"),))}))
    assert path.read_text() == (
        BY_HAND.replace("  - 'Hands before words'\n", "").replace(
            "fears: []   # none that she would tell\n", "fears:   # none that she would tell\n  - 'Slow hands: mine.'\n"
        )
        + "values:\n  - One thing done.\n"
    )


def test_a_new_file_is_written_the_way_a_person_would(layout: Layout) -> None:
    change(layout, MindChange({WORKING.name: PageChange({"current_subgoal": "Gießen: jetzt", "known": ["a", "b"]})}))
    assert layout.layer(WORKING, "vera").read_text() == "current_subgoal: 'Gießen: jetzt'\nknown:\n  - a\n  - b\n"


def test_windows_line_ends_stay(layout: Layout) -> None:
    path = write(layout.layer(WORKING, "vera"), "# mine\r\nknown:\r\n  - a\r\n")
    change(layout, MindChange({WORKING.name: PageChange({"known": ["a", "b"], "more": ["c"]})}))
    assert path.read_bytes() == b"# mine\r\nknown:\r\n  - a\r\n  - b\r\nmore:\r\n  - c\r\n"


def test_a_page_whose_last_key_goes_keeps_its_comments(layout: Layout) -> None:
    path = write(layout.layer(WORKING, "vera"), "# for today\nknown:\n  - a\n")
    change(layout, MindChange({WORKING.name: PageChange(gone=("known",))}))
    assert path.read_text() == "# for today\n"
    assert WORKING in load_mind(layout, "vera")[0]


def test_what_people_write_in_other_forms_is_read_as_far_as_it_goes(layout: Layout) -> None:
    write(layout.layer(SOUL, "vera"), "beliefs: One alone\nfears:\n  - Heights\n  - 7\n  - ''\nvalues:\n1: [x]\n")
    write(layout.layer(WORKING, "vera"), "known_interfaces: {a: 2026-03-02}\n_mine: x\n")
    mind, problems = load_mind(layout, "vera")
    assert problems == []
    assert mind[SOUL].entries == (SoulEntry("beliefs", "One alone"), SoulEntry("fears", "Heights"), SoulEntry("1", "x"))
    assert mind[WORKING].values == {"known_interfaces": {"a": "2026-03-02"}, "_mine": "x"}
    change(layout, MindChange({SOUL.name: SoulChange(added=(SoulEntry("beliefs", "Two"),))}))
    assert load_mind(layout, "vera")[0][SOUL].entries[:2] == (
        SoulEntry("beliefs", "One alone"),
        SoulEntry("beliefs", "Two"),
    )


@pytest.mark.parametrize("text", ["- a list\n", "just words\n", "a: [\n", "beliefs: &x [a]\nbase: *x\n"])
def test_a_file_in_which_no_value_can_be_changed_is_refused_before_anything_is_written(
    layout: Layout, text: str
) -> None:
    path = write(layout.layer(SOUL, "vera"), text)
    with pytest.raises(GmError, match=r"state/souls/vera\.yaml"):
        change(layout, MindChange({SOUL.name: SoulChange(added=(SoulEntry("beliefs", "b"),))}))
    assert path.read_text() == text


def test_a_step_can_be_carried_out_again_and_yields_to_a_person() -> None:
    step = SetYaml("x.yaml", {"known": ["a"], "gone": "g"}, {"known": ["a", "b"], "new": ["n"]})
    assert parse_step(render_step(step)) == step
    once, overruled = carry_out(step, b"known: [a]\ngone: g\n")
    assert (once, overruled) == (b"known: [a, b]\nnew:\n  - n\n", [])
    assert carry_out(step, once) == (once, [])
    theirs, (known, gone) = carry_out(step, b"known: [mine]\ngone: mine\n")
    assert theirs == b"known: [mine]\ngone: mine\nnew:\n  - n\n"
    assert (known.key, known.theirs, gone.key) == ("known", ["mine"], "gone")
    with pytest.raises(BrokenFileError):
        carry_out(step, b"known: [\n")


keys = st.sampled_from(["known", "recent_insights", "current_subgoal", "beliefs", "eigenes", "x y", "no"])
sentences = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30)
values = st.one_of(sentences, st.lists(sentences, max_size=4))


@given(
    st.dictionaries(keys, values, max_size=5), st.dictionaries(keys, values, max_size=4), st.sets(keys), st.booleans()
)
def test_after_a_change_exactly_the_wanted_values_are_read(
    old: dict[str, object], new: dict[str, object], gone: set[str], flow: bool
) -> None:
    text = yaml.safe_dump(old, allow_unicode=True, sort_keys=False, default_flow_style=flow) if old else "# mine\n"
    taken = gone - new.keys()
    expected = {key: value for key, value in {**old, **new}.items() if key not in taken}
    assert read_mapping(change_mapping(text, new, sorted(taken))) == expected
