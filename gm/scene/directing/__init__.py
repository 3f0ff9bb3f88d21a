"""Choose the next scene: by rules, by a model, by the user or by a script."""
