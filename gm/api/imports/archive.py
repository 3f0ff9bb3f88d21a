"""Read an untrusted ZIP: of its table of contents only names are believed."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from gm.base.errors import UsageError

MOST_MEMBERS = 2000
MOST_BYTES = 30_000_000
"""Of one unpacked member."""
MOST_IN_ALL = 100_000_000
"""Bytes of all unpacked members together."""
BLOCK = 1 << 16
SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ADVICE = "nothing of it was read; unpack it by hand and look what it holds"


def read_zip(data: bytes, shown: str) -> dict[PurePosixPath, bytes]:
    """Return the files of a ZIP by path; bytes before its first signature are skipped.

    Raises:
        UsageError: It is damaged, encrypted, too large, or names a path outside itself.
    """
    if data.count(b"PK\x01\x02") > 10 * MOST_MEMBERS:  # before a list is made of them
        raise _refuse(shown, f"more than {MOST_MEMBERS} files in it")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise _refuse(shown, f"found {len(members)} files in it, expected at most {MOST_MEMBERS}")
            found: dict[PurePosixPath, bytes] = {}
            left = MOST_IN_ALL
            for member in members:
                path = _check_member(member, shown)
                if member.is_dir():
                    continue
                if path in found:
                    raise _refuse(shown, f"{path} is in it twice")
                found[path] = _unpack_member(archive, member, min(left, MOST_BYTES), shown)
                left -= len(found[path])
            return found
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError, OSError) as error:
        raise _refuse(shown, f"a damaged archive: {error}") from error


def _check_member(member: zipfile.ZipInfo, shown: str) -> PurePosixPath:
    name = member.orig_filename
    for wrong in _find_member_faults(member, name):
        raise _refuse(shown, f"{name[:80]!r} in it {wrong}")
    return PurePosixPath(name)


def _find_member_faults(member: zipfile.ZipInfo, name: str) -> Iterator[str]:
    parts = name.rstrip("/").split("/")
    if not name.isprintable() or "\\" in name or ":" in name:
        yield "has a name that no system takes"
    if name.startswith("/") or any(part in ("", ".", "..") for part in parts):
        yield "leads out of the archive"
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        yield "is a link or a device"
    if member.flag_bits & _ENCRYPTED:
        yield "is encrypted"
    if member.compress_type not in _PACKED:
        yield "is packed in an unusual way"


def _unpack_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int, shown: str) -> bytes:
    blocks: list[bytes] = []
    size = 0
    with archive.open(member) as file:
        while block := file.read(BLOCK):
            size += len(block)
            if size > most:
                raise _refuse(shown, f"{member.orig_filename[:80]!r} in it unpacks to more than {most:,} bytes")
            blocks.append(block)
    return b"".join(blocks)


def _refuse(shown: str, message: str) -> UsageError:
    return UsageError(f"{shown}: {message}", _ADVICE)
