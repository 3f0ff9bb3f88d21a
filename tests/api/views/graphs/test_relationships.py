"""Who thinks what of whom."""

from __future__ import annotations

from gm.api.views.graphs.relationships import draw_relationships
from gm.layers.relationships import Relationship
from tests.api.views.graphs.small import ENGLISH, GERMAN, met

REGARDS = {
    "ada": {"bo": Relationship("Freundin", 0.8, "warm"), "cem": Relationship(trust_level=-0.25, emotional_tone="kühl")},
    "bo": {"ada": Relationship("Kollegin", 0.5, "wach"), "cem": Relationship(interaction_count=4)},
}


def test_the_finding_names_the_greatest_and_the_least_trust() -> None:
    graph = draw_relationships(GERMAN, REGARDS, ())
    assert (
        graph.finding
        == "Das größte Vertrauen hat Ada zu Bo (+0,80, »warm«). Das geringste hat Ada zu Cem (−0,25, »kühl«)."
    )


def test_a_pair_without_opinions_is_no_edge() -> None:
    graph = draw_relationships(GERMAN, REGARDS, ())
    assert [(edge["from"], edge["to"]) for edge in graph.data["edges"]] == [
        ("ada", "bo"),
        ("ada", "cem"),
        ("bo", "ada"),
    ]
    assert "3 von 6 Richtungen" in graph.note


def test_the_same_greatest_trust_twice_is_told_as_such() -> None:
    regards = {"ada": {"bo": Relationship(trust_level=0.3)}, "bo": {"ada": Relationship(trust_level=0.3)}}
    assert draw_relationships(ENGLISH, regards, ()).finding.startswith(
        "The greatest trust is +0.30; it is found 2 times"
    )


def test_a_character_that_is_not_in_the_cast_is_no_node() -> None:
    graph = draw_relationships(ENGLISH, {"ada": {"creative-director": Relationship(trust_level=1.0)}}, ())
    assert graph.data == {}
    assert graph.finding == "Nobody has said yet what they think of others."


def test_with_the_layer_off_it_says_so_and_shows_who_met_instead() -> None:
    scenes = [met(1, "ada", "bo"), met(2, "ada", "bo", kind="WORK"), met(2, "bo", "ada"), met(2, "bo", "cem")]
    graph = draw_relationships(GERMAN, None, scenes)
    assert "Ada und Bo: 3 gemeinsame Szenen, vor allem Begegnung" in graph.finding
    assert "die Schicht der Beziehungen ist aus" in graph.note
    assert not graph.data["directed"]
    assert graph.table.rows[0] == ("Ada", "Bo", "3", "Begegnung 2, Arbeit 1")
