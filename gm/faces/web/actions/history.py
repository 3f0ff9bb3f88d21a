"""The forms that rewind a world, undo a rewind, and branch."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial

from gm.api.history.git import repository_around
from gm.api.history.rewind.apply_rewind import RestorableFiles, check_commit, choose_git, go_back, list_kept, undo
from gm.api.history.rewind.branches import make_branch, place_branch
from gm.api.history.rewind.losses import describe_losses
from gm.api.history.rewind.moments import find_moment, print_moment
from gm.api.history.states import NOW
from gm.api.views.worlds import check_free, require_plain_name
from gm.faces.web.actions.forms import Action, SealedCall
from gm.faces.web.fields import Fields
from gm.faces.web.pages.history import name_moment
from gm.faces.web.site import NoPageError, Site
from gm.files.commits.snapshot import snapshot
from gm.files.formats.text import sha256
from gm.model.calendar import SceneRef, parse_ref


def _parse_moment(moment: str) -> SceneRef:
    ref = parse_ref(moment)
    if ref is None or str(ref) != moment:
        raise NoPageError(moment)
    return ref


def _show_moments(site: Site, _fields: Fields, **params: object) -> Mapping[str, object]:
    return {**params, "moment_name": partial(name_moment, site.words)}


def _begin_rewind(site: Site, moment: str) -> Fields:
    _parse_moment(moment)
    return {}


def _plan_rewind(site: Site, fields: Fields, moment: str) -> SealedCall:
    layout, anew = site.layout, bool(fields.get("ask_again"))
    git = choose_git(layout)
    check_commit(layout, git)
    with snapshot(layout):
        found = find_moment(layout, _parse_moment(moment))
        losses = describe_losses(layout, found)
        seal = print_moment(layout, found) if found.files else ""
    scenes = Counter(ref.day for name in losses.scenes if (ref := parse_ref(name)))
    shown = {"losses": losses, "scenes": scenes, "commits": git is not None, "anew": anew}
    return SealedCall(lambda: go_back(layout, found, git, ask_again=anew), seal, shown)


def _begin_undo(site: Site, number: int) -> Fields:
    _find_kept(site, number)
    return {}


def _plan_undo(site: Site, fields: Fields, number: int) -> SealedCall:
    layout, kept = site.layout, _find_kept(site, number)
    git = choose_git(layout)
    check_commit(layout, git)
    seal = sha256(json.dumps([kept.number, kept.to, kept.files, kept.result]).encode())
    return SealedCall(lambda: undo(layout, kept, git), seal, {"kept": kept, "commits": git is not None})


def _find_kept(site: Site, number: int) -> RestorableFiles:
    found = next((kept for kept in list_kept(site.layout) if kept.number == number), None)
    if found is None:
        raise NoPageError(str(number))
    return found


def _begin_branch(site: Site, moment: str) -> Fields:
    if moment != NOW:
        _parse_moment(moment)
    return {"branch": ""}


def _plan_branch(site: Site, fields: Fields, moment: str) -> SealedCall:
    layout, name = site.layout, require_plain_name(fields.get("branch", "").strip())
    ref = None if moment == NOW else _parse_moment(moment)
    beside = layout.root.with_name(f"{layout.root.name}-{name}")
    target, repository = place_branch(layout, name, None if repository_around(layout.root) else beside)
    check_free(target)
    with snapshot(layout):
        found = find_moment(layout, ref) if ref else None
    shown = {"folder": target, "git": repository is not None, "at": str(ref or "")}
    seal = sha256(json.dumps([str(target), str(ref), found.commit if found else ""]).encode())

    def act() -> object:
        return make_branch(layout, name, ref, target)

    return SealedCall(act, seal, shown)


ACTIONS: tuple[Action, ...] = tuple(
    Action(name, pattern, "history", plan, required=required, back="history", begin=begin, show=_show_moments)
    for name, pattern, plan, begin, required in (
        ("rewind", "edit/rewind/{moment}.html", _plan_rewind, _begin_rewind, ()),
        ("undo", "edit/undo/{number}.html", _plan_undo, _begin_undo, ()),
        ("branch", "edit/branch/{moment}.html", _plan_branch, _begin_branch, ("branch",)),
    )
)
