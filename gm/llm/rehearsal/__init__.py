"""The rehearsal backend: plays a cast offline, without a model, as a pure function of facts and tool results.

Words come from personas and ``phrases/*.yaml``; grammar is here.
"""
