"""The JSON of every command (``docs/reference/json.md``): which value each prints with ``--json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NotRequired, TypedDict

from gm.api.editing import accumulators, board, calendar, gift, goals, layers, share, threads
from gm.api.editing.check.whole import CheckReport
from gm.api.experiments.evaluate.measure import Evaluation, EvaluationAgainst
from gm.api.experiments.interview.asking import InterviewResult
from gm.api.experiments.judging import judges, pairs, verdicts
from gm.api.experiments.provenance.contents import ProvenanceKept
from gm.api.experiments.provenance.replay import Replayed
from gm.api.experiments.sweep.compare import Experiment
from gm.api.history.compare.comparison import Comparison
from gm.api.history.diff.difference import Difference
from gm.api.history.diff.parts import describe_node
from gm.api.history.diff.story import Story, reflection_record
from gm.api.history.gitsetup import GitSetupRemoved, SetUp
from gm.api.history.rewind.apply_rewind import Rewound, Undone
from gm.api.history.rewind.branches import Branch, Branches
from gm.api.imports.adopt.adoption import Adoption
from gm.api.imports.landing import Imported
from gm.api.playing import ask, care, context
from gm.api.playing.forecast.report import ForecastReport
from gm.api.reference import keytables, shapes
from gm.api.reports import cost, diary, models, plan, recall, relationships, settings, stats, status
from gm.api.reports.memories import AgentMemories, MemoriesFound, MemoryCorrected, MemoryFound, memory_record
from gm.api.reports.shown import ShownInScene
from gm.api.reports.why.describe import Why
from gm.api.worlds.index import IndexBuilt, IndexRemoved, IndexStatus
from gm.api.worlds.migrate.migration import Migration
from gm.base.config.manual import SettingEntry
from gm.model import clock, node, thread
from gm.model.logged import LOG_LINE
from gm.model.turns import TURN, PlayedTurn
from gm.play.master import DayResult

HEAD = """\
# The JSON of every command

Made from the types of the answers by `make docs`; change those, not this file.

With `--json` a command prints one JSON document on standard output; progress and notices are on standard error. Keys
may be added in any version, so ignore those that you do not know. `a.b` is a key in an object, `a[].b` one in each
object of a list, `a.*` stands for each name (a character, a day) in an object. From Python the same values are what
the functions of [`import gm`](api.md) return.

`gm advance-day --events` prints a document a line instead, each with its `event`. `gm recall --queries` prints a line
for each question, with the keys of the question first.
"""


class DaysPlayed(TypedDict):
    """Days that were played."""

    backend: Annotated[str, "who answers for the cast"]
    model: Annotated[str, "empty where the backend has none"]
    days: list[DayResult]
    commits: NotRequired[Annotated[list[str], "with --commit or git.commit"]]


class AwaitedDocument(TypedDict):
    """What is printed in place of a command's own document when it waits for answers (exit code 75)."""

    backend: NotRequired[str]
    awaiting: list[Any]


class WorldMade(TypedDict):
    """A new world."""

    folder: str
    agents: list[str]
    called: Annotated[dict[str, str], "by what others call each character, by id"]
    files: Annotated[list[str], "what to read and correct next"]


class CharacterAdded(TypedDict):
    """The persona of a new character."""

    path: str
    called: Annotated[str, "by what others call it"]


class LetterBrief(TypedDict):
    """A question to a person who plays."""

    letter: str
    who: str
    scene: str
    since: Annotated[str, "when it was written: 2026-05-01T09:30:00Z"]
    answered: bool
    problem: Annotated[bool, "whether its answer cannot be taken"]
    superseded: Annotated[bool, "whether the same question was asked anew in another letter"]


class Letters(TypedDict):
    """All open letters."""

    letters: list[LetterBrief]


class WholeLetter(LetterBrief):
    """A letter with its text."""

    text: str
    why: Annotated[str, "what is wrong with its answer"]


class LetterAnswered(TypedDict):
    """Where an answer was put."""

    letter: str
    answer: str


class ChapterMade(TypedDict):
    """A chapter of a book."""

    kind: str
    label: str
    title: str
    items: int


class BookMade(TypedDict):
    """A book that was written, and where."""

    to: str
    format: str
    bytes: int
    title: str
    subtitle: str
    identifier: str
    chapters: list[ChapterMade]
    pictures: int


class CardMade(TypedDict):
    """A character card (``--card``)."""

    agent: str
    format: str
    from_card: Annotated[bool, "whether it is the updated card that the character came with"]
    entries: Annotated[int, "of its book"]
    held_back: list[str]
    to: str
    bytes: int


class SiteFiles(TypedDict):
    """The files of a site; ``removed`` were left by an earlier one."""

    written: list[str]
    unchanged: int
    removed: list[str]


class SitePublished(TypedDict):
    """A published site."""

    folder: str
    pages: Annotated[dict[str, int], "how many there are of each kind"]
    kept_back: list[str]
    bytes: int
    files: SiteFiles
    dry_run: bool
    private: Annotated[dict[str, int], "how much there is of what can be kept back"]
    kept_back_of: Annotated[list[str], "agents whose personas have text that is kept back"]
    warnings: Annotated[list[str], "lines of personas that look private and are published"]


class SweepRuns(TypedDict):
    """The runs of a sweep."""

    out: str
    table: str
    counts: Annotated[dict[str, int], "runs by how they ended"]
    runs: Annotated[list[dict[str, Any]], "the row of each in the table, with its path"]
    experiment: NotRequired[Annotated[Experiment, "what differs between conditions"]]


class MemoriesShown(TypedDict):
    """Several memories with one id."""

    memories: list[MemoryFound]


_THREAD = thread.THREAD_EVENT.schema()
_NODE: shapes.Schema = node.NODE.schema()
_LINE = "A scene: one line of `state/logbook/day-003.jsonl`, and what a command that plays one prints."
_SCENE = {**LOG_LINE.schema(written=True), "description": _LINE}
del _NODE["properties"]["metadata"]["properties"]  # those of each memory are on the page of files
ANSWERS: Mapping[str, tuple[Any, ...]] = {
    "gm new": (WorldMade,),
    "gm advance-day": (DaysPlayed, ForecastReport),
    "gm scene": (_SCENE,),
    "gm plan": (plan.PlayPlan,),
    "gm reflect": (_SCENE,),
    "gm brief": (board.PostOnBoard, board.Briefs),
    "gm post": (board.PostOnBoard, board.BoardReport),
    "gm feedback": (board.PostOnBoard,),
    "gm event": (calendar.PlannedEvent, calendar.Calendar, calendar.RemovedEvent),
    "gm mailbox answer": (LetterAnswered,),
    "gm mailbox list": (Letters,),
    "gm mailbox show": (WholeLetter,),
    "gm meeting": (calendar.PlannedEvent, _SCENE),
    "gm character add": (CharacterAdded,),
    "gm import": (Imported,),
    "gm ask": (ask.Answered, ForecastReport),
    "gm interview": (InterviewResult, ForecastReport),
    "gm status": (status.Status,),
    "gm log": (Story,),
    "gm due": (status.Due,),
    "gm threads close": (_THREAD,),
    "gm threads list": (threads.Threads,),
    "gm threads open": (_THREAD,),
    "gm stats": (stats.Stats,),
    "gm cost": (cost.Cost,),
    "gm models": (models.Offers,),
    "gm publish": (SitePublished,),
    "gm export": (BookMade, CardMade),
    "gm context": (context.Context,),
    "gm recall": (recall.Recalled,),
    "gm mind soul add": (layers.SoulWritten,),
    "gm mind soul remove": (layers.SoulWritten,),
    "gm mind soul show": (layers.Souls,),
    "gm mind working clear": (layers.PageWritten,),
    "gm mind working set": (layers.PageWritten,),
    "gm mind working show": (layers.Pages,),
    "gm mind relationships": (relationships.Relationships, relationships.RelationshipGraph),
    "gm mind diary": (diary.Diaries,),
    "gm mind goals add": (goals.GoalWritten,),
    "gm mind goals close": (goals.GoalWritten,),
    "gm mind goals list": (goals.Goals,),
    "gm mind goals progress": (goals.GoalWritten,),
    "gm memory add": (_NODE,),
    "gm memory delete": (MemoryFound,),
    "gm memory edit": (MemoryCorrected,),
    "gm memory find": (MemoriesFound,),
    "gm memory show": (MemoryFound, AgentMemories, MemoriesShown),
    "gm memory shown": (ShownInScene,),
    "gm memory tag": (MemoryCorrected,),
    "gm memory tier": (MemoryCorrected,),
    "gm gift": (gift.Given,),
    "gm share accept": (share.SharedMemories,),
    "gm share copy": (share.SharedMemories,),
    "gm share list": (share.Requests,),
    "gm share refuse": (share.SharedMemories,),
    "gm share request": (share.Requested,),
    "gm care": (care.Care,),
    "gm prune": (care.Pruning,),
    "gm accumulators": (accumulators.Accumulators,),
    "gm index build": (IndexBuilt,),
    "gm index remove": (IndexRemoved,),
    "gm index status": (IndexStatus,),
    "gm why": (Why,),
    "gm diff": (Difference,),
    "gm compare": (Comparison,),
    "gm evaluate": (Evaluation, EvaluationAgainst),
    "gm judge": (verdicts.JudgingResult, pairs.PairsMade, judges.JudgedByHand),
    "gm sweep": (SweepRuns,),
    "gm provenance": (ProvenanceKept,),
    "gm replay": (Replayed,),
    "gm rewind": (Rewound, Undone),
    "gm branch": (Branch, Branches),
    "gm git-setup": (SetUp, GitSetupRemoved),
    "gm check": (CheckReport,),
    "gm settings": (settings.SettingsFound,),
    "gm migrate": (Migration,),
    "gm adopt": (Adoption,),
}
"""The documents of each command, the usual one first; a schema stands for a line of a file."""

_FOUND: shapes.Schema = {
    "type": "object",
    "properties": {
        "agent": {"type": "string"},
        "path": {"type": "string"},
        "line": {"type": "integer"},
        **_NODE["properties"],
        "archived": {"type": "boolean"},
        "summary": {"type": "boolean"},
        "older_shape": {"type": "boolean"},
        "missing": {"type": "string", "description": "an id that no memory has, in place of everything else"},
    },
    "required": [],
}
_ENTRY = shapes.describe_type(SettingEntry, {})


def _without_metadata(**before: shapes.Schema) -> shapes.Schema:
    keys: shapes.Schema = {**before, **_NODE["properties"]}
    del keys["metadata"]
    return {**_NODE, "properties": keys, "required": list(keys)}


KNOWN: Mapping[Any, shapes.Schema] = {
    node.node_record: _NODE,
    describe_node: _without_metadata(),
    reflection_record: _without_metadata(agent={"type": "string"}),
    memory_record: _FOUND,
    SettingEntry: {**_ENTRY, "properties": {**_ENTRY["properties"], "default": {}}},  # the value itself, not its text
    PlayedTurn: TURN.schema(written=True),
    clock.SCHEDULED_EVENT.write: {**clock.SCHEDULED_EVENT.schema(), "required": []},
}
"""What values are written by, where that is a function."""


def answer_schemas(command: str) -> list[shapes.Schema]:
    """Return the JSON Schemas of what a command prints."""
    return [shapes.describe_type(kind, KNOWN) for kind in ANSWERS[command]]


def render_answers_page(commands: Iterable[str]) -> str:
    """Return the page as Markdown: commands such as ``gm memory tag`` in their order, without those without JSON."""
    parts = [HEAD]
    shown: dict[str, str] = {}
    for path in commands:
        if path not in ANSWERS:
            continue
        parts.append(f"## {path}\n")
        for at, schema in enumerate(answer_schemas(path)):
            table = keytables.render_keys(schema)
            name = _sentence(ANSWERS[path][at])
            before = shown.setdefault(table, path)
            if name:
                parts.append(f"{'' if at == 0 else 'Or: '}{name}\n")
            parts.append(table if before == path else f"The keys of [{before}](#{before.replace(' ', '-')}).\n")
    waiting = keytables.render_keys(shapes.describe_type(AwaitedDocument, KNOWN))
    parts += ["## While a command waits\n", f"{_sentence(AwaitedDocument)}\n", waiting]
    return "\n".join(parts)


def _sentence(kind: object) -> str:
    if isinstance(kind, dict):
        return str(kind.get("description", ""))
    return (kind.__doc__ or "").partition("\n\n")[0].replace("``", "`").replace("\n    ", " ").strip()
