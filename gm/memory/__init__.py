"""Choices over a memory stream: what to retrieve, when to reflect and on what. Pure: no file, no clock, no model."""
