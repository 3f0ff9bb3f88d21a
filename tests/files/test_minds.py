"""What a world shows of the minds that are kept back."""

import json

import pytest

from gm.files.formats.text import read_readable
from gm.files.layout import Layout
from gm.files.minds import without_minds
from gm.layers import LAYERS
from gm.model.logged import PRIVACY, Privacy
from gm.model.node import render_node
from gm.model.scene import SUMMARY
from tests.build import node

SECRET = "Alex has hidden the letter from the north under the third chair."
_BOTH = [{"agent": name, "thought": "Not yet."} for name in ("alex", "casey")]
SHOWN: dict[Privacy, tuple[object, object]] = {
    Privacy.OPEN: (["alex", "casey"], ["alex", "casey"]),
    Privacy.REASON: ("It weighs on Alex.", None),
    Privacy.BY_ID: ({"alex": ["one"], "casey": ["two"]}, {"casey": ["two"]}),
    Privacy.OWNED: (_BOTH, _BOTH[1:]),
    Privacy.TURNS: (_BOTH, [{"agent": "alex"}, _BOTH[1]]),
    Privacy.TELLING: ("They ate.", "They ate."),
}
"""A value for each privacy, and what is shown of it while the mind of Alex is kept back."""


def test_no_retelling_quotes_a_memory_of_a_mind_that_is_kept_back(dinner: Layout) -> None:
    memory = render_node(node(agent="alex", description=SECRET))
    dinner.memories.mkdir(exist_ok=True)
    dinner.stream("alex").write_text(memory + "\n", encoding="utf-8")
    telling = [key for key, privacy in PRIVACY.items() if privacy is Privacy.TELLING]
    line = {"type": SUMMARY, **dict.fromkeys(telling, f"They ate. {SECRET}")}
    assert "retold" in telling
    dinner.logbook.mkdir(parents=True, exist_ok=True)
    dinner.day_log(1).write_text(json.dumps(line) + "\n", encoding="utf-8")
    with without_minds(dinner, ["alex"]):
        shown = json.loads(read_readable(dinner.day_log(1)))
    assert {shown[key] for key in telling} == {""}


@pytest.mark.parametrize("key", PRIVACY)
def test_each_key_of_the_logbook_is_shown_as_its_declaration_says(dinner: Layout, key: str) -> None:
    value, shown = SHOWN[PRIVACY[key]]
    line = {"type": "DIALOGUE", "participants": ["alex", "casey"], key: value}
    dinner.logbook.mkdir(parents=True, exist_ok=True)
    dinner.day_log(1).write_text(json.dumps(line) + "\n", encoding="utf-8")
    with without_minds(dinner, ["alex"]):
        assert json.loads(read_readable(dinner.day_log(1))).get(key) == shown


def test_no_layer_of_a_mind_that_is_kept_back_stands_in_the_logbook(dinner: Layout) -> None:
    records = {layer.reply.record for layer in LAYERS if layer.reply and layer.reply.record}
    changes = [{"agent": name, "text": "It weighs on me."} for name in ("alex", "casey")]
    line = {"type": "DIALOGUE", "participants": ["alex", "casey"], **dict.fromkeys(records, changes)}
    dinner.logbook.mkdir(parents=True, exist_ok=True)
    dinner.day_log(1).write_text(json.dumps(line) + "\n", encoding="utf-8")
    with without_minds(dinner, ["alex"]):
        shown = json.loads(read_readable(dinner.day_log(1)))
    assert records
    assert all(shown[key] == changes[1:] for key in records)
