"""The layers of a mind, each a file or a few: souls, pages, diaries, relationships, goals, links, lenses."""
