"""A step that gives a file another text does so only to the file that it was made from."""

from pathlib import Path

from gm.files.commits.steps import line_at, read_exactly, replace_lines, replace_step
from gm.files.commits.writer import writing
from gm.files.layout import Layout

OLD, NEW = "\ufeffeins\r\nzwei", "\ufeffeins\r\nZWEI"


def replaced(root: Path, present: str) -> list[str]:
    """Replace OLD by NEW in a file that holds something by now; return what is said of it."""
    layout = Layout(root)
    path = root / "a.txt"
    path.write_bytes(present.encode())
    with writing(layout, "test") as writer:
        return [str(item) for item in writer.commit([replace_step(layout, path, OLD, NEW)])]


def test_it_writes_the_new_text(tmp_path: Path) -> None:
    assert replaced(tmp_path, OLD) == []
    assert read_exactly(tmp_path / "a.txt") == NEW
    assert replaced(tmp_path, NEW) == []


def test_it_leaves_an_edited_file_alone(tmp_path: Path) -> None:
    assert replaced(tmp_path, "drei") == ["a.txt was edited meanwhile and stays as it is"]
    assert read_exactly(tmp_path / "a.txt") == "drei"


def test_lines_are_replaced_with_their_own_line_ends() -> None:
    text = "\ufeffeins\r\nzw\u2028ei\ndrei"
    assert [line_at(text, number) for number in (1, 2, 3)] == ["eins", "zw\u2028ei", "drei"]
    assert replace_lines(text, {1: "1", 3: "3"}) == "\ufeff1\r\nzw\u2028ei\n3"
    assert replace_lines(text, {}) == text
