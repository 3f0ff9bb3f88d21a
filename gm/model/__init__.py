"""The values of a world: frozen, without input or output. ``record`` declares their form in files."""
