from dataclasses import replace

from gm.scene.recall import MOST_RECALLED, recall_alike
from tests.build import agent, node, scene


def test_the_newest_memories_of_such_scenes_that_are_not_shown_anyway_come_back() -> None:
    stream = [node(number, tags=("dnd",) if number % 2 else ("brot",)) for number in range(1, 41)]
    evening = scene("vera", type="EVENT")
    tagged = replace(evening, type=replace(evening.type, tag="dnd"))
    found = recall_alike(agent(stream=stream), tagged, {"vera-039"})
    assert [one.id for one in found] == [f"vera-{number:03d}" for number in range(23, 39, 2)]
    assert len(found) == MOST_RECALLED
    assert recall_alike(agent(stream=stream), evening, ()) == ()
