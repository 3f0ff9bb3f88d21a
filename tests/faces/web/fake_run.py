"""A stand-in for ``gm advance-day --events``: it plays one scene as it is told on its command line.

``--model`` says what happens: ``endless`` waits until it is stopped, ``broken`` ends with an error before any event,
``lost`` ends in the middle, ``refused`` reports an error as an event, ``letters`` awaits an answer, ``strange`` tells
what nobody understands, until nobody listens; others play.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

CHOICES = ("continue", "replay", "take", "ask", "candidates", "pick", "call", "quit", "why")
SCENE = {"scene": "day-001/scene-01", "type": "MEETING", "time": "noon", "clock": "12:30", "place": "teekueche"}
CAST = ["vera", "tobi"]
MODEL = next((text.removeprefix("--model=") for text in sys.argv if text.startswith("--model=")), "")


def tell(event: str, **values: Any) -> None:
    """Write one event."""
    sys.stdout.write(f"{json.dumps({'event': event, **values})}\n")
    sys.stdout.flush()


def draft(take: int, note: str) -> None:
    """Show a take of the scene."""
    turn = {"agent": "vera", "said": [f"Fassung {take} <b>"]}
    log = {"scene": 1, "type": "MEETING", "participants": CAST, "summary": f"Fassung {take} <b>", "turns": [turn]}
    opened = {"id": "thread-900", "event": "open", "by": "vera"}
    promise = {**opened, "at": SCENE["scene"], "kind": "promise", "to": ["tobi"], "text": f"Kleister {take} <b>"}
    log["threads"] = [opened]
    tell("draft", scene=SCENE["scene"], take=take, note=note, log=log, memories={}, threads=[promise])


def choose(*, undecided: bool) -> str:
    """Ask what to do; leave at the end of the input."""
    tell("choices", undecided=undecided, choices=[{"name": name, "wants": "", "sentence": ""} for name in CHOICES])
    return sys.stdin.readline().strip() or "quit"


def decide() -> None:
    """Follow commands until the person leaves."""
    takes, landed = 1, False
    draft(1, "")
    while True:
        name, _, text = choose(undecided=not landed).partition(" ")
        if name == "replay":
            takes += 1
            draft(takes, text)
        elif name == "ask":
            tell("tell", lines=[f"answer to {text}"])
        elif name == "candidates":
            tell("candidates", plan={"candidates": []})
        elif name in ("continue", "take"):
            landed = True
            tell("scene_played", scene=SCENE["scene"])
        elif name == "quit":
            tell("day_left", day=1)
            return
        else:
            tell("refused", message=f"no {name}", hint="<i>another</i>", kind="usage")


def main() -> int:
    """Play, and return the exit code."""
    tokens = {"input": 1200, "cache_read": 0, "cache_write": 0, "output": 34}
    unpriced = [MODEL] if MODEL == "unpriced" else []
    totals = {"calls": 41, "tokens": tokens, "usd": None if unpriced else 0.0}
    report: dict[str, object] = {"model": MODEL, "totals": totals, "unpriced_models": unpriced, "budget": None}
    report |= {"seconds": 3700.0, "answers": "studio"}
    if "--dry-run" in sys.argv:
        sys.stdout.write(json.dumps(report))
        return 0
    if MODEL == "broken":
        sys.stderr.write("error: nothing is as it should be\n  put it back\n")
        return 1
    tell("model", shown=MODEL, why="asked for", rehearsal=False)
    tell("forecast", line="forecast: about 41 calls", report=report)
    tell("day_opened", day=1, day_of_week="Montag", scenes_today=0)
    tell("scene_begins", why="because", cast=CAST, **SCENE)
    tell("writing", who="vera", characters=12, words="Ich sage <b>")
    tell("answered", scene=SCENE["scene"], done=1, of=3)
    if MODEL == "chatty":
        sys.stdout.write("5\nhello\n")
    if MODEL == "lost":
        sys.stderr.write("Traceback (most recent call last):\nValueError: lost\n")
        return 3
    if MODEL == "refused":
        tell("stopped", message="the budget is used up", hint="budget.day_usd", exit=1, kind="budget")
        return 1
    while MODEL == "strange":
        tell("writing")
    if MODEL == "letters":
        awaited = [{"who": "vera", "question": "state/mailbox/1.md", "answer": "", "problem": ""}]
        tell("waiting", awaited=awaited)
        tell("stopped", message="1 answer is awaited", hint="", exit=75)
        return 75
    if MODEL == "endless":
        try:
            signal.pause()
        except KeyboardInterrupt:
            tell("stopped", message="interrupted", hint="", exit=130)
            return 130
    if "--interactive" in sys.argv:
        decide()
    else:
        tell("scene_played", scene=SCENE["scene"])
    tell("finished", days=[], commits=[])
    return 0


if __name__ == "__main__":
    sys.exit(main())
