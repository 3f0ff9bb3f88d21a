"""How a memory came to be (``gm why``): scene, question, answer, evidence, citations."""
