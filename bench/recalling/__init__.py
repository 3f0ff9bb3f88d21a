"""The parts of ``bench.recall``: questions, how they are asked and scored, and what is printed."""
