"""Open pages are told when files change."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Iterator, MutableMapping
from contextlib import contextmanager
from threading import Thread
from time import time_ns
from typing import Any, TypeVar, cast

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

from gm.api.editing.board import put_up_brief
from gm.faces.web import live
from gm.faces.web.app import make_app
from gm.faces.web.live import News, Watcher, name_folders
from gm.faces.web.serve import LOOPBACK, Server, open_listening
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse

TIMEOUT_S = 20
Answer = TypeVar("Answer")


def edit(layout: Layout) -> None:
    """Change a file as an editor does."""
    with layout.stream("vera").open("a", encoding="utf-8") as file:
        file.write("\n")


async def soon(waiting: Awaitable[Answer]) -> Answer:
    return await asyncio.wait_for(waiting, TIMEOUT_S)


def listen(watcher: Watcher, since_ns: int | None = None) -> AsyncGenerator[News, None]:
    return cast(AsyncGenerator[News, None], watcher.listen(time_ns() if since_ns is None else since_ns))


def is_watched() -> bool:
    """Return whether a watcher is at work in the running loop."""
    return any("Watcher." in repr(task.get_coro()) and not task.cancelling() for task in asyncio.all_tasks())


def test_everybody_who_listens_is_told_of_a_change(studio: Layout) -> None:
    async def watch() -> None:
        watcher = Watcher(studio, 0.01)
        pages = [listen(watcher) for _ in range(3)]
        for page in pages:
            assert (await soon(anext(page))).paths == ()
        edit(studio)
        for page in pages:
            assert (await soon(anext(page))).paths == ("state/memories/vera.jsonl",)
        for page in pages:
            await page.aclose()

    asyncio.run(watch())


def test_a_page_hears_of_a_file_whose_name_is_no_text(studio: Layout) -> None:
    async def watch() -> bytes:
        events = live.tell(Watcher(studio, 0.01), time_ns(), dict, "")
        here = await soon(anext(events))
        (studio.memories / "\udcff.jsonl").write_text("", encoding="utf-8")
        changed = await soon(anext(events))
        await cast(AsyncGenerator[Any, None], events).aclose()
        return here.encode() + changed.encode()

    assert rb"state/memories/\udcff.jsonl" in asyncio.run(watch())


def test_nothing_is_watched_while_no_page_listens(studio: Layout) -> None:
    async def watch() -> None:
        watcher = Watcher(studio, 0.01)
        states = [is_watched()]
        one, two = listen(watcher), listen(watcher)
        await soon(anext(one))
        await soon(anext(two))
        await one.aclose()
        states.append(is_watched())
        await two.aclose()
        states.append(is_watched())
        assert states == [False, True, False]
        again = listen(watcher)
        await soon(anext(again))
        edit(studio)
        assert (await soon(anext(again))).paths
        await again.aclose()

    asyncio.run(watch())


def test_who_comes_back_is_told_what_was_missed(studio: Layout) -> None:
    async def watch() -> None:
        watcher = Watcher(studio, 0.01)
        page = listen(watcher)
        as_of = (await soon(anext(page))).as_of
        await page.aclose()
        put_up_brief(studio, "Baut!")
        page = listen(watcher, as_of)
        news = await soon(anext(page))
        assert {"state/bulletin.json", "state/world.json"} <= set(news.paths)
        assert news.as_of > as_of
        await page.aclose()
        page = listen(watcher, news.as_of)
        assert (await soon(anext(page))).paths == ()
        await page.aclose()

    asyncio.run(watch())


def test_a_server_that_ends_sends_everybody_away(studio: Layout) -> None:
    async def watch() -> None:
        watcher = Watcher(studio, 0.01)
        page = listen(watcher)
        await soon(anext(page))
        watcher.close()
        assert await soon(anext(page, None)) is None
        assert not watcher.enter()

    asyncio.run(watch())


def test_many_changes_are_named_by_their_folders() -> None:
    assert name_folders(["a/b", "a/c"]) == ["a/b", "a/c"]
    assert name_folders([f"a/{number}" for number in range(60)]) == ["a/"]
    assert name_folders([f"{number}/a" for number in range(60)]) == [""]


@contextmanager
def served(layout: Layout) -> Iterator[str]:
    """Serve a world on a thread; its address."""
    app = make_app(layout)
    server = Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2), app)
    with open_listening(0) as listening:
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(TIMEOUT_S)
            assert not thread.is_alive()


def events(stream: httpx.Response) -> Iterator[dict[str, Any]]:
    """Read events as a browser does."""
    found: dict[str, Any] = {}
    for line in stream.iter_lines():
        name, _, value = line.partition(": ")
        if not line and found:
            yield found
            found = {}
        elif name in ("id", "event"):
            found[name] = value
        elif name == "data":
            found |= json.loads(value)


def test_a_page_hears_of_a_change_and_can_ask_again_from_where_it_was(studio: Layout) -> None:
    with served(studio) as address, httpx.Client(base_url=address, timeout=TIMEOUT_S) as client:
        as_of = re.findall(r'data-as-of="(\d+)"', client.get("/index.html").text)[0]
        with client.stream("GET", f"/events?since={as_of}") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            assert stream.headers["content-security-policy"]
            heard = events(stream)
            first = next(heard)
            assert (first["event"], first["paths"]) == ("here", [])
            edit(studio)
            second = next(heard)
            assert (second["event"], second["paths"]) == ("changed", ["state/memories/vera.jsonl"])
        with client.stream("GET", f"/events?since={as_of}") as stream:
            assert next(events(stream))["paths"] == ["state/memories/vera.jsonl"]
        later = str(int(second["id"]) + live.BACK_NS + 1)
        with client.stream("GET", f"/events?since={as_of}", headers={"Last-Event-ID": later}) as stream:
            assert next(events(stream))["event"] == "here"


def test_nonsense_about_when_it_was_read_does_no_harm(studio: Layout) -> None:
    with served(studio) as address, httpx.Client(base_url=address, timeout=TIMEOUT_S) as client:
        for since in ("x", "-1", "9" * 40, "²", ""):
            with client.stream("GET", "/events", params={"since": since}) as stream:
                assert next(events(stream))["event"] in ("here", "changed")


def test_a_server_that_is_about_to_end_takes_no_listener(studio: Layout, browse: Browse) -> None:
    client = browse(studio)
    cast(Any, client.app).state.watcher.close()
    answer = client.get("/events")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, str(live.RETRY_AFTER_S))


class Page:
    """A page that asks for events, straight from the application, and stays until it is sent away."""

    def __init__(self) -> None:
        self.status = 0
        self.retry_after = ""
        self.left = asyncio.Event()
        self.answered = asyncio.Event()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.retry_after = dict(message["headers"]).get(b"retry-after", b"").decode()
        elif self.status == 503 or message.get("body"):
            self.answered.set()

    async def receive(self) -> MutableMapping[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def ask(self, app: Starlette) -> None:
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/events",
            "raw_path": b"/events",
            "query_string": b"",
            "root_path": "",
            "headers": [(b"host", b"127.0.0.1:8765")],
        }
        await app(scope, self.receive, self.send)


def test_a_burst_of_listeners_never_passes_the_limit(studio: Layout) -> None:
    async def burst(app: Starlette) -> list[Page]:
        pages = [Page() for _ in range(500)]
        tasks = [asyncio.create_task(page.ask(app)) for page in pages]
        for page in pages:
            await soon(page.answered.wait())
        assert is_watched()
        for page in pages:
            page.left.set()
        await soon(asyncio.gather(*tasks))
        return pages

    async def watch() -> None:
        app = make_app(studio)
        for _ in range(2):  # all places were given back after the first burst
            pages = await burst(app)
            assert [page.status for page in pages].count(200) == live.MOST_LISTENERS
            assert {page.retry_after for page in pages if page.status != 200} == {str(live.RETRY_AFTER_S)}
            assert {page.status for page in pages} == {200, 503}
        assert not is_watched()

    asyncio.run(watch())


def test_a_page_that_goes_before_the_first_event_gives_its_place_back(
    studio: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_LISTENERS", 1)

    class Gone(Page):
        async def send(self, message: MutableMapping[str, Any]) -> None:
            raise OSError("the connection was reset")

    async def watch() -> None:
        app = make_app(studio)
        for _ in range(3):
            with pytest.raises(Exception, match=r"connection was reset|unhandled errors"):
                await soon(Gone().ask(app))
        page = Page()
        task = asyncio.create_task(page.ask(app))
        await soon(page.answered.wait())
        assert page.status == 200
        page.left.set()
        await soon(task)

    asyncio.run(watch())


def test_a_page_that_shows_files_renews_itself_and_a_form_does_not(studio: Layout, browse: Browse) -> None:
    client = browse(studio)
    assert "live.js" in client.get("/index.html").text
    assert "live.js" not in client.get("/edit/brief.html").text
    assert client.get("/static/live.js").status_code == 200
