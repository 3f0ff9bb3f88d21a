"""Forecast the cost of coming days, or of a question: rehearse them in a copy of the world and count the prompts.

A real model plays differently from the rehearsal; the stated error is the token counter's alone.
"""
