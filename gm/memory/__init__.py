"""Choices over the memories of one character. Pure: no file, no clock, no model."""
