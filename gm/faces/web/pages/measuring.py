"""Pages that measure a world: interviews, an evaluation, a run among its siblings. Live only."""

from __future__ import annotations

from functools import partial

from gm.api.answers.speech import Words
from gm.api.experiments.evaluate.evaluation import describe_evaluation
from gm.api.experiments.evaluate.measure import Figure
from gm.api.views.cast import ShownAgent
from gm.api.views.experiment import view_experiment
from gm.api.views.interviews import view_interviews
from gm.faces.web.fields import number_in
from gm.faces.web.pages.history import name_moment
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.site import Site
from gm.model.calendar import parse_ref

MOST_BESIDE = 60
"""Memories that stood in a question, shown with their texts."""
MOST_RUNS, MOST_LINES = 300, 400


def show_interview(site: Site, agent: ShownAgent) -> Shown:
    """Show the interviews of a character at one moment, the newest if the query names none."""
    view = view_interviews(site.memories, agent.id, _query_value(site, "at"))
    return {
        "title": f"{agent.name} · {site.words('agent.interview')}",
        "view": view,
        "most": MOST_BESIDE,
        "moment_name": partial(name_moment, site.words),
    }


def show_evaluation(site: Site) -> Shown:
    """Show the measures of a world, once the query asks for them: they take seconds in a large world."""
    first, last = (number_in(_query_value(site, name)) for name in ("first", "last"))
    measured = describe_evaluation(site.layout, (), first, last) if _query_value(site, "show") else None
    return {
        "title": site.words("evaluation.title"),
        "found": measured,
        "asked": {"first": _query_value(site, "first"), "last": _query_value(site, "last")},
        "scale": scale_of,
        "ref": parse_ref,
        "figure_name": partial(figure_name, site.words),
        "renews": False,
    }


def show_experiments(site: Site) -> Shown:
    """Show a run of a sweep beside the others."""
    view = view_experiment(site.layout)
    shown = {"title": site.words("experiment.title"), "view": view, "most_runs": MOST_RUNS, "most_lines": MOST_LINES}
    extra = {"problems": view.problems if view else (), "figure_name": partial(figure_name, site.words)}
    return {**shown, **extra, "renews": False}


def figure_name(words: Words, name: str) -> str:
    """Return what a figure counts, such as ``plan: cited later``, in the language of the page where it is known."""
    return ": ".join(words.known("measured", part) for part in name.split(": "))


def scale_of(figures: tuple[Figure, ...]) -> dict[str, tuple[float, float]]:
    """Return the ends of the axis for each unit: 0 to 1 for shares, else what holds all values, intervals and 0."""
    found: dict[str, tuple[float, float]] = {"share": (0.0, 1.0)}
    for figure in figures:
        ends = [end for end in (figure.value, figure.low, figure.high) if end is not None]
        least, most = found.get(figure.unit, (0.0, 0.0))
        found[figure.unit] = (min([least, *ends]), max([most, *ends]))
    return found


def _query_value(site: Site, name: str) -> str:
    return next(iter(site.query.get(name, ())), "")


WATCHED = ("memories", "archive", "personas", "interviews")
INTERVIEW = PageKind("interview", "agents/{agent}/interview.html", "agents", show_interview, WATCHED, is_live=True)
EVALUATION = PageKind("evaluation", "evaluation.html", "evaluation", show_evaluation, WATCHED, is_live=True)
EXPERIMENT = PageKind("experiment", "experiment.html", "experiment", show_experiments, WATCHED, is_live=True)
