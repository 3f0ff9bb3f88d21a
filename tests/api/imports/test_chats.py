"""Chats of SillyTavern."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.imports.arrival import ImportSource
from gm.api.imports.chats import FORMAT, MOST_EXCHANGES, MOST_LINES, MOST_SAMPLES, MOST_SPEAKERS
from gm.api.imports.keeping import LONGEST_MEMORY
from gm.api.imports.opening import open_source
from gm.base.errors import UsageError
from tests.api.imports.examples import CHAT, GROUP, HEADER, by, user
from tests.api.imports.sources import ENGLISH, GERMAN, document, lines, said, wrong_keys


def test_a_chat_is_recognised_with_and_without_its_first_line() -> None:
    assert FORMAT.fits(CHAT)
    assert FORMAT.fits(lines(by("Ada", "Hello.")))
    assert not FORMAT.fits(lines({"name": "Ada"}, {"mes": "x"}))
    assert not FORMAT.fits(document({"mes": "x", "is_user": True}))


def test_each_exchange_is_a_memory_in_which_the_user_has_the_given_name() -> None:
    memories = FORMAT.read(CHAT, ENGLISH).people[0].memories
    assert [one.text for one in memories] == [
        'Seraphina: "*smiles* You are safe here, Director. I am Seraphina."',
        'Director: "Who are you?" Seraphina: "I guard this forest."',
        'Director: "Thank you." Director: "Good night." Seraphina: "Rest now, the wolves will not come."',
    ]
    assert {one.type for one in memories} == {"conversation"}
    assert [one.about for one in memories] == [(), ("Director",), ("Director",)]


def test_hidden_messages_and_other_swipes_are_left_aside_and_said() -> None:
    arrival = FORMAT.read(CHAT, ENGLISH)
    assert said(arrival.left, "1 message") == "of the system, or hidden"
    assert said(arrival.left, "swipes") == "1 answer that was not chosen"
    assert "Go away" not in str(arrival.people)
    assert "tokens" not in str(arrival.people)
    assert said(arrival.mapped, "6 messages").startswith("3 conversations")
    assert arrival.kept[".chat.jsonl"] == CHAT.raw


def test_the_chosen_swipe_stands_in_for_a_message_without_text() -> None:
    chat = lines(HEADER, by("Seraphina", "", swipes=["First.", "Second."], swipe_id=1))
    assert FORMAT.read(chat, ENGLISH).people[0].memories[0].text == 'Seraphina: "Second."'


def test_everyone_in_a_group_remembers_what_was_said() -> None:
    chat = lines(
        GROUP,
        by("Ada", "Wer hat mein Werkzeug genommen, {{user}}?"),
        user("Ich nicht."),
        by("Ben", "Ich habe es nur geliehen."),
        by("Ada", "Bis morgen?"),
    )
    ada, ben = FORMAT.read(chat, GERMAN).people
    assert (ada.name, ben.name) == ("Ada", "Ben")
    assert [one.text for one in ada.memories] == [one.text for one in ben.memories]
    assert ada.memories[1].text == "Regie: „Ich nicht.“ Ben: „Ich habe es nur geliehen.“ Ada: „Bis morgen?“"
    assert (ada.memories[1].about, ben.memories[1].about) == (("Regie", "Ben"), ("Regie", "Ada"))


def test_a_character_who_is_new_speaks_as_in_the_chat() -> None:
    person = FORMAT.read(CHAT, GERMAN).people[0]
    assert person.only_new
    assert person.front["lines"] == [
        "*smiles* You are safe here, Regie. I am Seraphina.",
        "I guard this forest.",
        "Rest now, the wolves will not come.",
    ]
    assert person.prose.startswith("## Stimme\n\n- *smiles* You are safe here")


def test_samples_are_taken_from_the_whole_chat() -> None:
    chat = lines(*(by("Ada", f"This is my sentence number {number}.") for number in range(100)))
    samples = FORMAT.read(chat, ENGLISH).people[0].front["lines"]
    assert isinstance(samples, list)
    assert len(samples) == MOST_SAMPLES
    assert samples[-1] == "This is my sentence number 91."


def test_a_long_message_is_shortened_so_that_the_answer_stands_there() -> None:
    chat = lines(user("x" * 9000), by("Ada", "Please, breathe."))
    text = FORMAT.read(chat, ENGLISH).people[0].memories[0].text
    assert len(text) <= LONGEST_MEMORY
    assert text.endswith('… Ada: "Please, breathe."'.replace("… ", '…" '))


def test_the_newest_exchanges_are_kept_and_the_number_of_others_is_said() -> None:
    talk = [one for number in range(MOST_EXCHANGES + 5) for one in (user(f"Question {number}?"), by("Ada", "Yes."))]
    arrival = FORMAT.read(lines(*talk), ENGLISH)
    memories = arrival.people[0].memories
    assert len(memories) == MOST_EXCHANGES
    assert memories[0].text == 'Director: "Question 5?" Ada: "Yes."'
    assert said(arrival.left, "the oldest 5 conversations") == "the newest 200 are kept"


def test_of_a_crowd_those_who_say_most_become_characters() -> None:
    crowd = [by(f"Guest {number}", "Hello.") for number in range(3 * MOST_SPEAKERS)]
    arrival = FORMAT.read(lines(*crowd, by("Ada", "One."), by("Ada", "Two.")), ENGLISH)
    names = [person.name for person in arrival.people]
    assert (len(names), names[0], names[-1]) == (MOST_SPEAKERS, "Guest 0", "Ada")
    assert said(arrival.left, "41 speakers") == "the 20 who say most become characters"


def test_a_talk_without_the_user_is_cut_into_exchanges() -> None:
    chat = lines(*(by("Ada", f"Line {number}.") for number in range(2 * MOST_LINES + 1)))
    assert len(FORMAT.read(chat, ENGLISH).people[0].memories) == 3


def test_a_name_that_the_user_gives_replaces_that_of_the_only_character() -> None:
    person = FORMAT.read(CHAT, replace(ENGLISH, name="Sera")).people[0]
    assert person.name == "Sera"
    assert person.memories[0].text == 'Sera: "*smiles* You are safe here, Director. I am Sera."'


@pytest.mark.parametrize("chat", [lines(HEADER), lines(HEADER, user("Hello?")), lines(by("Ada", "x", is_system=True))])
def test_a_chat_in_which_no_character_speaks_is_refused(chat: ImportSource) -> None:
    with pytest.raises(UsageError, match="none of a character") as refused:
        FORMAT.read(chat, ENGLISH)
    assert refused.value.hint


def test_messages_that_cannot_be_read_are_counted() -> None:
    odd: list[object] = [
        7,
        None,
        [],
        by("Ada", {"x": 1}),
        by("Ada", None, swipes="abc", swipe_id="2"),
        by("", "no name"),
        {"mes": "x"},
    ]
    arrival = FORMAT.read(lines(by("Ada", "Hello."), *odd), ENGLISH)
    assert said(arrival.left, "7 messages") == "without a text or a name"
    assert len(arrival.people[0].memories) == 1


def test_texts_that_pretend_to_be_structure_stay_texts() -> None:
    arrival = FORMAT.read(
        lines(by("../x\n---\n", "---\nname: evil\n---\n# Voice\u0000\u202e {{user}}{{user}}")), ENGLISH
    )
    person = arrival.people[0]
    assert person.name == "../x ---"
    assert person.memories[0].text == '../x ---: "--- name: evil --- # Voice DirectorDirector"'
    assert not wrong_keys(person.front)


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.lists(st.text(max_size=5))
LINE = st.dictionaries(
    st.sampled_from(["name", "mes", "is_user", "is_system", "swipes", "swipe_id", "chat_metadata"]), VALUES
)


@given(st.lists(LINE | VALUES, max_size=8))
def test_any_lines_are_read_or_refused(talk: list[object]) -> None:
    try:
        arrival = FORMAT.read(lines(by("Ada", "Hello."), *talk), ENGLISH)
    except UsageError as refused:
        assert refused.hint
        return
    for person in arrival.people:
        assert person.memories
        assert not wrong_keys(person.front)
        assert all(one.text == " ".join(one.text.split()) for one in person.memories)


def test_a_report_names_the_character_that_a_nameless_user_became() -> None:
    chat = lines(HEADER, user("Who are you?"), by("Seraphina", "I guard this forest."))
    became = f"{ENGLISH.user}; --user NAME names another one"
    assert became in dict(FORMAT.read(chat, replace(ENGLISH, user_named=False)).mapped).values()
    assert became not in dict(FORMAT.read(chat, replace(ENGLISH, user_named=True)).mapped).values()


def test_in_a_group_the_user_means_the_last_speaker() -> None:
    header = {"user_name": "unused", "character_name": "unused", "chat_metadata": {}}
    chat = lines(header, by("Ada", "Who is it?"), user("I, {{char}}."), by("Ben", "And I."))
    assert 'I, Ada."' in FORMAT.read(chat, ENGLISH).people[0].memories[1].text


@pytest.mark.parametrize("cut", [1, 4, 12])
def test_a_last_line_that_breaks_off_is_left_out_and_said(tmp_path: Path, cut: int) -> None:
    whole = lines(HEADER, by("Ada", "Hello."), user("Hi."), by("Ada", "Fine?")).raw.replace(b"Fine", "schön".encode())
    path = tmp_path / "chat.jsonl"
    path.write_bytes(whole[: whole.index(b"\xc3") + cut])
    source = open_source(path)
    assert source.problems == ("line 4 breaks off and was left out",)
    assert [one.text for one in FORMAT.read(source, ENGLISH).people[0].memories][-1].startswith('Director: "Hi.')
    assert FORMAT.read(source, ENGLISH).kept[".chat.jsonl"] == path.read_bytes()
    path.write_bytes(path.read_bytes().removesuffix(b"\n") + b"\n")
    with pytest.raises(UsageError, match=r"neither|not valid JSON"):
        open_source(path)


def test_a_last_line_without_a_newline_counts(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(lines(HEADER, by("Ada", "Hello."), by("Ada", "Good night.")).raw.rstrip(b"\n"))
    assert open_source(path).problems == ()
    assert "Good night." in str(FORMAT.read(open_source(path), ENGLISH).people)
