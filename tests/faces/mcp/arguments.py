"""What every tool can be called with in the dinner, once Alex has two memories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "query_character": {"name": "Jordan"},
    "query_memory": {"query": "lemon"},
    "recall_episodes": {"query": "lemon", "time_range": "0-9", "importance_threshold": 1},
    "recall_facts": {"topic": "lemon"},
    "recall_interactions": {"character": "casey"},
    "check_similar_situations": {"context": "Something is missing from the kitchen"},
    "form_memory": {"content": "The lemon is gone.", "importance": 6, "type": "emotional"},
    "reinforce_memory": {"memory_id": "alex-001"},
    "associate_memories": {"id1": "alex-001", "id2": "alex-002"},
}
