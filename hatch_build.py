"""What the wheel has besides the package.

The recorded days are packed: hundreds of files that are much alike take a twentieth of the room in one. So are the
templates and the words of pages and books, the phrases of the rehearsal, and the pages of Help: texts, which bzip2
packs best. The scripts of other projects are packed as well; their licences stay files.
"""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKED = (
    ("gm/worlds/recorded", "gm/worlds/recorded.tar.xz", "*"),
    ("gm/faces/web/static/vendor", "gm/faces/web/vendor.tar.xz", "*.js"),
    ("gm/faces/web/templates", "gm/faces/web/templates.tar.bz2", "*.html"),
    ("gm/faces/book/export/templates", "gm/faces/book/export/templates.tar.bz2", "*"),
    ("gm/faces/book/words", "gm/faces/book/words.tar.bz2", "*.yaml"),
    ("gm/api/views/words", "gm/api/views/words.tar.bz2", "*.yaml"),
    ("gm/faces/web/words", "gm/faces/web/words.tar.bz2", "*.yaml"),
    ("gm/llm/rehearsal/phrases", "gm/llm/rehearsal/phrases.tar.bz2", "*.yaml"),
    ("docs", "gm/_shipped/docs.tar.bz2", "*.md"),
)
"""Folders, the files that they become, and what is packed of each; ``pyproject.toml`` excludes those in ``gm``."""
MADE = {f"reference/{name}.md" for name in ("api", "commands", "files", "json", "personas", "schemas", "settings")}
"""Pages of Help that gm makes itself."""


class PackedFolders(BuildHookInterface):  # type: ignore[type-arg, unused-ignore]
    """Puts folders into the wheel as packed files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Pack, unless the checkout itself is installed."""
        if version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        for folder, target, pattern in PACKED:
            packed = Path(self.folder.name) / target.replace("/", "-")
            packed.write_bytes(pack(Path(self.root) / folder, pattern, is_prose=target.endswith(".bz2")))
            build_data["force_include"][str(packed)] = target

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was packed."""
        if version != "editable":
            self.folder.cleanup()


def pack(folder: Path, pattern: str = "*", *, is_prose: bool = False) -> bytes:
    """Return a tar archive of the files in a folder without ``MADE``, the same bytes for the same files."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob(pattern)):
            if path.is_file() and (name := path.relative_to(folder).as_posix()) not in MADE:
                data = path.read_bytes()
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    if is_prose:
        return bz2.compress(plain.getvalue())
    of_text = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}
    return lzma.compress(plain.getvalue(), filters=[of_text])
