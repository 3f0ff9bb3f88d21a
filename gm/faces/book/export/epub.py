"""A book as EPUB 3, made by pandoc from HTML."""

from __future__ import annotations

import json
import os
import re
import subprocess
from html import escape
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from gm.base.errors import GmError
from gm.base.installed import pip_install
from gm.faces.book.export.html import MARK, picture_sources, read_template, render_book_template
from gm.faces.book.export.pdf import paint_cover
from gm.faces.book.values import Manuscript
from gm.files.uncommitted.temporary import temporary_folder

EPOCH = "946684800"  # 2000-01-01: output must not depend on the clock
FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest in a zip file
_NO_TITLE = re.compile(rb"<title>ch[0-9]+\.xhtml</title>")
_NO_DATE = re.compile(rb"\s*<dc:date\b[^>]*>[^<]*</dc:date>")
UNIX = 3  # create_system of a zip entry
COVER = "media/cover.png"
TIMEOUT_S = 300


def bind_epub(book: Manuscript) -> bytes:
    """Make an EPUB 3: cover, title page, contents, one file per chapter.

    pandoc runs in its sandbox, in an empty folder, and reads only the files on its command line.

    Raises:
        GmError: The package pypandoc-binary is not installed, or pandoc failed.
    """
    pandoc = _find_pandoc()
    with temporary_folder("book") as root:
        (root / "book.html").write_text(
            render_book_template("epub.html", book, picture_sources(book), styled=False, top=2), encoding="utf-8"
        )
        (root / "book.json").write_text(json.dumps(_metadata(book), ensure_ascii=False), encoding="utf-8")
        command = [
            *(pandoc, "--sandbox", "--from=html-raw_html", "--to=epub3", "--output=book.epub"),
            *("--metadata-file=book.json", "--toc", "--toc-depth=2", "--split-level=1"),
            *("--epub-title-page=true", "--data-dir=.", "book.html"),
        ]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "TZ": "UTC", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command,
            cwd=root,
            env=environment,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GmError(
                f"pandoc failed: {said[-1][:200] if said else done.returncode}", "try another format: --format html"
            )
        return _finish((root / "book.epub").read_bytes(), book)


def _finish(data: bytes, book: Manuscript) -> bytes:
    target = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(target, "w", ZIP_DEFLATED) as new:
        for entry in old.infolist():
            _add_file(new, entry.filename, _normalise_file(entry.filename, old.read(entry), book))
        _add_file(new, f"EPUB/{COVER}", paint_cover(book))
        new.comment = MARK.encode()
    return target.getvalue()


def _normalise_file(name: str, content: bytes, book: Manuscript) -> bytes:
    if name.endswith(".css"):
        return read_template("epub.css").encode()
    if name.endswith(".xhtml"):
        title = b"<title>" + escape(book.title).encode() + b"</title>"
        return _NO_TITLE.sub(lambda _: title, content)
    if name.endswith(".opf"):
        content = _NO_DATE.sub(b"", content)
        content = content.replace(b"</metadata>", b'<meta name="cover" content="gm-cover" />\n  </metadata>', 1)
        item = f'<item id="gm-cover" href="{COVER}" media-type="image/png" properties="cover-image" />'
        return content.replace(b"</manifest>", item.encode() + b"\n  </manifest>", 1)
    return content


def _add_file(new: ZipFile, name: str, content: bytes) -> None:
    entry = ZipInfo(name, FIRST_DATE)
    entry.compress_type = ZIP_STORED if name == "mimetype" else ZIP_DEFLATED
    entry.create_system = UNIX
    new.writestr(entry, content)


def _metadata(book: Manuscript) -> dict[str, object]:
    """pandoc reads metadata as Markdown."""
    return {
        "title": _escape(book.title),
        "description" if book.one_day else "subtitle": _escape(book.subtitle),
        **({"creator": [{"role": "author", "text": _escape(book.author)}]} if book.author else {}),
        "lang": book.language,
        "identifier": book.identifier,
        "toc-title": _escape(book.words("contents")),
    }


def _escape(text: str) -> str:
    return "".join(
        letter if letter.isalnum() or letter == " " else f"\\{letter}" if letter.isascii() else letter
        for letter in text
    )


def _find_pandoc() -> str:
    try:
        import pypandoc  # type: ignore[import-untyped]  # it has no types
    except ImportError as error:
        raise GmError("the pypandoc-binary package is not installed", pip_install("book")) from error
    try:
        return str(pypandoc.get_pandoc_path())
    except OSError as error:
        raise GmError("pandoc was not found", f"{pip_install('book')}, or install pandoc") from error
