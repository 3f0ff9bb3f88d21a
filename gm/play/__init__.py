"""Play days: connect the rules of ``gm.scene`` with files, prompts and models."""
