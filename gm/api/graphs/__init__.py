"""What people look at: data for graphs, each with a text alternative in the world's language.

Pure functions over rows and values; ``draw`` reads what they need (``Source``). A graph is a
``base.Graph``: a finding in a sentence, a table of its numbers, and the data that a script draws
(``gm/faces/web/static/charts.js``).
"""
