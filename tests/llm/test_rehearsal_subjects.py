"""What the rehearsal finds to speak of in a world and a persona that list nothing."""

from __future__ import annotations

from dataclasses import replace

from gm.base.config import Settings, WorldSettings
from gm.llm.rehearsal.quoting import to_tag
from gm.llm.rehearsal.reflection import compose_recollection, find_about
from gm.llm.rehearsal.subjects import Matters, collect_matters, say_place
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.model.persona import Persona
from tests.llm.cues import cue_of


def matters(language: str = "en", prose: str = "", front: dict[str, object] | None = None, **world: object) -> Matters:
    cue = cue_of({"language": language, "others": [{"id": "ada", "name": "Ada Brook"}], "scene": {"place": "dome"}})
    told = WorldSettings(premise=str(world.get("premise", "")), rules=tuple(world.get("rules", ())))  # type: ignore[arg-type]
    places = {"dome": str(world.get("place", ""))} if "place" in world else {}
    settings: Settings = replace(cue.world.settings, world=told, places=places)
    agent = replace(cue.agent, persona=Persona(front or {}, prose))
    cue = replace(cue, world=replace(cue.world, settings=settings), agent=agent)
    return collect_matters(cue, load_pack(language))


def test_english_noun_phrases_and_names_are_subjects() -> None:
    found = matters(
        premise="A water recycler is the oldest thing. The signal comes from Triton, past the ring map of an old dock."
    ).subjects
    assert found == ("the water recycler", "the ring map", "the old dock", "Triton")


def test_a_noun_phrase_ends_before_the_verb_of_its_clause() -> None:
    premise = "We need reasons why the kiosk should stay, whether the old bridge might fall, and what the ferryman did."
    assert matters(premise=premise).subjects == ("the kiosk", "the old bridge", "the ferryman")


def test_what_follows_a_noun_phrase_is_no_part_of_it_and_an_owner_is_left_out() -> None:
    premise = "We mend our own kettle. The rule says: every May the tank holds less, and the oven ought to rest."
    assert matters(premise=premise).subjects == ("the kettle", "the rule", "the tank", "the oven", "May")
    assert matters(premise="Nothing moves in the boat'. It is their own.", place="").subjects == ("the dome",)


def test_months_are_no_subjects_and_a_place_has_one_article() -> None:
    assert matters(premise="Since the January storm we count. It was in March.").subjects == ()
    assert say_place("en", "the-window") == "the window"


def test_a_capital_after_a_colon_or_a_quotation_is_no_name() -> None:
    premise = "The inspector says: “Anything you keep is home.” Bring it to Brennavik by noon: Everything counts."
    assert matters(premise=premise).subjects == ("the inspector", "Brennavik")


def test_german_nouns_are_subjects_as_long_as_they_are_not_declined() -> None:
    premise = (
        "Im Herbst fällt der Fahrstuhl aus, wegen des Sturmwindes und mit vielen Fensterläden. Der Fahrstuhl ruht."
    )
    assert matters("de", premise=premise).subjects == ("Fahrstuhl",)


def test_names_of_the_cast_are_no_subjects() -> None:
    assert matters(premise="It all began with Ada, on the pier.").subjects == ("the pier",)


def test_what_a_persona_calls_secret_is_not_spoken_of() -> None:
    prose = (
        "You keep the paper logbook. Nobody may see the second key.\n\n"
        '## Voice\nYou say: "Count it twice." You ask: "Who counted it?"\n\n## What you tell nobody\nYou stole the map.'
    )
    found = matters(prose=prose)
    assert found.subjects == found.unspoken == ("the paper logbook",)
    assert (found.lines, found.questions) == (("Count it twice.",), ("Who counted it?",))


def test_where_a_persona_lists_its_topics_the_rest_of_it_is_only_thought_of() -> None:
    front: dict[str, object] = {"topics": [{"tag": "map", "words": "the ring map"}], "skills": ["soldering", 3]}
    prose, place = "You keep the paper logbook.", "A bubble over the galley."
    found = matters(prose=prose, front=front, premise="It began with the signal.", place=place)
    assert found.subjects == ("the ring map", "soldering", "the signal")
    assert found.unspoken == ("the ring map", "the paper logbook", "soldering", "the signal")
    assert found.workable == ("the signal", "the dome")
    listed = matters(prose=prose, premise="It began with the signal.", place=place)
    assert listed.subjects == ("the paper logbook", "the signal", "the dome")


def test_what_stands_in_a_place_is_quoted_and_is_no_subject() -> None:
    found = matters(premise="We wait for the ferry.", place="The bath that nobody uses stands by the old window.")
    assert found.subjects == found.workable == ("the ferry", "the dome")
    assert found.here == ("The bath that nobody uses stands by the old window",)


def test_premise_rules_and_place_are_quoted_by_the_sentence_and_rules_of_the_telling_are_not() -> None:
    premise = "The ship is nineteen months out."
    rules = ("Water is counted; the count is on the wall.", "Nothing supernatural happens here.")
    found = matters(premise=premise, rules=rules, place="Hot, loud and clean; it hums all night.")
    assert found.sayings == ("The ship is nineteen months out", "Water is counted", "The count is on the wall")
    assert found.here == ("Hot, loud and clean", "It hums all night")


def test_a_brief_says_what_is_asked_about() -> None:
    cue = cue_of({"brief": "I want the ring map. What would you leave undone?"})
    found = collect_matters(cue, load_pack("en"))
    assert found.asked == found.subjects == ("the ring map",)


def test_a_sentence_or_a_clause_is_no_subject() -> None:
    said = "The boat sank. Tell the truth about the night the mast broke. The old lighthouse has no keeper."
    found = matters(premise=said).subjects
    assert found[:3] == ("the truth", "the night", "the old lighthouse")
    assert not [subject for subject in found if "sank" in subject or "broke" in subject]


def test_a_place_is_named_in_words_unless_its_german_id_may_have_lost_an_umlaut() -> None:
    assert matters(place="").subjects == ("the dome",)
    assert matters("de", place="").subjects == ("Dome",)


def test_a_language_without_nouns_to_find_still_has_sentences_and_what_a_persona_lists() -> None:
    found = matters("fr", premise="Le bateau attend depuis trois hivers.", front={"values": ["la patience"]})
    assert (found.sayings, found.values) == (("Le bateau attend depuis trois hivers",), ("la patience",))


def test_a_subject_that_was_not_spoken_of_comes_before_one_that_was() -> None:
    cue = cue_of(
        {"places": ["dome", "galley"], "log": [{"day": 1, "thoughts": [{"agent": "kim", "text": "The dome."}]}]}
    )
    voice = Voice(replace(cue, scene=cue.scene))
    assert "the galley" in voice.fresh_about("topic_say")
    assert "the dome" in voice.fresh_about("topic_say")


def test_an_insight_about_the_only_subject_does_not_tell_it_by_itself() -> None:
    voice = Voice(cue_of({"places": ["dome"]}))
    assert voice.matters.subjects == ("the dome",)
    assert {voice.insight("the dome").count("the dome") for _ in range(10)} == {1}


def test_what_quotes_a_quotation_is_not_quoted_once_more() -> None:
    texts = ("The host asked: “Who?” I answered: “The letter says ‘the lamp’.”", "I read: “Mind the lamp.”")
    made = {"type": "observation", "depth": 0, "importance": 6, "tags": []}
    memories = [{**made, "id": f"kim-{n:03d}", "description": text} for n, text in enumerate(texts, 1)]
    cue = cue_of({"memories": memories, "scene": {"topic": "the lamp and the letter"}})
    said, evidence = compose_recollection(cue, Voice(cue))
    assert (texts[1] in said, evidence) == (True, ("kim-002",))


def test_what_has_all_been_said_leaves_nothing() -> None:
    voice = Voice(cue_of({}))
    said = [voice.fresh("lead_answer") for _ in range(60)]
    assert "" in said
    assert len({text for text in said if text}) == said.index("")


def test_a_tag_is_told_in_the_words_that_it_was_made_of() -> None:
    title = "Piece by piece through the bathroom"
    made = {"id": "kim-001", "type": "artifact", "depth": 0, "description": f"I finished “{title}”.", "importance": 6}
    cue = cue_of({"memories": [{**made, "tags": []}]})
    assert title in find_about(cue, Voice(cue), to_tag(title), [])
    german = cue_of({"language": "de", "brief": "Seit gestern fehlt uns die Ablösung. Was wird ohne die Ablösung?"})
    assert "Ablösung" in find_about(german, Voice(german), "abloesung", [])


def test_labels_and_first_words_of_a_card_are_no_subjects() -> None:
    prose = (
        "## Description\n\nThe lamp is old\n\nLikes: fog, in Bergen\nDislikes: tourists\n\n"
        '[character("Ludo")\nMind("cunning")\nLikes("dice")]\n\n## Personality\n\ncheerful\n\n'
        "## Voice\n\nLudo: *shrugs* Burning. All of it.\n\n* * *\n\nLudo Lind: Burning too.\n\n"
        "* * *\n\n¡Hola!\n\n* * *\n\n*nods* Welcome."
    )
    assert matters(prose=prose).subjects == ("the lamp", "Bergen")
