"""The embedding index of a world (derived data; may be deleted). Storage and comparison: ``gm.llm.vectors``."""
