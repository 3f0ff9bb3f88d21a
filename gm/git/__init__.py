"""git, as a program that is run: the only package that starts it. Knows nothing of worlds but where one lies."""
