"""What ``provenance.json`` says, and what days are played with here: gm, Python, libraries."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import gm
from gm.api.history.git import GitError, repository_around
from gm.base.config import kinds
from gm.files.layout import LONGEST_DAY
from gm.model.calendar import render_day
from gm.model.record import Key, Record

FORM = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How days were played; the keys are explained by ``PROVENANCE``."""

    form: int
    gm: str
    commit: str
    python: str
    platform: str
    libraries: Mapping[str, str]
    cite: str
    title: str
    language: str
    seed: int
    days: tuple[int, ...]
    scenes: int
    calls: int
    models: Mapping[str, Mapping[str, int]]
    asked: int
    asked_otherwise: int
    by_hand: Mapping[str, Sequence[str]]
    notes: tuple[str, ...]
    begin: str
    end: str
    end_files: Mapping[str, str]
    settings: Mapping[str, Any]
    prompts: Mapping[str, str]
    files: Mapping[str, str]
    seeds: Mapping[str, int] = field(default_factory=dict)
    servers: tuple[str, ...] = ()

    def seed_of(self, day: int) -> int:
        """Return the seed of a day."""
        return self.seeds.get(render_day(day), self.seed)


@dataclass(frozen=True, slots=True)
class ProvenanceKept:
    """The file with what is needed to repeat the played days."""

    file: str
    bytes: int
    written: bool
    provenance: Provenance


_count = kinds.whole(0)
_seed = kinds.whole(-(2**63))
_digests = kinds.map_of(kinds.text.fits, "an object of texts by name", kinds.text.schema)
_paths_by_day = kinds.map_of(kinds.texts.fits, "an object of lists of paths, by day", kinds.texts.schema)
_seeds = kinds.map_of(_seed.fits, "an object of whole numbers, by day", _seed.schema)
_days = kinds.list_of(kinds.whole(1, 10**LONGEST_DAY - 1), "a list of story days")

PROVENANCE = Record(
    Provenance,
    "provenance",
    Key("form", kinds.whole(FORM, FORM), "the form of this file"),
    Key("gm", kinds.words, "the version of gm that made the file"),
    Key("commit", kinds.text, "its commit, if it ran from a checkout; + = with changes that were not committed"),
    Key("python", kinds.words, "the version of Python"),
    Key("platform", kinds.words, "the operating system and the machine"),
    Key("libraries", _digests, "versions of the libraries that take part, by name"),
    Key("cite", kinds.words, "how to cite gm"),
    Key("title", kinds.text, "the title of the world"),
    Key("language", kinds.words, "its language"),
    Key("seed", _seed, "its seed"),
    Key("seeds", _seeds, "the seed that each day was played with, by day; absent = all with ``seed``", default={}),
    Key("days", _days, "the story days that are repeated"),
    Key("scenes", _count, "how many scenes they had"),
    Key("calls", _count, "how many answers are kept, those that were of no use included"),
    Key("models", kinds.mapping, "calls of each model that answered, and tokens if they were counted, by name"),
    Key("servers", kinds.texts, "providers asked at another address than their own, and its kind", default=()),
    Key("asked", _count, "how many questions the days asked when they were tried"),
    Key("asked_otherwise", _count, "how many of them differ from those that were answered"),
    Key("by_hand", _paths_by_day, "files that people changed before a day; those not in by-hand/DAY/ were taken away"),
    Key("notes", kinds.texts, "what was said when the days were tried"),
    Key("begin", kinds.words, "the digest of the world before the first of the days"),
    Key("end", kinds.words, "the digest of the world after the last"),
    Key("end_files", _digests, "the digest (SHA-256) of each file of the world after the last of the days"),
    Key("settings", kinds.mapping, "each setting: its value, and whether gm.yaml sets it"),
    Key("prompts", _digests, "the digest of each prompt that comes with gm"),
    Key("files", _digests, "the digest of each other file in here"),
    code="provenance-{key}",
)


CITE = f"The gm authors: gm (gm-worlds), version {gm.__version__}, MIT licence"
"""As ``CITATION.cff`` says."""
_PACKAGE = Path(gm.__file__).resolve().parent
_NAME = re.compile(r"[\w.-]+")


def machine() -> dict[str, Any]:
    """Return the values of ``gm``, ``commit``, ``python``, ``platform`` and ``libraries``."""
    return {
        "gm": gm.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "libraries": _libraries(),
    }


def _commit() -> str:
    with suppress(GitError):
        repository = repository_around(_PACKAGE)
        if repository is not None and repository.top.resolve() == _PACKAGE.parent:
            changed = repository.text("status", "--porcelain", "--", _PACKAGE.name, "prompts").strip()
            return (repository.commit("HEAD") or "") + ("+" if changed else "")
    return ""


def _libraries() -> dict[str, str]:
    with suppress(metadata.PackageNotFoundError):
        wanted = [text for text in metadata.requires("gm-worlds") or () if "extra ==" not in text]
        names = sorted(found[0] for text in wanted if (found := _NAME.match(text)))
        return {name: metadata.version(name) for name in names}
    return {}
