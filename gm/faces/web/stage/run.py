"""The run of a server: one child process at a time, with its events folded into a state."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import Condition, Lock, Thread
from typing import IO, Any

from gm.base.errors import GmError, LockedError, UsageError, say
from gm.faces.web.stage import state as states
from gm.faces.web.stage.state import RunRequest, RunState, StageView
from gm.files.commits.lock import Holder, find_holder, held_by
from gm.files.layout import Layout

COMMAND = (sys.executable, "-P", "-m", "gm", "advance-day")
"""``-P``: no module is imported from the current folder, which may be a world."""
FORECAST_S = 600
ENDING_S = 15
"""How long a run may take to stop in order when the server ends."""
LINES = 20
ERROR = "error: "


class StaleTurnError(GmError):
    """A command answers a decision that is no longer awaited."""

    kind = "changed"


class StageRun:
    """Starts, steers and stops ``gm advance-day --events``. Called from several threads.

    Args:
        state: What is known of an earlier run.

    Attributes:
        on_change: Called after each change of the state.
    """

    def __init__(self, layout: Layout, command: Sequence[str] = (), state: RunState | None = None) -> None:
        self._layout = layout
        self._command = tuple(command or COMMAND)
        self._changed = Condition()
        self._state = state or RunState()
        self._process: subprocess.Popen[str] | None = None
        self._reader: Thread | None = None
        self._forecast: subprocess.Popen[str] | None = None
        self._forecasting = Lock()
        self._closed = False
        self.on_change: Callable[[], None] = lambda: None

    @property
    def state(self) -> RunState:
        return self._state

    def stage(self) -> StageView:
        """Return what is being played, here or by another process."""
        with self._changed:
            state, process = self._state, self._process
        return StageView(state, self._find_other(process))

    def _find_other(self, process: subprocess.Popen[str] | None) -> Holder | None:
        holder = find_holder(self._layout.lock)
        return None if holder is None or (process and holder.pid == process.pid) else holder

    def start(self, request: RunRequest) -> None:
        """Start a run.

        Raises:
            LockedError: Another process writes to the world, or this server plays it already.
            GmError: No process could be started.
        """
        with self._changed:
            if self._state.is_running or self._closed:
                raise LockedError("this world is being played already", "stop that run first, or wait for its end")
            if holder := self._find_other(None):
                raise held_by(holder)
            self._process = process = self._popen("--events", *arguments(self._layout, request))
            self._state = states.begin(self._state, request)
            self._reader = Thread(target=self._read_events, args=(process,), daemon=True)
            self._reader.start()
        self.on_change()

    def _popen(self, *more: str) -> subprocess.Popen[str]:
        try:
            return subprocess.Popen(
                [*self._command, *more],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                # Ctrl-C in the terminal of the server reaches the server alone, which then stops the run once
                start_new_session=True,
            )
        except OSError as error:
            raise GmError(
                say("the run could not be started: {why}", error.strerror), "nothing was asked or written"
            ) from error

    def stop(self) -> None:
        """Ask the run to stop, as Ctrl-C does; a second call does nothing."""
        with self._changed:
            if self._process is None or not self._state.is_running or self._state.is_stopping:
                return
            self._state = states.stop(self._state)
            self._process.send_signal(signal.SIGINT)
        self.on_change()

    def send(self, line: str, turn: int) -> None:
        """Give a command.

        Args:
            turn: The decision that it answers.

        Raises:
            StaleTurnError: That decision is not awaited any more.
        """
        with self._changed:
            state, process = self._state, self._process
            if process is None or process.stdin is None or state.turn != turn or not state.choices:
                raise StaleTurnError("the play has gone on meanwhile", "look at how it stands now, and decide again")
            self._state = states.send(state, line)
            with suppress(OSError, ValueError):  # the run has just ended, its pipe may be closed; its reader says how
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
        self.on_change()

    def settle(self, timeout_s: float) -> None:
        """Wait until a decision is awaited or the run is over, at most for a time."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._state.choices) or not self._state.is_running, timeout_s)

    def foresee(self, request: RunRequest) -> dict[str, Any]:
        """Return the forecast of a run, as ``gm advance-day --dry-run --json`` prints it.

        Raises:
            GmError: There is none.
        """
        whole = RunRequest(days=request.days, model=request.model)
        if not self._forecasting.acquire(blocking=False):
            raise GmError("a forecast is being made already", "wait for it to finish")
        try:
            with self._changed:
                if self._closed:
                    raise GmError("the server is ending")
                self._forecast = process = self._popen("--dry-run", "--json", *arguments(self._layout, whole))
            try:
                out, said = process.communicate(timeout=FORECAST_S)
            except subprocess.TimeoutExpired:
                process.kill()  # it plays in a copy
                process.communicate()
                raise GmError("the forecast takes too long", "gm advance-day --dry-run has no limit") from None
        finally:
            self._forecast = None
            self._forecasting.release()
        if process.returncode:
            raise GmError(*find_error(said.splitlines()))
        found: dict[str, Any] = json.loads(out)
        return found

    def close(self) -> None:
        """Stop the run in order; kill it only if it does not end."""
        self.stop()
        with self._changed:
            self._closed = True
            process, forecast, reader = self._process, self._forecast, self._reader
        if forecast is not None:
            forecast.kill()  # it plays in a copy
        if process is not None:
            try:
                process.wait(ENDING_S)
            except subprocess.TimeoutExpired:
                process.kill()
        if reader is not None:
            reader.join(ENDING_S)

    def _read_events(self, process: subprocess.Popen[str]) -> None:
        said: deque[str] = deque(maxlen=LINES)
        beside = Thread(target=_keep_last_lines, args=(process.stderr, said), daemon=True)
        beside.start()
        try:
            for line in process.stdout or ():
                self.fold_line(line)
        finally:
            if process.stdout:
                process.stdout.close()  # a run that is not heard any more ends as with a broken pipe
            code = process.wait()
            beside.join(ENDING_S)  # a process that the run has left behind may hold it open
            with self._changed:  # as long as a command is awaited, it can be written
                for stream in (process.stdin, None if beside.is_alive() else process.stderr):
                    with suppress(OSError):  # what was not sent is not needed
                        if stream:
                            stream.close()
                self._state = states.end(self._state, code, *find_error(said))
                self._changed.notify_all()
            self.on_change()

    def fold_line(self, line: str) -> None:
        """Fold a line that the command printed into the state."""
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):  # what a plugin prints
            event = {"event": "notice", "text": line.strip()}
        with self._changed:
            self._state = states.fold(self._state, event)
            self._changed.notify_all()
        self.on_change()


def arguments(layout: Layout, request: RunRequest) -> list[str]:
    """Return the arguments of ``gm advance-day`` for a run.

    Raises:
        UsageError: The next scene alone and a decision between scenes are both asked for.
    """
    if request.scenes and request.decides:
        raise UsageError("who decides between the scenes stops where they like", "leave one of them out")
    found = [f"--world={layout.root.resolve()}", f"--days={request.days}", "--watch"]
    found += [f"--scenes={request.scenes}"] if request.scenes else []
    found += [f"--model={request.model}"] if request.model else []
    found += [f"--as={request.plays}"] if request.plays else []
    found += ["--interactive"] if request.decides else []
    return found


def find_error(lines: Iterable[str]) -> tuple[str, str]:
    """Return message and hint of the error at the end of a process; without one, its last line."""
    found = [line.strip() for line in lines if line.strip()]
    at = next((at for at, line in reversed([*enumerate(found)]) if line.lower().startswith(ERROR)), None)
    if at is None:
        return (found[-1] if found else ""), ""
    return found[at][len(ERROR) :], " ".join(found[at + 1 :])


def _keep_last_lines(stream: IO[str] | None, said: deque[str]) -> None:
    for line in stream or ():
        said.append(line)
