"""Where a term occurs: its memories, and the words in each of them."""

from gm.memory.recall.lexicon import NOWHERE, Postings


def test_each_place_comes_with_its_own_words() -> None:
    found = Postings((0, 3, 4), (1, 2, 1), b"aabbccdd")
    rows = {0: b"aa", 3: b"bbcc", 4: b"dd"}
    assert dict(found.rows()) == rows
    assert found.at({4, 3}) == {4: rows[4], 3: rows[3]}
    assert Postings(range(9), [1] * 9, bytes(range(18))).at({7, 2}) == {2: bytes((4, 5)), 7: bytes((14, 15))}
    assert dict(NOWHERE.rows()) == {}
