"""Errors become messages and exit codes here; the only place that catches everything."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NamedTuple

import click
from click.exceptions import NoArgsIsHelpError

from gm.base import errors
from gm.base.regular import hint_for
from gm.cli.streams import OutputError
from gm.cli.terminal import err, safe

INTERRUPTED, BUG = "Interrupted", "This is a bug in gm"
KEPT = "What was answered is kept; the same command goes on from there"
OUTPUT_HINT = "make room, or write the output elsewhere; what was answered is kept, the same command goes on from there"

ENDS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a command from outside: a request, and a terminal that is closed."""
_ended: list[int] = []
_reported: list[int] = []
_asking: list[bool] = []


def guarded(command: click.Command, arguments: list[str]) -> int:
    """Run a command; an exception becomes a message and an exit code.

    Returns:
        0 done, 1 the user can fix it, 2 wrong usage, 3 a bug in gm, 75 waiting for answers, 130 interrupted.
    """
    for noted in (_asking, _ended, _reported):
        noted.clear()
    _stop_in_order()
    code = _run_command(command, arguments)
    if _ended:
        _end()
    return code


def _run_command(command: click.Command, arguments: list[str]) -> int:
    try:
        result = command.main(arguments, prog_name="gm", standalone_mode=False)
        sys.stdout.flush()
    except NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        show_error(_misused(error))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        with suppress(OSError):  # the terminal itself may be gone
            err(_interruption())
        _reported.append(errors.EXIT_INTERRUPTED)
        return errors.EXIT_INTERRUPTED
    except errors.WaitingError as error:
        show_waiting(error)
        err(error.hint)
        return error.exit_code
    except errors.GmError as error:
        show_error(error)
        return error.exit_code
    except BrokenPipeError:
        return errors.EXIT_DONE
    except SystemExit as error:
        if isinstance(error.code, int):
            return error.code
        raise  # Python shows a text, and ends with 1
    except OutputError as error:
        if error.is_unread:  # as in: gm context vera | head
            return errors.EXIT_DONE
        show_error(_full(error))
        return errors.EXIT_FIXABLE
    except OSError as error:
        if error.filename is None:
            return _report_bug()
        show_error(_unusable(error))
        return errors.EXIT_FIXABLE
    except Exception:
        return _report_bug()
    return result if isinstance(result, int) else errors.EXIT_DONE


def _report_bug() -> int:
    import traceback

    err(safe(traceback.format_exc()))
    err(f"{BUG}. Nothing that was answered is lost. Please report the lines above.")
    return errors.EXIT_BUG


def _misused(error: click.ClickException) -> errors.GmError:
    """Say what click refuses as gm says what it refuses."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"see: {context.command_path} --help" if context else ""
    param = error.param if isinstance(error, click.BadParameter) else None
    if param is None:
        return errors.GmError(error.format_message(), hint)
    name = max(param.opts, key=len) if isinstance(param, click.Option) else _bare(param.human_readable_name)
    message = f"{name}: {error.message.rstrip('.')}"
    if isinstance(param.type, click.Choice):
        hint = f"write one of: {', '.join(map(str, param.type.choices))}"
        message = f"{error.message.partition(' is not one of ')[0]} is not a value of {name}"
    return errors.GmError(f"{name} is missing" if isinstance(error, click.MissingParameter) else message, hint)


def _bare(name: str) -> str:
    """Return an argument's name without the brackets around it."""
    return name[1:].replace("]", "", 1) if name.startswith("[") else name


def _unusable(error: OSError) -> errors.GmError:
    """Name the file that the operating system or gm refused."""
    path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes | os.PathLike) else error.filename
    return errors.GmError(f"cannot use {path}: {error.strerror}", hint_for(error) or "see: gm check")


def _full(error: OutputError) -> errors.GmError:
    return errors.GmError(f"standard output cannot be written: {error.reason}", OUTPUT_HINT)


class Stop(NamedTuple):
    """Why a command ends, as ``guarded`` will say it; ``exit`` is its exit code."""

    message: str
    hint: str
    exit: int
    problems: tuple[errors.Problem, ...] = ()
    kind: errors.ErrorKind = "other"


def stop_of(error: BaseException) -> Stop:
    """Return what an exception means to the user."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return Stop(INTERRUPTED, KEPT, errors.EXIT_INTERRUPTED)
    if isinstance(error, click.ClickException):
        return Stop(_misused(error).message, "", error.exit_code, kind="usage")
    if isinstance(error, OutputError):
        error = _full(error)
    elif isinstance(error, OSError) and error.filename is not None:
        error = _unusable(error)
    if isinstance(error, errors.GmError):
        return Stop(error.message, error.hint, error.exit_code, error.problems, error.kind)
    return Stop(
        f"{BUG}: {type(error).__name__}", "standard error says where; please report it", errors.EXIT_BUG, kind="bug"
    )


def _stop_in_order() -> None:
    """Treat SIGTERM and SIGHUP as Ctrl-C; ignored signals stay ignored."""
    for number in (signal.SIGINT, *ENDS):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, _interrupt)


def asks_models() -> None:
    """Note that the command asks models from now on, and keeps what they answer."""
    _asking.append(True)


def _interruption() -> str:
    return f"\n{INTERRUPTED}. {KEPT}." if _asking else f"\n{INTERRUPTED}."


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """Stop in order at the first signal, at once at the second."""
    for again in (signal.SIGINT, signal.SIGTERM):
        signal.signal(again, _leave)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a closed terminal sends it several times
    if number in ENDS:
        _ended.append(number)
    raise KeyboardInterrupt


def _leave(_number: int, _frame: FrameType | None) -> None:
    if not _reported:
        with suppress(OSError):
            os.write(2, f"{_interruption()}\n".encode())
    os._exit(errors.EXIT_INTERRUPTED)


def _end() -> None:
    """Die by SIGTERM, so that a waiting process sees it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)


def show_waiting(error: errors.WaitingError) -> None:
    """List awaited answers: who is asked, where question and answer lie."""
    err(f"{error.message}:")
    for item in error.awaited:
        way = f" → {item.answer}" if item.answer else ""
        err("  " + safe(f"{item.who}: {item.question}{way}"))
        if item.problem:
            err("    " + safe(f"the answer there cannot be used: see {item.problem}"))


def show_error(error: errors.GmError) -> None:
    """Show an error: places first, then what happened and what to do."""
    for problem in error.problems:
        err(safe(str(problem)))
    err(click.style("error: ", fg="red", bold=True) + safe(error.message))
    if error.hint:
        err("  " + safe(error.hint))
