"""How long it takes to bring a scene into the files, against one synced write of the same bytes (aim: at most 2).

Beside it, what a script would do that wants the same files to be on the disk: append and sync, write beside, sync and
move. It takes no journal, notices no edit of a person, and leaves half a scene behind when it is killed.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from io import FileIO
from pathlib import Path
from statistics import median

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.files.commits.steps import Append, SetValues, Step
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.model.node import Node, render_node

SCENES = 60
CAST = ("emre", "leo", "vera")
TEXT = "Der Turm steht schief, und niemand hat es bisher gesagt. " * 3
AIM = 2.0
AIM_PLAIN = 1.0


def run() -> tuple[Row, ...]:
    """Commit scenes of three, each beside a raw write and a plain script's work, and print the medians."""
    raw, plain, commits, cpu, moves = [], [], [], [], []
    with tempfile.TemporaryDirectory(dir=".") as folder:  # where worlds lie, not in memory
        layout = create_world(Path(folder) / "studio", "studio")
        beside = Path(folder) / "plain"
        beside.mkdir()
        with writing(layout, "bench") as writer, open(Path(folder) / "raw", "ab", buffering=0) as file:
            for number in range(1, SCENES + 1):
                steps = steps_of(layout, number)
                appended = {step.path: step.text.encode() for step in steps if isinstance(step, Append)}
                documents = {path: (layout.root / path).read_bytes() for path in _changed(steps)}
                data = b"x" * sum(map(len, appended.values()))
                raw.append(_seconds(partial(_append, file, data)))
                began = time.process_time()
                commits.append(_seconds(partial(writer.commit, steps)))
                cpu.append(time.process_time() - began)
                plain.append(_seconds(partial(_write_plainly, beside, appended, documents)))
                moves.append(_seconds(partial(_exchange, beside, documents)))
    return _rows(*map(median, (raw, commits, plain, cpu, moves)))


def _rows(limit: float, took: float, plain: float, cpu: float, moves: float) -> tuple[Row, ...]:
    print(f"commit of a scene: {1000 * took:.2f} ms; one fdatasync: {1000 * limit:.2f} ms")
    print(f"the same files, written plainly: {1000 * plain:.2f} ms; processor time of a commit: {1000 * cpu:.2f} ms")
    figure = f"{1000 * took:.2f} ms"
    why = (
        f"a commit syncs once, as the limit does ({1000 * limit:.2f} ms). The rest is {1000 * cpu:.2f} ms of the "
        f"processor, in Python and in some hundred calls of the system for {len(CAST) * 2 + 3} files, and waiting for "
        f"the disk while {len(CAST)} documents are put in the place of older ones: a bare script needs "
        f"{1000 * moves:.2f} ms for these, without any sync. Where these two are more than an fdatasync takes, no "
        "commit in Python reaches the aim."
    )
    return (
        Row("commit of a scene", figure, f"fdatasync {1000 * limit:.2f} ms", took / limit, AIM, why=why),
        Row(
            "commit of a scene, beside plain files",
            figure,
            f"append, sync, move {1000 * plain:.2f} ms",
            took / plain,
            AIM_PLAIN,
            why="a journal, the record of changes and looking for edits cost more than the syncs that they save",
        ),
    )


def _write_plainly(folder: Path, appended: Mapping[str, bytes], documents: Mapping[str, bytes]) -> None:
    """Bring a scene to the disk as a script does that only wants it there."""
    for path, data in appended.items():
        with open(folder / path.replace("/", "-"), "ab", buffering=0) as file:
            _append(file, data)
    _exchange(folder, documents, synced=True)
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def _exchange(folder: Path, documents: Mapping[str, bytes], *, synced: bool = False) -> None:
    """Put documents in the place of older ones, so that a reader sees the old or the new one."""
    for path, data in documents.items():
        target = folder / path.replace("/", "-")
        with open(f"{target}.new", "wb", buffering=0) as file:
            file.write(data)
            if synced:
                os.fdatasync(file.fileno())
        os.replace(f"{target}.new", target)


def _append(file: FileIO, data: bytes) -> None:
    file.write(data)
    os.fdatasync(file.fileno())


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _changed(steps: list[Step]) -> list[str]:
    return [step.path for step in steps if isinstance(step, SetValues)]


def steps_of(layout: Layout, number: int) -> list[Step]:
    """Make what a scene of three writes: a memory and a state each, and a line in the logbook."""
    steps: list[Step] = []
    for name in CAST:
        stream, agent = layout.stream(name), layout.agent(name)
        node = Node(f"{name}-{number:03d}", f"day-001/scene-{number:02d}", "observation", 0, TEXT, 5, ("turm",))
        at = stream.stat().st_size if stream.exists() else 0
        steps.append(Append(layout.shown(stream), at, render_node(node) + "\n"))
        old = json.loads(agent.read_text(encoding="utf-8"))
        new = {"mood": f"wach {number}", "importance_accumulator": 5 * number}
        steps.append(SetValues(layout.shown(agent), {key: old[key] for key in new}, new))
    log = layout.day_log(1)
    line = json.dumps(
        {"scene": number, "type": "WORK", "participants": list(CAST), "summary": TEXT}, ensure_ascii=False
    )
    steps.append(Append(layout.shown(log), log.stat().st_size if log.exists() else 0, line + "\n"))
    return steps


if __name__ == "__main__":
    run()
