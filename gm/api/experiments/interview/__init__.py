"""Interviews out of scene (``gm interview``): the same questions to characters at any moment."""

from gm.api.experiments.interview.asking import Interviewed, InterviewWish, LeftOut, interview_characters

__all__ = ["InterviewWish", "Interviewed", "LeftOut", "interview_characters"]
