"""What every other package may use: errors, settings, tokens, files that are opened safely, Markdown."""
