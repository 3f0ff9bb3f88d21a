"""What an interview would cost."""

from __future__ import annotations

from gm.api.experiments.interview.asking import InterviewOptions, interview_characters
from gm.api.playing.forecast.make import Forecast, forecast_questions
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.llm.choose import Choice


def forecast_interview(layout: Layout, choice: Choice, options: InterviewOptions) -> Forecast:
    """Rehearse ``gm interview`` in a temporary copy, without asking a model; second looks are counted.

    Answers that are kept cost nothing.

    Raises:
        GmError: The questions cannot be asked.
    """

    def put(copy: Layout, stand_in: Choice) -> tuple[str, tuple[str, ...]]:
        answers = interview_characters(copy, stand_in, options, lambda _note: None).answers
        if not answers:
            raise UsageError("no question can be asked", "without --dry-run, gm interview says what is missing")
        return answers[0].at, tuple(dict.fromkeys(answer.agent for answer in answers))

    return forecast_questions(layout, choice, put)
