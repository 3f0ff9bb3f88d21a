"""Going back to a moment: where the world of that moment is found, what would be lost, how it is brought back."""
