"""Pages of days: today, the calendar, one day, what is open, the logbook, what changed, what it cost."""

from __future__ import annotations

import html
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from gm.api.answers.speech import load_words
from gm.api.editing.threads import NewThread, open_thread
from gm.api.views.threads import known_threads
from gm.api.worlds.create import create_world
from gm.base.errors import BackendError
from gm.faces.web.pages import KINDS
from gm.faces.web.pages.world import money
from gm.faces.web.publish import publish
from gm.faces.web.rendering import format_signed
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.links import check_links, read_page
from tests.handmade import make_handmade
from tests.stories.playing import Counting, edit, play, records

ONE_PAGE = ("index.html", "days/index.html", "threads.html", "logbook.html", "changes.html", "cost.html")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}\u202e"


def rewrite_first_scene(layout: Layout, **values: object) -> None:
    lines = records(layout.day_log(1))
    lines[0] |= values
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n"
    layout.day_log(1).write_text(text, encoding="utf-8")


def close_day(layout: Layout, **values: object) -> None:
    *lines, last = records(layout.day_log(1))
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in (*lines, last | values)) + "\n"
    layout.day_log(1).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("path", [*ONE_PAGE, "days/001.html", "changes/001.html"])
def test_each_page_is_whole_after_a_day(played: Layout, browse: Browse, path: str) -> None:
    answer = browse(played).get(f"/{path}")
    assert answer.status_code == 200
    page = read_page(answer.text)
    assert page.inline == []
    assert len(page.places) == len(set(page.places))
    assert page.headings[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(page.headings))


@pytest.mark.parametrize("path", ["index.html", "days/001.html"])
def test_under_its_name_the_sentence_of_a_day_does_not_repeat_it(played: Layout, browse: Browse, path: str) -> None:
    page = browse(played).get(f"/{path}").text
    assert re.search(r"<h1>Tag 1, Montag</h1>", page)
    assert re.search(r'<p class="lead"><bdi>\d+ Szenen, ', page)


@pytest.mark.parametrize("path", ONE_PAGE)
def test_each_page_has_something_to_say_before_the_first_day(
    studio: Layout, dinner: Layout, browse: Browse, path: str
) -> None:
    assert browse(studio).get(f"/{path}").status_code == 200
    assert browse(dinner).get(f"/{path}").status_code == 200


@pytest.mark.parametrize("path", [*ONE_PAGE, "days/001.html", "days/003.html", "changes/003.html"])
def test_a_world_made_by_hand_is_shown(tmp_path: Path, browse: Browse, path: str) -> None:
    layout = make_handmade(tmp_path / "dorf")
    answer = browse(layout).get(f"/{path}")
    known = path in ONE_PAGE or int(path[-8:-5]) in layout.logged_days()
    assert answer.status_code == (200 if known else 404)


def test_a_day_reads_like_a_play(tmp_path: Path, browse: Browse) -> None:
    layout = create_world(tmp_path / "studio", "studio", days=1)
    text = browse(layout).get("/days/001.html").text
    for line in records(layout.day_log(1))[:-1]:
        assert f'id="scene-{line["scene"]:02d}"' in text
        for key in ("dialogue", "thoughts", "actions"):
            for item in line[key]:
                assert item["text"].replace("'", "&#39;") in text
    assert "Besprechung" in text
    assert "Zusage heute fällig" in text


@pytest.fixture(scope="module")
def site(five_days: Layout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five days, published. Shared: read it, do not write into it."""
    folder = tmp_path_factory.mktemp("published") / "site"
    publish(five_days, folder, frozenset())
    return folder


def narration(page: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page)))


def test_simultaneous_turns_are_marked(tmp_path: Path, browse: Browse) -> None:
    layout = create_world(tmp_path / "studio", "studio", days=1)
    lines = records(layout.day_log(1))[:-1]
    at_once = [line for line in lines if [turn["round"] for turn in line["turns"]][1:2] == [1]]
    assert at_once
    assert narration(browse(layout).get("/days/001.html").text).count("zur gleichen Zeit") >= len(at_once)


def test_lines_said_among_many_name_their_addressees(five_days: Layout, site: Path) -> None:
    found = [
        (day, f"zu {line['to'].capitalize()}: {line['text']}")
        for day in range(1, 6)
        for scene in records(five_days.day_log(day))[:-1]
        if len(scene["participants"]) > 2
        for turn in scene["turns"]
        for line in turn.get("lines", ())
        if "to" in line
    ]
    assert found
    pages = {day: narration((site / f"days/{day:03d}.html").read_text(encoding="utf-8")) for day, _ in found}
    assert [text for day, text in found if text not in pages[day]] == []


def test_the_days_beside_a_day_are_linked(five_days: Layout, browse: Browse) -> None:
    text = browse(five_days).get("/days/003.html").text
    assert 'rel="prev" href="002.html"' in text
    assert 'rel="next" href="004.html"' in text
    assert 'href="#scene-01"' in text


@pytest.mark.parametrize("path", ["days/2.html", "days/002.html", "days/0001.html", "days/x.html", "changes/002.html"])
def test_a_day_that_was_not_played_has_no_page(played: Layout, browse: Browse, path: str) -> None:
    assert browse(played).get(f"/{path}").status_code == 404


@pytest.mark.parametrize(
    "path", ["logbook-1.html", "logbook-2.html", "logbook-x.html", "threads-1.html", "threads-2.html"]
)
def test_a_page_beyond_the_last_one_does_not_exist(played: Layout, browse: Browse, path: str) -> None:
    assert browse(played).get(f"/{path}").status_code == 404


def test_texts_of_a_world_are_only_text(played: Layout, browse: Browse) -> None:
    said = [{"agent": HOSTILE, "text": HOSTILE}, {"agent": "vera", "text": HOSTILE}]
    rewrite_first_scene(
        played,
        type=HOSTILE,
        location=HOSTILE,
        time_of_day=HOSTILE,
        participants=["vera", HOSTILE],
        why=HOSTILE,
        premise=HOSTILE,
        premises={HOSTILE: HOSTILE},
        dialogue=said,
        thoughts=said,
        actions=said,
        artifacts=["../../etc/passwd", "/etc/passwd", f"gallery/{HOSTILE}\x00"],
        memories=[{"agent": HOSTILE, "id": HOSTILE, "importance": 9}],
        threads=[{"id": HOSTILE, "event": HOSTILE, "by": HOSTILE, "outcome": HOSTILE}],
        score={HOSTILE: 1},
        scene=HOSTILE,
    )
    open_thread(played, NewThread("vera", HOSTILE))
    for path in (*ONE_PAGE, "days/001.html"):
        text = browse(played).get(f"/{path}").text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "49" not in re.findall(r"onerror=alert\(2\)&gt;(\w+)", text)
        assert "root:" not in text


def test_a_piece_that_is_not_in_the_gallery_is_named_and_not_linked(played: Layout, browse: Browse) -> None:
    rewrite_first_scene(played, artifacts=["gallery/design/day-001_nie-gemacht_v1.md"])
    text = browse(played).get("/days/001.html").text
    assert "nie gemacht" in text
    assert "nie-gemacht" not in text


def test_what_waits_for_an_echo_at_the_end_of_a_day_is_a_title_and_a_link(played: Layout, browse: Browse) -> None:
    (played.gallery / "design").mkdir(exist_ok=True)
    made = played.gallery / "design" / "day-001_das-tor_v1.md"
    made.write_text("---\ntitle: Das <b>Tor</b>\n---\n\nEin Blatt.\n", encoding="utf-8")
    close_day(
        played,
        open_threads=[
            "Noch ohne Reaktion: gallery/design/day-001_das-tor_v1.md",
            "gallery/design/day-001_nie-gemacht_v1.md: without a reaction",
        ],
    )
    text = browse(played).get("/days/001.html").text
    assert re.search(
        r'Noch ohne Reaktion: </bdi><a href="[^"]*das-tor[^"]*"><bdi>Das &lt;b&gt;Tor&lt;/b&gt;</bdi></a>', text
    )
    assert "<bdi>nie gemacht</bdi><bdi>: without a reaction</bdi>" in text
    assert "gallery/design/day-001" not in re.sub(r"<[^>]*>", "", text)


def test_what_hangs_on_the_board_and_what_was_decided_is_shown(played: Layout, browse: Browse) -> None:
    board = json.loads(played.bulletin.read_text(encoding="utf-8"))
    board["posts"].append(
        {"from": "creative-director", "type": "note", "day": 1, "scene": 0, "content": "Nicht heizen!"}
    )
    board["team_decisions"] = [{"decision": "Donnerstags ist frei."}]
    played.bulletin.write_text(json.dumps(board, ensure_ascii=False), encoding="utf-8")
    assert "Nicht heizen!" in browse(played).get("/days/001.html").text
    assert "Donnerstags ist frei." in browse(played).get("/index.html").text


def test_the_logbook_is_filtered_by_what_stands_in_the_address(five_days: Layout, browse: Browse) -> None:
    whole = browse(five_days).get("/logbook.html").text
    work = browse(five_days).get("/logbook.html?type=WORK&agent=vera").text
    assert 0 < work.count("<tr>") < whole.count("<tr>")
    assert '<option value="WORK" selected>' in work
    assert browse(five_days).get("/logbook.html?day=999999999999").status_code == 200
    assert browse(five_days).get("/logbook.html", params={"type": HOSTILE}).text.count("<script>alert") == 0


def test_thoughts_can_be_switched_off_without_a_script(played: Layout, browse: Browse) -> None:
    text = browse(played).get("/days/001.html").text
    assert re.search(r'<input type="checkbox" id="with-thoughts" checked>', text)
    assert "main:has(#with-thoughts:not(:checked)) .thought" in browse(played).get("/static/days.css").text


def test_what_a_publisher_keeps_back_is_nowhere_in_the_site(played: Layout, tmp_path: Path) -> None:
    lines = records(played.day_log(1))[:-1]
    thoughts = [item["text"] for line in lines for item in line["thoughts"]]
    reasons = [line["why"] for line in lines]
    publish(played, tmp_path / "site", frozenset(("thoughts", "reasons", "cost")))
    site = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.html"))
    assert thoughts
    assert not [text for text in (*thoughts, *reasons) if text in site]
    assert "with-thoughts" not in site
    assert not (tmp_path / "site" / "cost.html").exists()
    assert check_links(tmp_path / "site")[1] == []


@pytest.mark.slow
def test_a_published_world_of_many_days_leads_nowhere_wrong(site: Path) -> None:
    pages, faults = check_links(site)
    assert faults == []
    assert {f"days/{day:03d}.html" for day in range(1, 6)} <= pages.keys()
    assert '<form class="fields"' not in (site / "logbook.html").read_text(encoding="utf-8")


def test_a_day_that_stopped_in_the_middle_is_shown_as_far_as_it_went(studio: Layout, browse: Browse) -> None:
    with pytest.raises(BackendError):
        play(studio, backend=Counting(limit=12))
    assert records(studio.day_log(1))
    for path in ("index.html", "days/001.html"):
        text = browse(studio).get(f"/{path}").text
        assert "Der Tag läuft noch." in text
        assert 'id="scene-01"' in text or 'href="days/001.html#scene-0' in text
        assert 'id="evening"' not in text
    assert "läuft noch" in browse(studio).get("/days/index.html").text


def test_a_process_that_writes_is_named(played: Layout, browse: Browse) -> None:
    with locked(played.lock, "gm advance-day"):
        assert "gm advance-day" in browse(played).get("/index.html").text
    assert "Gerade schreibt" not in browse(played).get("/index.html").text


def test_a_world_that_is_rehearsed_says_that_it_cost_nothing(played: Layout, browse: Browse) -> None:
    text = browse(played).get("/cost.html").text
    assert "Kein Geld: Alles wurde geprobt" in text
    figures = text[text.index('<ul class="figures wide">') : text.index("<table")]
    assert figures.count("(geschätzt)") == 2
    assert text.count("ist geschätzt oder fehlt (–)") == 1


def test_a_bill_names_the_narrator_and_no_number_where_nobody_counted(played: Layout, browse: Browse) -> None:
    trace = {"label": "chapter", "purpose": "narrator", "who": "", "backend": "mailbox", "answer": {}}
    (played.traces / "day-001" / "chapter.123456789abc.json").write_text(json.dumps(trace), encoding="utf-8")
    text = browse(played).get("/cost.html").text
    assert "chapter" not in text
    assert text.count('<bdi>Erzählstimme</bdi></th><td class="number">1</td><td class="number">–</td>') == 2


def test_of_a_world_that_was_played_again_the_tokens_are_not_called_an_estimate(played: Layout, browse: Browse) -> None:
    for file in played.traces.glob("**/*.json"):
        file.write_text(file.read_text(encoding="utf-8").replace('"rehearsal"', '"replay"'), encoding="utf-8")
    text = browse(played).get("/cost.html").text
    assert "Kein Geld" in text
    assert "geschätzt" not in text


def test_names_numbers_and_money_are_written_in_the_language() -> None:
    german, english = load_words("de", "gm.faces.web"), load_words("en", "gm.faces.web")
    assert [format_signed(german, value) for value in (2, -0.5, 0.25, 0)] == ["+2", "−0,5", "+0,25", "0"]
    assert money(english, 1234.5) == "1,234.50\N{NO-BREAK SPACE}$"
    assert money(german, 0.00042) == "0,0004\N{NO-BREAK SPACE}$"


def test_every_kind_of_page_of_days_is_registered() -> None:
    assert {"today", "days", "day", "threads", "logbook", "changes", "cost"} <= {kind.name for kind in KINDS}


def agree(layout: Layout) -> None:
    """Let the first day hold an appointment that was missed, a scene that went on, and what came of plans."""
    open_thread(layout, NewThread("vera", "Karten legen", "appointment", ("leo",), 2, "10:30", "kontor"))
    open_thread(layout, NewThread("vera", "Kein Wort über das Geld", "silence", ("leo",)))
    agreed, secret = known_threads(layout)[0][-2:]
    ends = {"vera": [{"text": "Den Turm kleben", "status": "dropped", "why": "der Leim ist alt"}]}
    opened = {"event": "open", "by": "vera"}
    rewrite_first_scene(
        layout,
        clock="10:30",
        moved_to=["flur"],
        plan_status=ends,
        threads=[{"id": agreed.id, **opened}, {"id": secret.id, **opened}],
    )
    lines = records(layout.day_log(1))
    lines[-1] |= {"missed": [agreed.id], "plans": ends}
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n"
    layout.day_log(1).write_text(text, encoding="utf-8")


def words_of(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_a_day_tells_what_was_arranged_where_it_went_and_what_came_of_plans(played: Layout, browse: Browse) -> None:
    agree(played)
    day = words_of(browse(played).get("/days/001.html").text)
    assert "10:30" in day
    assert "→ Flur" in day
    assert "verabredet Vera mit Leo : Karten legen (an Tag 2, 10:30 · Kontor)" in day
    assert "Den Turm kleben fallen gelassen der Leim ist alt" in day
    assert "Versäumt Vera mit Leo : Karten legen (10:30 · Kontor)" in day
    assert "0 von 1 Punkten erledigt" in day
    threads = words_of(browse(played).get("/threads.html").text)
    assert "Verabredung · an Tag 2 · 10:30 · Kontor Vera mit Leo Karten legen" in threads
    today = words_of(browse(played).get("/index.html").text)
    assert "Karten legen Vera mit Leo · 10:30 · Kontor" in today


def test_what_was_promised_to_be_kept_quiet_is_on_no_published_page(played: Layout, tmp_path: Path) -> None:
    agree(played)
    for hidden, shown in ((frozenset(), True), (frozenset({"private"}), False)):
        folder = tmp_path / f"site-{shown}"
        publish(played, folder, hidden)
        site = [path.read_text(encoding="utf-8") for path in folder.rglob("*.html")]
        assert any("Kein Wort über das Geld" in text for text in site) is shown
        assert sum("Karten legen" in text for text in site) >= 4


def test_a_private_plan_is_on_no_published_page(played: Layout, tmp_path: Path) -> None:
    agree(played)
    edit(played.agent("vera"), {"today_plan": ["MOVED: Den Turm kleben"]})
    stream = played.stream("vera")
    lines = [json.loads(line) for line in stream.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["tags"] += ["private"] if line["type"] == "plan" else []
    for hidden, shown in ((frozenset(), True), (frozenset({"private"}), False)):
        stream.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        publish(played, tmp_path / f"site-{shown}", hidden)
        pages = [tmp_path / f"site-{shown}" / name for name in ("agents/vera.html", "days/001.html")]
        assert [("Den Turm kleben" in page.read_text(encoding="utf-8")) for page in pages] == [shown, shown]


def test_a_chapter_stands_before_the_scenes_as_text_with_its_breaks(played: Layout, browse: Browse) -> None:
    page = browse(played).get("/days/001.html").text
    assert 'id="chapter"' not in page
    close_day(played, chapter=f"Alex came in.\n\n***\n\n{HOSTILE}")
    page = browse(played).get("/days/001.html").text
    assert '<a href="#chapter">' in page
    _, _, rest = page.partition('id="chapter"')
    chapter, _, _ = rest.partition("</section>")
    assert "Als Kapitel" in chapter
    assert chapter.count('<p class="told">') == 2
    assert chapter.count("<hr>") == 1
    assert "<script" not in chapter
    assert "{{ 7 * 7 }}" in chapter
