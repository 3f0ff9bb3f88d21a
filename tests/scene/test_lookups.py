from dataclasses import replace

from gm.model.passage import Passage
from gm.scene.apply import fold_scene
from gm.scene.turns import Turn
from tests.build import agent, memory, never, reply, scene, words, world

STEPS = Passage(
    "library/stufen.md", 12, 14, "Die ausgetretene Stufe", "## Links\n\nAbwärts tritt man > härter auf.", "K. Imhoff"
)
MORE = Passage("library/stufen.md", 20, 21, "Die ausgetretene Stufe", "Eine Schwelle zeigt mehr.")
FELT = Passage("library/filz.txt", 1, 1, "Filz", "Filz schluckt hohe Töne.")


def read(
    *memories: object, passages: tuple[Passage, ...] = (STEPS, MORE, FELT)
) -> tuple[list[object], tuple[str, ...]]:
    one = replace(scene("vera", play="solo"), passages=passages)
    change = fold_scene(world(agent("vera")), one, [Turn("vera", reply(memories=list(memories)))], words, taken=never)
    return list(change.nodes.get("vera", ())), change.warnings


def test_each_text_that_was_read_becomes_an_observation_that_says_where_it_stands() -> None:
    nodes, _ = read()
    first, second = nodes
    assert (first.type, first.importance, first.depth) == ("observation", 5, 0)  # type: ignore[attr-defined]
    assert first.metadata == {  # type: ignore[attr-defined]
        "kind": "read",
        "source": "library/stufen.md",
        "lines": [12, 14],
        "importance_by": "gm",
    }
    assert first.tags == ("library", "ausgetretene", "stufe")  # type: ignore[attr-defined]
    assert first.description == (  # type: ignore[attr-defined]
        "<read> title=Die ausgetretene Stufe author=K. Imhoff gist=Abwärts tritt man > härter auf."
    )
    assert second.metadata["source"] == "library/filz.txt"  # type: ignore[attr-defined]


def test_a_memory_cites_a_passage_by_its_place_and_rests_on_what_was_read() -> None:
    insight = memory(type="reflection", evidence=["`library/stufen.md:20-21`", "library/filz.txt"])
    nodes, warnings = read(insight)
    assert nodes[-1].evidence == ("vera-001", "vera-002")  # type: ignore[attr-defined]
    assert nodes[-1].depth == 1  # type: ignore[attr-defined]
    assert not warnings


def test_lines_that_were_miscounted_still_name_the_text_and_an_unknown_text_is_dropped() -> None:
    nodes, warnings = read(memory(type="reflection", evidence=["library/stufen.md:3", "library/erfunden.md:1-2"]))
    assert nodes[-1].evidence == ("vera-001",)  # type: ignore[attr-defined]
    assert "library/erfunden.md:1-2" in warnings[0]


def test_who_found_nothing_has_read_nothing() -> None:
    nodes, _ = read(memory(), passages=())
    assert [one.metadata for one in nodes] == [{}]  # type: ignore[attr-defined]
