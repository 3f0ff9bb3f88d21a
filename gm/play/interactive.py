"""A day played with a user, who decides what becomes of each scene and what comes next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from gm.base.errors import GmError, UsageError
from gm.files.commits.steps import Step as FileStep
from gm.files.layout import Layout
from gm.model.character import find_agent, unknown_agent
from gm.model.scene import ENCOUNTER, MEETING, Scene
from gm.model.world import ScheduledEvent, World
from gm.play.ask import ask
from gm.play.care import last_ref
from gm.play.command import WRITING, Command, split_names, split_time
from gm.play.edits import brief_steps, event_steps, post_steps, usual_author
from gm.play.interview import Interviewer
from gm.play.table import Draft, LeftOpenError, Review, Table
from gm.scene.choosing import SceneWish, check_wish, wished_scene
from gm.scene.director import Step
from gm.scene.off_scene import Question

MOST_IN_ENCOUNTER = 2


class Person(Protocol):
    """The user's interface: a terminal, a script, or a test."""

    def show(self, draft: Draft) -> None:
        """Show a scene that has been played and has not landed."""
        ...

    def choose(self, *, undecided: bool) -> Command:
        """Ask what to do; ``undecided`` while the last scene can still be replayed.

        Raises:
            LeftOpenError: The user has left.
        """
        ...

    def tell(self, lines: Iterable[str]) -> None:
        """Show output of a command."""
        ...

    def refuse(self, error: UsageError) -> None:
        """Show that a command makes no sense; raise where the user cannot correct it."""
        ...


class Session(Review):
    """Shows each scene to the user and carries out their commands."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._decided: list[Command] = []
        self._last: Draft | None = None
        self._called: SceneWish | None = None
        self._skipped = 0  # the day that is played on without asking

    def judge(self, table: Table, draft: Draft) -> str:
        """Show a scene and return the note with which to replay it; empty lets it land."""
        if self._is_quiet(table):
            return ""
        self._person.show(draft)
        self._last = draft
        while True:
            command = self._converse(table, draft)
            if command.name != "replay":
                self._decided.append(command)
                _require_cast(table, draft)
                return ""
            try:
                return _note_for(table, draft, command.text)
            except UsageError as error:
                self._person.refuse(error)

    def between(self, table: Table) -> None:
        """Carry out the commands given at the last scene, then ask until the user continues."""
        decided, self._decided = self._decided, []
        while not self._is_quiet(table):
            command = decided.pop(0) if decided else self._converse(table, None)
            if command.name in WRITING:
                self._write(table, command)
            elif not decided:
                self._go_on(table, command)
                return

    def next_step(self, table: Table) -> Step:
        """Return the scene that the user called for, else the Director's."""
        wish, self._called = self._called, None
        if wish is None:
            return table.next_step()
        return Step((wished_scene(table.world, wish, table.prompts.words),))

    def _is_quiet(self, table: Table) -> bool:
        return self._skipped == table.world.clock.day or table.is_ended

    def _converse(self, table: Table, draft: Draft | None) -> Command:
        while True:
            command = self._person.choose(undecided=draft is not None)
            try:
                if command.name == "quit":
                    raise LeftOpenError
                if command.name in ("ask", "why", "plan"):
                    self._answer(table, draft, command)
                else:
                    _check(table, draft, command)
                    return command
            except UsageError as error:
                self._person.refuse(error)

    def _answer(self, table: Table, draft: Draft | None, command: Command) -> None:
        table.refresh()
        world = _world_after(table, draft)
        if command.name == "ask":
            self._ask(table, draft, world, command.text)
        elif command.name == "plan":
            self._person.tell(tell_plan(world, table.next_step(world)))
        elif self._last is None:
            raise UsageError("no scene was read yet", "the logbook says of each scene why it was chosen")
        else:
            self._person.tell(tell_why(self._last.scene))

    def _ask(self, table: Table, draft: Draft | None, world: World, text: str) -> None:
        (name, *others), question = split_names(text)
        agent = find_agent(world.agents, name)
        if agent is None or others:
            raise unknown_agent(text.partition(" ")[0], world.agents)
        if not question:
            raise UsageError(f"there is no question to {agent}", "write: ask NAME QUESTION")
        where = draft.scene.ref if draft else last_ref(world)
        interviewer = Interviewer(table.asker, table.assembler, lambda line: self._person.tell([line]))
        asked = Question(agent, question, usual_author(world), where)
        reply, _ = ask(table.layout, table.stage, interviewer, table.prompts.words, world, asked)
        self._person.tell([f"{world.agents[agent].call_name}: {' '.join(reply.said) or reply.thoughts}"])

    def _write(self, table: Table, command: Command) -> None:
        try:
            table.write(_plan(table.world, command))
        except UsageError as error:
            self._person.refuse(error)
            return
        author = usual_author(table.world)
        where = "in the calendar for today: " if command.name == "event" else f"on the board, from {author}: "
        self._person.tell([where + command.text])

    def _go_on(self, table: Table, command: Command) -> None:
        if command.name == "call":
            self._called = _wish(table.world, command.text)
        elif command.name == "end":
            table.end_day()
        elif command.name == "skip":
            self._skipped = table.world.clock.day


def _check(table: Table, draft: Draft | None, command: Command) -> None:
    if command.name in WRITING:
        _plan(table.world, command)(table.layout, table.world)
    elif command.name == "call":
        table.refresh()
        _wish(_world_after(table, draft), command.text)
    elif command.name == "replay" and draft is None:
        raise UsageError(
            "the scene is in the files and cannot be played again",
            "a replay comes before anything else; a reflection cannot be replayed",
        )


def _plan(world: World, command: Command) -> Callable[[Layout, World], Sequence[FileStep]]:
    if command.name == "event":
        time, what = split_time(command.text)
        return partial(event_steps, event=ScheduledEvent(world.clock.day, what, time))
    steps = brief_steps if command.name == "brief" else post_steps
    return partial(steps, text=command.text, author=usual_author(world))


def _world_after(table: Table, draft: Draft | None) -> World:
    return replace(draft, world=table.world).after if draft else table.world


def _wish(world: World, text: str) -> SceneWish:
    names, topic = split_names(text)
    if len(names) < MOST_IN_ENCOUNTER:
        raise UsageError("a scene needs somebody to talk to", "name at least two: call vera,tobi TOPIC")
    types = (ENCOUNTER, MEETING) if len(names) <= MOST_IN_ENCOUNTER else (MEETING, ENCOUNTER)
    known = [name for name in types if name in world.scene_types]
    fitting = [
        name for name in known if world.scene_types[name].cast[0] <= len(names) <= world.scene_types[name].cast[1]
    ]
    return check_wish(world, SceneWish((fitting or known or list(types))[0], names, topic))


def _note_for(table: Table, draft: Draft, text: str) -> str:
    table.refresh()
    _require_cast(table, draft)
    notes = draft.scene.note.split("\n") if draft.scene.note else []
    if text in notes:
        raise UsageError("this note was given before: everybody would answer the same", "say it in other words")
    scene = draft.scene
    noted = replace(scene, note="\n".join((*notes, text)))
    name = scene.cast[0]
    moment = table.stage.first_moment(table.world, scene, name)
    plain, asked = (
        table.assembler.question(table.world, table.world.agents[name], item, moment) for item in (scene, noted)
    )
    if plain == asked:
        raise UsageError(
            f"prompts/{scene.type.template} does not show a note", 'put {% include "note.j2" %} where it is to stand'
        )
    return noted.note


def _require_cast(table: Table, draft: Draft) -> None:
    table.refresh()
    gone = [name for name in draft.scene.cast if name not in table.world.agents]
    if gone:
        raise GmError(
            f"{draft.scene.ref}: {', '.join(gone)} took part and is not in the world any more",
            "the scene was not written; put the files back, or run the same command again for another scene",
        )


def tell_why(scene: Scene) -> Iterator[str]:
    """Yield who chose a scene and why, with the score of each reason."""
    yield f"chosen by: {scene.director}"
    yield f"why: {scene.why}"
    if scene.answers:
        yield "takes up: " + ", ".join(scene.answers)
    if scene.note:
        yield "played again, with the note: " + scene.note.replace("\n", " / ")
    if scene.score:
        parts = ", ".join(f"{part} {points:+.1f}" for part, points in scene.score.items())
        yield f"score: {sum(scene.score.values()):.1f} ({parts})"


def tell_plan(world: World, step: Step) -> Iterator[str]:
    """Yield what would come next; a step without scenes is the close of the day."""
    if not step.scenes:
        yield "next: the close of the day"
    for scene in step.scenes:
        names = ", ".join(world.agents[name].call_name for name in scene.cast)
        place = f" · {scene.place}" if scene.place else ""
        yield f"next: {scene.type.name} · {scene.time_of_day}{place} · {names}"
        yield f"  why: {scene.why}"
