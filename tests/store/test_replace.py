"""A step that gives a file another text does so only to the file that it was made from."""

import json
from pathlib import Path

from gm.store.commit import Replace, commit, recover, replace_step
from gm.store.lines import line_at, replace_lines

OLD, NEW = "eins\r\nzwei", "eins\r\nZWEI"


def make(root: Path, text: str = OLD) -> tuple[Path, Path, Replace]:
    path = root / "state" / "a.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path, root / "state" / ".gm" / "journal.json", replace_step(root, path, OLD, NEW)


def test_it_writes_the_new_text(tmp_path: Path) -> None:
    path, journal, step = make(tmp_path)
    assert commit(tmp_path, journal, [step]) == []
    assert path.read_bytes() == NEW.encode()
    assert commit(tmp_path, journal, [step]) == []
    assert path.read_bytes() == NEW.encode()


def test_it_leaves_a_file_alone_that_somebody_edited(tmp_path: Path) -> None:
    path, journal, step = make(tmp_path, "drei")
    assert commit(tmp_path, journal, [step]) == ["state/a.txt was edited meanwhile and stays as it is"]
    assert path.read_bytes() == b"drei"


def test_it_makes_no_file_that_is_gone(tmp_path: Path) -> None:
    path, journal, step = make(tmp_path)
    path.unlink()
    assert commit(tmp_path, journal, [step])
    assert not path.exists()


def test_an_interrupted_one_is_finished(tmp_path: Path) -> None:
    path, journal, step = make(tmp_path)
    commit(tmp_path, journal, [step])
    path.write_bytes(OLD.encode())
    record = {"kind": "replace", "path": step.path, "old_sha256": step.old_sha256, "text": NEW}
    journal.write_text(json.dumps([record]), encoding="utf-8")
    recover(tmp_path, journal)
    assert path.read_bytes() == NEW.encode()
    assert not journal.exists()


def test_lines_are_replaced_with_their_own_line_ends() -> None:
    text = "\ufeffeins\r\nzw\u2028ei\ndrei"
    assert [line_at(text, number) for number in (1, 2, 3)] == ["eins", "zw\u2028ei", "drei"]
    assert replace_lines(text, {1: "1", 3: "3"}) == "\ufeff1\r\nzw\u2028ei\n3"
    assert replace_lines(text, {}) == text
