"""Data for graphs, each with a text alternative in the world's language.

Pure functions over rows and values; only ``draw`` reads files. ``gm/faces/web/static/charts.js`` draws ``Graph.data``.
"""
