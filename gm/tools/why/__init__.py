"""How a memory came to be: its scene, the question and the answer behind it, what it rests on, what rests on it."""

from gm.tools.why.describe import describe_why

__all__ = ["describe_why"]
