"""Commands that show how a world stands, what was said and remembered, and what it cost."""
