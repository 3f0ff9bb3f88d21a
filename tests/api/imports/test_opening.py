"""Files from outside: every container is opened, and every hostile one is refused with a sentence."""

from __future__ import annotations

import base64
import io
import json
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from gm.api.imports import archive, opening, png
from gm.api.imports.fields import parse_exact, parse_json, render_exact
from gm.api.imports.opening import open_source
from gm.base.errors import UsageError
from tests.api.imports.corpus import CARDS_V2, card_png, charx, chunk, picture, v2, v3, with_chunks, written

OTTO = v2("Otto", description="Otto waits.")


def write_file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        open_source(path)
    assert caught.value.hint
    return caught.value.message


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for member, content in members:
            made.writestr(member, content)
    return target.getvalue()


def test_every_container_holds_the_same_card(tmp_path: Path) -> None:
    text = base64.b64encode(written(OTTO))
    files = {
        "bare.json": written(OTTO),
        "mark.json": b"\xef\xbb\xbf" + written(OTTO),
        "no-ending": written(OTTO),
        "card.png": card_png(chara=OTTO),
        "case.PNG": card_png(CHARA=OTTO),
        "newer.png": card_png(chara=v2("Old"), ccv3=OTTO),
        "packed.png": with_chunks(chunk(b"zTXt", b"chara\0\0" + zlib.compress(text))),
        "international.png": with_chunks(chunk(b"iTXt", b"chara\0\0\0en\0\0" + text)),
        "both.png": with_chunks(chunk(b"iTXt", b"chara\0\1\0\0\0" + zlib.compress(text))),
        "card.charx": charx(OTTO),
        "self-extracting.exe": b"MZ\0\0" + b"\0" * 50 + charx(OTTO),
        "self-extracting.jpg": b"\xff\xd8\xff\xe0" + b"\0" * 50 + charx(OTTO),
    }
    for name, data in files.items():
        source = open_source(write_file(tmp_path, name, data))
        assert source.data == OTTO, name
        assert source.whole == data
        assert json.loads(source.raw.decode("utf-8-sig")) == OTTO


def test_lines_and_texts_are_read_as_what_they_are(tmp_path: Path) -> None:
    assert open_source(write_file(tmp_path, "a.jsonl", b'{"a": 1}\n\n{"b": 2}\n')).data == [{"a": 1}, {"b": 2}]
    assert open_source(write_file(tmp_path, "a.txt", "Anna: hallö".encode())).data == "Anna: hallö"
    assert "a.jsonl:2" in refusal(write_file(tmp_path, "a.jsonl", b'{"a": 1}\n{"b": \n'))


def test_a_folder_gives_the_files_that_are_listed(tmp_path: Path) -> None:
    inside = tmp_path / "town" / "bootstrap_memory"
    inside.mkdir(parents=True)
    write_file(inside, "scratch.json", b'{"name": "Isabella"}')
    write_file(inside, "secrets.txt", b"not read")
    (inside / "nodes.json").symlink_to("/etc/hostname")
    (tmp_path / "town" / ".git").mkdir()
    write_file(tmp_path / "town" / ".git", "meta.json", b"{}")
    source = open_source(tmp_path / "town")
    assert list(source.files) == [PurePosixPath("bootstrap_memory/scratch.json")]
    assert source.data == {"name": "Isabella"}
    assert source.problems == ("bootstrap_memory/nodes.json is a link and was not read",)
    (tmp_path / "empty").mkdir()
    assert "no file that can be read" in refusal(tmp_path / "empty")


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    card = write_file(tmp_path, "card.json", written(OTTO))
    (tmp_path / "link.json").symlink_to(card)
    os.mkfifo(tmp_path / "pipe")
    assert "is a link" in refusal(tmp_path / "link.json")
    assert "FIFO" in refusal(tmp_path / "pipe")
    assert "a device" in refusal(Path("/dev/zero"))
    assert "there is no" in refusal(tmp_path / "absent.json")
    assert "is empty" in refusal(write_file(tmp_path, "blank.json", b" \n"))
    assert "UTF-8" in refusal(write_file(tmp_path, "latin.json", '{"name": "Käthe"}'.encode("latin-1")))


def test_files_over_the_limit_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_BYTES", 100)
    assert "expected at most 100" in refusal(write_file(tmp_path, "long.json", b" " * 101))


@pytest.mark.parametrize("depth", [300, 100_000])
@pytest.mark.parametrize("beginning", ["[", '{"a":'])
def test_deep_nesting_is_an_error_in_words(tmp_path: Path, depth: int, beginning: str) -> None:
    end = "]" if beginning == "[" else "}"
    text = beginning * depth + "1" + end * depth
    assert "nested more than" in refusal(write_file(tmp_path, "deep.json", text.encode()))


def test_odd_json_is_harmless() -> None:
    read = parse_json('{"a": NaN, "a": Infinity, "b": -Infinity, "c": ' + "9" * 5000 + "}", "x")
    assert read == {"a": None, "b": None, "c": "9" * 5000}
    text = '{"a": [1.0, 1, 1e400, -0.0, true, null, "\\ud800 ä"], "b": {}, "c": []}'
    assert render_exact(parse_exact(text, "x")) == text.replace(' ä"', ' \\u00e4"')
    with pytest.raises(UsageError, match="x:1:6: not valid JSON"):
        parse_json("[1, 2", "x")


def test_pictures_that_are_damaged_are_refused(tmp_path: Path) -> None:
    good = card_png(chara=OTTO)
    at = good.index(b"tEXt")
    longer = good[: at - 4] + struct.pack(">I", 0x7FFFFFFF) + good[at:]
    spoiled = good[: at + 20] + b"!" + good[at + 21 :]
    bomb = chunk(b"zTXt", b"chara\0\0" + zlib.compress(b"A" * (png.MOST_TEXT_BYTES + 1)))
    many = b"".join(chunk(b"tEXt", b"k%d\0x" % number) for number in range(png.MOST_TEXTS + 1))
    refused = {
        "chunk is longer": longer,
        "wrong check sum": spoiled,
        "breaks off": good[:-12],
        "without a card": picture(),
        "not base64": with_chunks(chunk(b"tEXt", b"chara\0e30=!!!!")),
        "not valid JSON": with_chunks(chunk(b"tEXt", b"chara\0" + base64.b64encode(b"{"))),
        "bytes of text": with_chunks(bomb),
        f"more than {png.MOST_TEXTS} texts": with_chunks(many),
        "no header": png.SIGNATURE + chunk(b"IDAT", b"") + chunk(b"IEND", b""),
        "cannot be unpacked": with_chunks(chunk(b"zTXt", b"chara\0\0nonsense")),
        "is a JPEG": b"\xff\xd8\xff\xe0" + b"\0" * 100,
    }
    for said, data in refused.items():
        assert said in refusal(write_file(tmp_path, "bad.png", data))


def test_a_portrait_holds_nothing_but_the_picture(tmp_path: Path) -> None:
    hidden = [chunk(kind, b"chara\0SECRET") for kind in (b"tEXt", b"zTXt", b"eXIf", b"prVt", b"tIME")]
    data = with_chunks(chunk(b"tEXt", b"ccv3\0" + base64.b64encode(written(OTTO))), *hidden) + b"SECRET behind the end"
    portrait = png.without_texts(data)
    assert portrait == picture()
    source = open_source(write_file(tmp_path, "otto.png", card_png(chara=OTTO)))
    assert source.portrait == picture()


def linked() -> zipfile.ZipInfo:
    made = zipfile.ZipInfo("card.json")
    made.create_system = 3
    made.external_attr = (stat.S_IFLNK | 0o777) << 16
    return made


def patched(data: bytes, before: bytes, after: bytes) -> bytes:
    assert len(before) == len(after)
    return data.replace(before, after)


def encrypted() -> bytes:
    data = bytearray(zipped(("card.json", b"{}")))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "'../card.json' in it leads out": lambda: zipped(("../card.json", b"{}")),
    "'/etc/passwd' in it leads out": lambda: zipped(("/etc/passwd", b"")),
    "'a/../../b' in it leads out": lambda: zipped(("a/../../b", b"")),
    "a name that no system takes": lambda: zipped(("a\\b", b"")),
    "'C:/x' in it has a name": lambda: zipped(("C:/x", b"")),
    "is a link or a device": lambda: zipped((linked(), b"/etc/passwd")),
    "is in it twice": lambda: patched(zipped(("card.json", b"1"), ("card.jsoN", b"2")), b"card.jsoN", b"card.json"),
    "has no card.json": lambda: zipped(("cards.json", b"{}")),
    "a damaged archive": lambda: b"PK\x03\x04" + b"\0" * 100,
    "is encrypted": encrypted,
}


@pytest.mark.parametrize("said", HOSTILE)
def test_archives_that_lead_out_or_lie_are_refused(tmp_path: Path, said: str) -> None:
    assert said in refusal(write_file(tmp_path, "bad.charx", HOSTILE[said]()))


def test_an_archive_is_counted_while_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    monkeypatch.setattr(archive, "MOST_IN_ALL", 2500)
    monkeypatch.setattr(archive, "MOST_MEMBERS", 5)
    bomb = charx(OTTO, {"assets/a": b"\0" * 1001})
    assert "'assets/a' in it unpacks to more than 1,000 bytes" in refusal(write_file(tmp_path, "a.charx", bomb))
    lying = bomb.replace(struct.pack("<I", 1001), struct.pack("<I", 10))
    assert refusal(write_file(tmp_path, "b.charx", lying))
    several = charx(OTTO, {f"assets/{number}": b"\0" * 900 for number in range(3)})
    assert "unpacks to more than" in refusal(write_file(tmp_path, "c.charx", several))
    assert "6 files in it" in refusal(write_file(tmp_path, "d.charx", charx(OTTO, {str(n): b"" for n in range(5)})))


def test_archives_keep_what_belongs_to_a_card(tmp_path: Path) -> None:
    card = v3("Signal", description="A lamp.")
    source = open_source(
        write_file(tmp_path, "a.charx", charx(card, {"assets/icon/images/main.png": picture(), "extra.json": b"{}"}))
    )
    assert set(map(str, source.files)) == {"card.json", "assets/icon/images/main.png", "extra.json"}
    assert source.data == card


def test_writing_texts_replaces_those_that_are_there() -> None:
    again = png.write_texts(card_png(chara=CARDS_V2["full"]), {"ccv3": b"e30="})
    assert png.read_text_chunks(again) == {"ccv3": b"e30="}
    assert png.without_texts(again) == picture()


@pytest.mark.parametrize(("width", "height"), [(60_000, 60_000), (0, 0)])
def test_a_portrait_has_a_size_that_can_be_shown(width: int, height: int) -> None:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = png.SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    with pytest.raises(ValueError, match="pixels"):
        png.without_texts(data)
