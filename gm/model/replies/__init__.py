"""What models answer: the strict form that every reply is brought into before it is used.

The models in here are at the same time the schema that backends send along and the validator of what comes back.
A reply carries no ids, no depth and no ``created``: those are the Game Master's.

``scene`` one turn of a scene · ``retrospect`` looking back: reflections, diaries, self-care · ``judgement`` ratings and
the choice of a scene · ``layers`` what can be switched on · ``values`` what all are made of.
"""

from gm.model.replies.judgement import DirectorReply, OwnPremise, RatingReply, RatingsReply
from gm.model.replies.layers import (
    FINER_KINDS,
    GoalReport,
    MemoryAnswer,
    MemoryRequest,
    PageEntry,
    Regard,
    SoulEdit,
    SoulText,
)
from gm.model.replies.retrospect import (
    AnsweringInsight,
    AnsweringReply,
    DiaryReply,
    Insight,
    QuestionsReply,
    ReflectionReply,
    SummaryReply,
    Theme,
)
from gm.model.replies.scene import (
    Closed,
    Line,
    NewArtifact,
    NewMemory,
    Opened,
    Plan,
    PlanningReply,
    SceneReply,
    Takeaway,
    Talk,
)
from gm.model.replies.values import Facets

__all__ = [
    "FINER_KINDS",
    "AnsweringInsight",
    "AnsweringReply",
    "Closed",
    "DiaryReply",
    "DirectorReply",
    "Facets",
    "GoalReport",
    "Insight",
    "Line",
    "MemoryAnswer",
    "MemoryRequest",
    "NewArtifact",
    "NewMemory",
    "Opened",
    "OwnPremise",
    "PageEntry",
    "Plan",
    "PlanningReply",
    "QuestionsReply",
    "RatingReply",
    "RatingsReply",
    "ReflectionReply",
    "Regard",
    "SceneReply",
    "SoulEdit",
    "SoulText",
    "SummaryReply",
    "Takeaway",
    "Talk",
    "Theme",
]
