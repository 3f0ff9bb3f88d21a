"""How a memory came to be (``gm why``): scene, question, answer, evidence, citations."""

from gm.api.reports.why.describe import describe_why

__all__ = ["describe_why"]
