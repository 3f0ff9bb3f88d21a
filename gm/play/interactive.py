"""A day in which the user decides about each scene and what comes next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from gm.base.errors import GmError, UsageError, say
from gm.files.commits.runnote import forget_sitting
from gm.files.commits.steps import Step as FileStep
from gm.files.layout import Layout
from gm.model.clock import ScheduledEvent
from gm.model.scene import ENCOUNTER, MEETING, Scene
from gm.model.world import World, unknown_agent
from gm.play.ask import ask
from gm.play.care import last_ref
from gm.play.command import WRITING, Command, split_addressees, split_time
from gm.play.edits import brief_steps, event_steps, post_steps, usual_author
from gm.play.interview import Interviewer
from gm.play.review import Draft, LeftOpenError, Review, Sitting, load_sitting, save_sitting
from gm.play.table import GameTable
from gm.scene.directing.choosing import (
    Listed,
    Pick,
    SceneRequest,
    check_request,
    list_picks,
    picked_scene,
    requested_scene,
)
from gm.scene.directing.director import NextScenes, RulesDirector, has_arrived
from gm.scene.directing.scenes import next_ref
from gm.scene.evening.asked import OffSceneQuestion


class Interface(Protocol):
    """The user's interface: a terminal, a script, or a test."""

    def show(self, draft: Draft) -> None: ...

    def choose(self, *, takes: int) -> Command:
        """Ask about a scene with a number of takes; 0 = it has landed.

        Raises:
            LeftOpenError: The user has left.
        """
        ...

    def offer(self, table: GameTable, world: World) -> None:
        """Show the next scene's candidates, in the order of ``list_picks``."""
        ...

    def tell(self, lines: Iterable[str]) -> None: ...

    def refuse(self, error: UsageError) -> None:
        """Show that a command makes no sense; raise where the user cannot correct it."""
        ...


class Session(Review):
    """Shows each scene to the user and carries out their commands.

    Args:
        resumes: A scene called for, and further takes, are shown again by the next command; without it the same
            commands come again, as from a script.
    """

    one_by_one = True

    def __init__(self, person: Interface, *, resumes: bool = False) -> None:
        self._person = person
        self._resumes = resumes
        self._decided: list[Command] = []
        self._last: Draft | None = None
        self._sitting: Sitting | None = None
        self._offered: tuple[Listed, ...] = ()
        self._unanswered: Command | None = None  # a question whose answer is awaited from outside
        self._calls = 0  # of the asker, when a noted take was last played
        self._skipped = 0  # the day that is played on without asking

    def judge(self, table: GameTable, takes: Sequence[Draft]) -> Draft | str:
        """Show a scene and return the take that lands, or the note with which to replay it."""
        draft = takes[-1]
        if self._is_quiet(table):
            return draft
        self._person.show(draft)
        self._last = draft
        sitting = self._load_sitting_at(table, str(draft.scene.ref))
        # a note may come from a stranger's world: once a take of it had to be asked for, the person decides
        is_kept = draft.take == 1 or table.asker.calls == self._calls
        if len(takes) <= len(sitting.notes) and is_kept:
            self._calls = table.asker.calls
            return sitting.notes[draft.take - 1]
        while True:
            command = self._converse(table, takes)
            if command.name != "replay":
                self._decided.append(command)
                draft = takes[int(command.text) - 1] if command.name == "take" else draft
                require_cast(table, draft)
                return draft
            try:
                note = note_for(table, draft, command.text)
            except UsageError as error:
                self._person.refuse(error)
            else:
                self._keep(table, replace(sitting, notes=(*sitting.notes[: draft.take - 1], note)))
                return note

    def between(self, table: GameTable) -> None:
        """Carry out the commands given at the last scene, then ask until the user continues."""
        if self._resumes:
            forget_sitting(table.live.layout)
        decided, self._decided = self._decided, []
        while not self._is_quiet(table):
            command = decided.pop(0) if decided else self._converse(table, ())
            try:
                if command.name in WRITING:
                    self._write(table, command)
                elif not decided:
                    self._go_on(table, command)
                    return
            except UsageError as error:
                self._person.refuse(error)

    def next_step(self, table: GameTable) -> NextScenes:
        sitting = self._load_sitting_at(table, str(next_ref(table.world)))
        if sitting.called is None or self._is_quiet(table):
            return table.next_step()
        try:
            return NextScenes((called_scene(table, sitting.called),))
        except UsageError as error:
            self._person.refuse(error)
            self._keep(table, Sitting())
            return table.next_step()

    def _load_sitting_at(self, table: GameTable, scene: str) -> Sitting:
        if self._sitting is None:
            self._sitting = load_sitting(table.live.layout) if self._resumes else Sitting()
        return self._sitting if self._sitting.scene == scene else Sitting(scene)

    def _keep(self, table: GameTable, sitting: Sitting) -> None:
        self._sitting = sitting
        if self._resumes:
            save_sitting(table.live.layout, sitting)

    def _is_quiet(self, table: GameTable) -> bool:
        return self._skipped == table.world.clock.day or table.is_ended

    def _converse(self, table: GameTable, takes: Sequence[Draft]) -> Command:
        draft = takes[-1] if takes else None
        while True:
            command = self._unanswered or self._person.choose(takes=len(takes))
            self._unanswered = command if command.name == "ask" else None
            try:
                if command.name == "quit":
                    raise LeftOpenError
                if command.name in ("ask", "why", "plan", "candidates"):
                    self._answer(table, draft, command)
                else:
                    self._check(table, takes, command)
                    return command
            except UsageError as error:
                self._person.refuse(error)
            self._unanswered = None

    def _answer(self, table: GameTable, draft: Draft | None, command: Command) -> None:
        table.live.refresh()
        world = world_after(table, draft)
        if command.name == "ask":
            self._ask(table, draft, world, command.text)
        elif command.name == "plan":
            self._person.tell(tell_plan(world, table.next_step(world)))
        elif command.name == "candidates":
            self._offered = list_picks(world, table.make_rules())
            self._person.offer(table, world)
        elif self._last is None:
            raise UsageError("no scene was read yet", "the logbook says of each scene why it was chosen")
        else:
            self._person.tell(tell_why(self._last.scene))

    def _ask(self, table: GameTable, draft: Draft | None, world: World, text: str) -> None:
        (name, *others), question = split_addressees(text)
        agent = world.find_agent(name)
        if agent is None or others:
            raise unknown_agent(text.partition(" ")[0], world.agents)
        if not question:
            raise UsageError(f"there is no question to {agent}", "write: ask NAME QUESTION")
        where = draft.scene.ref if draft else last_ref(world)
        interviewer = Interviewer(table.asker, table.live.assembler, lambda line: self._person.tell([line]))
        asked = OffSceneQuestion(agent, question, usual_author(world), where)
        reply, *_ = ask(table.live.layout, table.make_stage(), interviewer, world, asked)
        self._person.tell([f"{world.agents[agent].call_name}: {' '.join(reply.said) or reply.thoughts}"])

    def _write(self, table: GameTable, command: Command) -> None:
        table.live.write(plan_writing(table.world, command))
        author = usual_author(table.world)
        where = "in the calendar for today: " if command.name == "event" else f"on the board, from {author}: "
        self._person.tell([where + command.text])

    def _go_on(self, table: GameTable, command: Command) -> None:
        called: SceneRequest | Pick | None = None
        if command.name == "call":
            called = parse_scene_call(table.world, command.text)
        elif command.name == "pick":
            called = self._pick(table.world, table.make_rules(), command.text)
        if called:
            self._keep(table, Sitting(str(next_ref(table.world)), called))
        elif command.name == "end":
            table.end_day()
        elif command.name == "skip":
            self._skipped = table.world.clock.day

    def _check(self, table: GameTable, takes: Sequence[Draft], command: Command) -> None:
        draft = takes[-1] if takes else None
        if command.name in WRITING:
            plan_writing(table.world, command)(table.live.layout, table.world)
        elif command.name in ("call", "pick"):
            table.live.refresh()
            world = world_after(table, draft)
            if command.name == "call":
                parse_scene_call(world, command.text)
            else:
                self._pick(world, table.make_rules(), command.text)
        elif command.name in ("replay", "take") and draft is None:
            raise UsageError(
                "the scene is in the files and cannot be played again",
                "a replay or another take comes before anything else; a reflection cannot be replayed",
            )
        elif command.name == "take" and not 1 <= int(command.text) <= len(takes):
            raise UsageError(
                say("there is no take {number}", command.text),
                say("takes so far: {count}, the first one is take 1", len(takes)),
            )

    def _pick(self, world: World, rules: RulesDirector, text: str) -> Pick:
        number = int(text)
        if not self._offered:
            raise UsageError("no candidates were listed yet", "write: candidates")
        if not 1 <= number <= len(self._offered):
            raise UsageError(
                say("there is no candidate {number}", number),
                say("candidates listed: {count}, from 1", len(self._offered)),
            )
        listed = self._offered[number - 1]
        if listed.bar:
            raise UsageError(say("candidate {number} is ruled out: {why}", number, listed.bar), "pick another one")
        if not has_arrived(world):
            raise UsageError("nobody has arrived yet", "pick after the scene in which all arrive")
        picked_scene(world, rules, listed.pick)
        return listed.pick


MOST_IN_ENCOUNTER = 2


def called_scene(table: GameTable, called: SceneRequest | Pick) -> Scene:
    """Return the scene called for or picked.

    Raises:
        UsageError: It cannot be played any more.
    """
    if isinstance(called, Pick):
        return picked_scene(table.world, table.make_rules(), called)
    return requested_scene(table.world, check_request(table.world, called), table.live.prompts.words)


def plan_writing(world: World, command: Command) -> Callable[[Layout, World], Sequence[FileStep]]:
    """Return the steps' plan for a brief, a post or an event.

    Raises:
        UsageError: An event lacks its time or text.
    """
    if command.name == "event":
        time, what = split_time(command.text)
        return partial(event_steps, event=ScheduledEvent(world.clock.day, what, time))
    steps = brief_steps if command.name == "brief" else post_steps
    return partial(steps, text=command.text, author=usual_author(world))


def world_after(table: GameTable, draft: Draft | None) -> World:
    """Return the world as a landed draft leaves it."""
    return replace(draft, world=table.world).after if draft else table.world


def parse_scene_call(world: World, text: str) -> SceneRequest:
    """Return the scene that ``call A,B TOPIC`` wants.

    Raises:
        UsageError: It cannot be played.
    """
    names, topic = split_addressees(text)
    if len(names) < MOST_IN_ENCOUNTER:
        raise UsageError("a scene needs somebody to talk to", "name at least two: call vera,tobi TOPIC")
    types = (ENCOUNTER, MEETING) if len(names) <= MOST_IN_ENCOUNTER else (MEETING, ENCOUNTER)
    known = [name for name in types if name in world.scene_types]
    fitting = [
        name for name in known if world.scene_types[name].cast[0] <= len(names) <= world.scene_types[name].cast[1]
    ]
    return check_request(world, SceneRequest((fitting or known or list(types))[0], names, topic))


def note_for(table: GameTable, draft: Draft, text: str) -> str:
    """Return a further take's whole note.

    Raises:
        UsageError: All would be asked the same.
        GmError: A participant has left the world.
    """
    table.live.refresh()
    require_cast(table, draft)
    notes = draft.scene.note.split("\n") if draft.scene.note else []
    if text in notes:
        raise UsageError("this note was given before: everybody would answer the same", "say it in other words")
    scene = draft.scene
    noted = replace(scene, note="\n".join((*notes, text)))
    name = scene.cast[0]
    context = table.make_stage().contexts.first_turn(table.world, scene, name)
    plain, asked = (
        table.live.assembler.question(table.world, table.world.agents[name], item, context) for item in (scene, noted)
    )
    if plain == asked:
        raise UsageError(
            say("prompts/{path} does not show a note", scene.type.template),
            'put {% include "note.j2" %} where it is to stand',
        )
    return noted.note


def require_cast(table: GameTable, draft: Draft) -> None:
    """Check that all who took part are still there.

    Raises:
        GmError: A participant has left the world.
    """
    table.live.refresh()
    gone = [name for name in draft.scene.cast if name not in table.world.agents]
    if gone:
        raise GmError(
            f"{draft.scene.ref}: {', '.join(gone)} took part and is not in the world any more",
            "the scene was not written; put the files back, or run the same command again for another scene",
        )


def tell_why(scene: Scene) -> Iterator[str]:
    """Yield who chose a scene and why, with each reason's score."""
    yield f"chosen by: {scene.director}"
    yield f"why: {scene.why}"
    if scene.answers:
        yield "takes up: " + ", ".join(scene.answers)
    if scene.note:
        yield "played again, with the note: " + scene.note.replace("\n", " / ")
    if scene.score:
        parts = ", ".join(f"{part} {points:+.1f}" for part, points in scene.score.items())
        yield f"score: {sum(scene.score.values()):.1f} ({parts})"


def tell_plan(world: World, step: NextScenes) -> Iterator[str]:
    """Yield what would come next; without scenes, the day's close."""
    if not step.scenes:
        yield "next: the close of the day"
    for scene in step.scenes:
        names = ", ".join(world.agents[name].call_name for name in scene.cast)
        place = f" · {scene.place}" if scene.place else ""
        yield f"next: {scene.type.name} · {scene.time_of_day}{place} · {names}"
        yield f"  why: {scene.why}"
