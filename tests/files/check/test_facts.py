"""Columns of facts say of each memory what a table of objects would say."""

from hypothesis import given
from hypothesis import strategies as st

from gm.files.check.facts import KINDS, OTHER, MemoryFacts, MemoryTable, Moments
from gm.model.calendar import parse_ref

IDS = st.integers(0, 400).map(lambda number: f"mina-{number:03d}") | st.sampled_from(
    ["mina-0001", "mina-00400", "mina-999999999999999999", "mina-100000", "mina-000"]
)
CREATED = st.sampled_from(
    [
        *("", "day-000", "day-001", "day-001/scene-01", "day-001/scene-01b", "day-0001/scene-01", "day-001/scene-00"),
        *("day-12345/scene-123", "day-001/scene-010", "day-002/scene-65535", "day-002/scene-65536"),
        *("day-4294967295/scene-01", "day-4294967296/scene-01", "day-999999999999999999/scene-01z"),
    ]
)


def fill(table: MemoryTable, identifier: str, created: str, depth: int) -> MemoryFacts:
    """Add a memory as the reader of a stream does."""
    found = Moments()[created]
    moment = OTHER if found is None else found
    if identifier == table.following:
        table.follow()
    else:
        table.jump(identifier, int(identifier.rpartition("-")[2]))
    if moment == OTHER:
        table.note_created(created)
    facts = MemoryFacts(len(table), created, "plan", depth, 7)
    table.lines.append(facts.number)
    table.moments.append(moment)
    table.kinds.append(KINDS["plan"])
    table.depths.append(depth)
    table.importances.append(7)
    table.marks.append(0)
    return facts


def make(ids: list[str], created: list[str]) -> tuple[MemoryTable, dict[str, MemoryFacts]]:
    table, expected = MemoryTable("mina"), dict[str, MemoryFacts]()
    for place, identifier in enumerate(ids):
        expected[identifier] = fill(table, identifier, created[place % len(created)], place)
    return table, expected


@given(st.lists(IDS, unique=True, max_size=30), st.lists(CREATED, min_size=1), IDS)
def test_a_table_has_what_was_put_into_it(ids: list[str], created: list[str], other: str) -> None:
    table, expected = make(ids, created)
    assert dict(table) == expected
    assert [*table] == ids
    assert (other in table) == (other in expected)
    assert "otto-001" not in table
    assert "mina-²²²" not in table
    assert table.highest == max((int(one.rpartition("-")[2]) for one in ids), default=0)


@given(st.lists(IDS, unique=True, max_size=30), st.lists(CREATED, min_size=1))
def test_moments_are_those_of_created(ids: list[str], created: list[str]) -> None:
    table, expected = make(ids, created)
    texts = [facts.created for facts in expected.values()]
    refs = [parse_ref(text) for text in texts]
    assert [table.ref(row) for row in range(len(table))] == refs
    assert [*table.turns()] == [row for row, text in enumerate(texts) if not row or text != texts[row - 1]]
    known = [ref for ref in refs if ref is not None]
    assert not table.is_in_order() or known == sorted(known)


@given(st.lists(IDS, unique=True, max_size=30), st.lists(IDS, unique=True, max_size=30))
def test_shared_ids_are_those_of_both(one: list[str], other: list[str]) -> None:
    shared = make(one, [""])[0].shared(make(other, [""])[0])
    assert sorted(shared) == sorted({*one} & {*other})


def test_a_stream_in_order_of_ids_and_days_needs_no_text_for_a_memory() -> None:
    table, _ = make([f"mina-{number:03d}" for number in range(1, 2001)], ["day-001/scene-01"])
    assert table.is_in_order()
    assert [held for held in vars(table).values() if isinstance(held, dict)] == [{}, {}, {}]


def test_numbers_of_moments_are_forgotten_when_they_are_many() -> None:
    moments = Moments()
    for day in range(70_000):
        assert moments[f"day-{day:03d}/scene-01"] is not None
    assert len(moments) < 70_000
