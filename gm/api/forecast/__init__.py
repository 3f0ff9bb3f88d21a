"""Forecast the cost of the coming days by rehearsing them in a copy of the world and counting the prompts.

A real model plays other scenes and answers at other length than the rehearsal; the stated error is the token counter's
alone.
"""
