"""Pages on which people judge pairs of texts, blind (``gm judge DIR --page``).

A browser never learns which condition a text comes from: it gets a digest as the pair's name, and neither the folder,
its files nor other verdicts. ``gm.api.experiments.judging.judges`` draws which text is first.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from threading import Lock
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gm.api.experiments.judging.judges import judge_by_hand, list_unjudged
from gm.base.casefold import casefold
from gm.base.errors import GmError
from gm.faces.web.actions.sent import FormTokenError, answer_sent, check_token
from gm.faces.web.fields import Fields, FormError
from gm.faces.web.standalone import FIRST_PAGE, BarePages, explain_status, make_standalone, words_for
from gm.files.experiments.judging import read_comparison, read_pairs, read_verdicts
from gm.model.verdict import CHOICES, Pair

PAIR_PAGE = "pair.html"
LONGEST_NAME, LONGEST_REASON = 80, 2000


class Judging:
    """The handlers of ``make_judging``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pages = BarePages("judging", {"longest_name": LONGEST_NAME, "longest_reason": LONGEST_REASON})
        self._writing = Lock()

    def first(self, request: Request, error: GmError | None = None, status: int = 0) -> Response:
        return self._pages.render(request, "first", {"pairs": len(read_pairs(self._folder)[0]), "error": error}, status)

    def pair(self, request: Request) -> Response:
        return self._show_pair(request, request.query_params.get("judge", ""))

    def take(self, request: Request, sent: Fields) -> Response:
        try:
            check_token(sent, self._pages.token)
            judge = self._judge(request, sent.get("judge", ""))
            better = next((choice for choice in CHOICES if choice == sent.get("choice")), None)
            if better is None:
                raise FormError(words_for(request)("judge.choose"))
        except (FormError, FormTokenError) as error:
            return self._show_pair(request, sent.get("judge", ""), error)
        with self._writing:  # a second click finds the pair judged
            for asked in list_unjudged(self._folder, judge):
                if name_pair(asked[0], judge) == sent.get("pair"):
                    judge_by_hand(self._folder, judge, asked, better, sent.get("reason", "")[:LONGEST_REASON])
        return RedirectResponse(f"/{PAIR_PAGE}?{urlencode({'judge': judge})}", 303)

    def missing(self, request: Request, error: Exception) -> Response:
        status, sentence = explain_status(request, error)
        return self._pages.render(request, "first", {"pairs": 0, "error": FormError(sentence)}, status)

    def refused(self, request: Request, _error: Exception) -> Response:
        # the error itself may quote the files
        error = FormError(words_for(request)("judge.broken"))
        return self._pages.render(request, "first", {"pairs": 0, "error": error}, 409)

    def _show_pair(self, request: Request, name: str, error: GmError | None = None) -> Response:
        try:
            judge = self._judge(request, name)
        except FormError as wrong:
            return self.first(request, error or wrong)
        left, count = list_unjudged(self._folder, judge), len(read_pairs(self._folder)[0])
        around = {"judge": judge, "count": count, "done": count - len(left), "error": error}
        if not left:
            return self._pages.render(request, "done", around)
        pair, swapped = left[0]
        texts = (pair.second_text, pair.first_text) if swapped else (pair.first_text, pair.second_text)
        comparison = read_comparison(self._folder)
        asked = {"question": comparison.question, "language": comparison.language}
        return self._pages.render(request, "pair", {**around, **asked, "texts": texts, "name": name_pair(pair, judge)})

    def _judge(self, request: Request, sent: str) -> str:
        """Return the name of a judge; as it was written first if only its case differs.

        Raises:
            FormError: It is empty, too long, or holds what cannot be printed.
        """
        name = " ".join(sent.split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise FormError(words_for(request)("judge.name_wrong", most=LONGEST_NAME))
        before = (verdict.judge for verdict in read_verdicts(self._folder)[0])
        return next((judge for judge in before if casefold(judge) == casefold(name)), name)


def name_pair(pair: Pair, judge: str) -> str:
    """Return what a page calls a pair; the key may say more than a judge should know."""
    return hashlib.sha256(f"{judge}\0{pair.key}".encode("utf-8", "surrogatepass")).hexdigest()[:24]


def make_judging(folder: Path) -> Starlette:
    """Return the application on which people judge the pairs of a folder."""
    pages = Judging(folder)
    routes = [
        Route(f"/{FIRST_PAGE}", pages.first, methods=["GET"]),
        Route(f"/{PAIR_PAGE}", pages.pair, methods=["GET"]),
        Route(f"/{PAIR_PAGE}", answer_sent(pages.take), methods=["POST"]),
    ]
    return make_standalone(routes, {HTTPException: pages.missing, GmError: pages.refused})
