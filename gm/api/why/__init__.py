"""How a memory came to be (``gm why``): its scene, question and answer, evidence, and what rests on it."""

from gm.api.why.describe import describe_why

__all__ = ["describe_why"]
