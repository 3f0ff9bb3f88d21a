"""How a memory came to be: its scene, the question and the answer behind it, what it rests on, what rests on it.

``origin`` tells where it comes from, ``questions`` finds the answer it was made from, ``evidence`` what is below and
above it; ``describe`` puts it together, ``dot`` writes it for Graphviz. The document of ``gm why --json`` is made
here.
"""

from gm.api.why.describe import describe_why

__all__ = ["describe_why"]
