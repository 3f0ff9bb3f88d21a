# ruff: noqa: I001
# Made from gm/__init__.py by `make docs`; change that, not this file.
from collections.abc import Mapping

from gm.api.playing.ask import Answered as Answered
from gm.api.playing.ask import Ask as Ask
from gm.api.playing.ask import ask_character as ask_character
from gm.api.editing.check.whole import check_world as check_world
from gm.api.editing.check.whole import describe_report as describe_report
from gm.api.playing.context import Context as Context
from gm.api.playing.context import ContextOptions as ContextOptions
from gm.api.playing.context import describe_context as describe_context
from gm.api.worlds.create import create_world as create_world
from gm.api.answers.document import as_json as as_json
from gm.api.experiments.evaluate.evaluation import describe_evaluation as describe_evaluation
from gm.api.experiments.evaluate.measure import Evaluation as Evaluation
from gm.api.experiments.evaluate.measure import Figure as Figure
from gm.api.experiments.evaluate.measure import Measured as Measured
from gm.api.history.compare.comparison import Comparison as Comparison
from gm.api.history.compare.comparison import describe_comparison as describe_comparison
from gm.api.history.diff.difference import describe_difference as describe_difference
from gm.api.history.rewind.branches import Branch as Branch
from gm.api.history.rewind.branches import make_branch as make_branch
from gm.api.experiments.interview.asking import InterviewOptions as InterviewOptions
from gm.api.experiments.interview.asking import Interviewed as Interviewed
from gm.api.experiments.interview.asking import interview_characters as interview_characters
from gm.api.experiments.judging.verdicts import describe_judged as describe_judged
from gm.api.experiments.judging.pairs import make_pairs as make_pairs
from gm.api.experiments.judging.judged import Judged as Judged
from gm.api.editing.memory import NewMemory as NewMemory
from gm.api.editing.memory import add_memory as add_memory
from gm.api.reports.memories import describe_found as describe_found
from gm.api.reports.memories import describe_stream as describe_stream
from gm.api.reports.models import choose_for as choose_for
from gm.api.reports.opened import OpenWorld as OpenWorld
from gm.api.reports.opened import open_world as open_world
from gm.api.playing.days import play_days as play_days
from gm.api.playing.days import play_scene as play_scene
from gm.api.reports.recall import Recall as Recall
from gm.api.reports.recall import Recalled as Recalled
from gm.api.reports.recall import RecalledMemory as RecalledMemory
from gm.api.reports.recall import RecallOptions as RecallOptions
from gm.api.reports.recall import open_recall as open_recall
from gm.api.reports.recall import recall_memories as recall_memories
from gm.api.reports.relationships import Regard as Regard
from gm.api.reports.relationships import describe_relationships as describe_relationships
from gm.api.reports.stats import describe_stats as describe_stats
from gm.api.reports.status import describe_due as describe_due
from gm.api.reports.status import describe_status as describe_status
from gm.api.experiments.sweep.effects import Experiment as Experiment
from gm.api.experiments.sweep.effects import compare_conditions as compare_conditions
from gm.api.experiments.sweep.run import Played as Played
from gm.api.experiments.sweep.run import play_sweep as play_sweep
from gm.api.experiments.sweep.run import read_sweep as read_sweep
from gm.api.reports.tables import calls_table as calls_table
from gm.api.reports.tables import lines_table as lines_table
from gm.api.reports.tables import memories_table as memories_table
from gm.api.reports.tables import relationships_table as relationships_table
from gm.api.reports.tables import scenes_table as scenes_table
from gm.api.reports.tables import threads_table as threads_table
from gm.api.reports.tables import write_parquet as write_parquet
from gm.api.editing.threads import describe_threads as describe_threads
from gm.api.reports.why.describe import describe_why as describe_why
from gm.base.errors import GmError as GmError
from gm.base.errors import WaitingError as WaitingError
from gm.files.layout import Layout as Layout
from gm.layers.relationships import Relationship as Relationship
from gm.llm.choose import Choice as Choice
from gm.model.calendar import SceneRef as SceneRef
from gm.model.character import Agent as Agent
from gm.model.interview import InterviewAnswer as InterviewAnswer
from gm.model.node import Node as Node
from gm.model.scene import LogEntry as LogEntry
from gm.model.thread import Thread as Thread
from gm.model.world import World as World
from gm.play.master import DayResult as DayResult
from gm.play.report import Report as Report
from gm.scene.directing.choosing import SceneRequest as SceneRequest

__version__: str
__all__: list[str]
_HOMES: Mapping[str, tuple[str, ...]]
_RENAMED: Mapping[str, tuple[str, str]]
