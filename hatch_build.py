"""What the wheel has besides the package.

The recorded days are packed: hundreds of files that are much alike take a twentieth of the room in one.
"""

from __future__ import annotations

import io
import lzma
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

RECORDED = "gm/worlds/recorded"
PACKED = "gm/worlds/recorded.tar.xz"
DOCS, HELP = "docs", "gm/_shipped/docs"
MADE = {f"reference/{name}.md" for name in ("api", "files", "personas", "schemas", "settings")}
"""Pages of Help that gm makes itself."""


class PackedDays(BuildHookInterface):  # type: ignore[type-arg, unused-ignore]
    """Puts ``recorded.tar.xz`` and the pages of Help into the wheel.

    The folder of the recorded days is excluded in ``pyproject.toml``.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Pack, unless the checkout itself is installed."""
        if version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        packed = Path(self.folder.name) / "recorded.tar.xz"
        packed.write_bytes(pack(Path(self.root) / RECORDED))
        build_data["force_include"][str(packed)] = PACKED
        docs = Path(self.root) / DOCS
        for path in sorted(docs.rglob("*.md")):
            if (name := path.relative_to(docs).as_posix()) not in MADE:
                build_data["force_include"][str(path)] = f"{HELP}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was packed."""
        if version != "editable":
            self.folder.cleanup()


def pack(folder: Path) -> bytes:
    """Return a tar archive of the files in a folder, the same bytes for the same files."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    return lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME)
