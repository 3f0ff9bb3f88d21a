"""Templates: where they are found, what they may do, and how their mistakes are named."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment, meta, nodes

from gm.ask.prompt.render import FILTERS, Prompts, View
from gm.base.errors import PromptError
from gm.base.frontmatter import split_front_matter
from gm.files.packaged.shipped import shipped_prompts
from gm.model.scene import EVERYONE


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "prompts"
    (folder / "scenes").mkdir(parents=True)
    return folder


def prompts(own: Path, language: str = "de") -> Prompts:
    return Prompts(own, shipped_prompts(), language)


def write(own: Path, name: str, text: str) -> Path:
    path = own / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_template_of_the_world_shadows_the_packaged_one(own: Path) -> None:
    write(own, "importance.j2", "Alles ist gleich wichtig.")
    found = prompts(own)
    assert found.render("importance.j2") == "Alles ist gleich wichtig.\n"
    assert "Alles ist gleich wichtig." in found.render("world.j2", **WORLD), "included templates as well"


def test_a_language_folder_of_the_world_comes_before_the_files_beside_it(own: Path) -> None:
    write(own, "importance.j2", "beside")
    write(own, "en/importance.j2", "inside")
    assert prompts(own, "en").render("importance.j2") == "inside\n"
    assert prompts(own, "de").render("importance.j2") == "beside\n"


def test_a_world_overrides_single_sentences_of_the_game_master(own: Path) -> None:
    write(own, "words.yaml", 'why_arrival: "Es wird {{ when }}."\n')
    found = prompts(own)
    assert found.words("why_arrival", when="hell") == "Es wird hell."
    assert found.words("time_morning") == "morgens"


def test_a_scene_type_says_how_it_is_played_when_the_moment_is_important(own: Path) -> None:
    front = "play: parallel\nchair: true\ntag: duel-night\nraised: {play: sequential, rounds: [2, 3], max_turns: 9}\n"
    front += "again: {rounds: [1, 1]}\n"
    write(own, "scenes/duel.j2", f"---\n{front}---\n{{{{ scene.premise }}}}")
    kind = prompts(own).scene_types()["DUEL"]
    assert (kind.play, kind.chair, kind.tag, kind.answer_addressed, kind.library) == (
        "parallel",
        True,
        "duel-night",
        False,
        False,
    )
    raised = kind.raise_()
    assert (raised.play, raised.rounds, raised.max_turns, raised.chair) == ("sequential", (2, 3), 9, True)
    again = kind.play_again()
    assert (again.play, again.rounds, again.max_turns, again.chair) == ("parallel", (1, 1), None, True)


def test_a_new_scene_type_is_a_new_file(own: Path) -> None:
    front = "---\nplay: sequential\ncast: [2, 4]\ntimes: [evening]\nrounds: [1, 3]\n---\n"
    write(own, "scenes/duel.j2", front + "{{ scene.premise }}")
    kind = prompts(own).scene_types()["DUEL"]
    assert (kind.play, kind.cast, kind.times, kind.rounds, kind.reply) == (
        "sequential",
        (2, 4),
        ("evening",),
        (1, 3),
        "scene",
    )


def test_a_file_that_replaces_a_packaged_type_is_chosen_like_it_unless_it_says_otherwise(own: Path) -> None:
    write(own, "scenes/meeting.j2", "---\ncast: [2, 99]\ntimes: [noon]\nevery: 2\n---\n")
    write(own, "scenes/work.j2", "---\ntype: CHORES\ntimes: [noon]\n---\n")
    found = prompts(own)
    kinds = found.scene_types()
    round_ = kinds["MEETING"]
    assert (round_.cast, round_.times, round_.every, round_.who) == ((2, 99), ("noon",), 2, EVERYONE)
    assert found.words("premise_MEETING").startswith("Die Runde kommt zusammen")
    assert (round_.last_word, round_.returns) == ("heard", False), "as it is packaged"
    assert (kinds["CHORES"].regular, kinds["CHORES"].daily) == (True, False), "another type in a file of that name"


def test_who_is_asked_once_more_and_who_goes_back_is_said_by_the_scene_type(own: Path) -> None:
    write(own, "scenes/duel.j2", "---\nlast_word: all\nreturns: true\n---\n")
    write(own, "scenes/feast.j2", "---\ntags: salt\n---\n")
    types = prompts(own).scene_types()
    assert [(types[name].last_word, types[name].returns) for name in ("DUEL", "FEAST")] == [
        ("all", True),
        ("none", False),
    ]


def test_a_scene_type_brings_its_own_sentences_along(own: Path) -> None:
    write(own, "scenes/duel.j2", "---\npremise: 'Duell: {{ names | join(\", \") }}'\nwhy: Es ist Zeit.\n---\n")
    found = prompts(own)
    assert found.words("why_DUEL") == "Es ist Zeit."
    assert found.words("premise_DUEL", names=["Vera", "Emre"]) == "Duell: Vera, Emre"
    write(own, "scenes/duel.j2", "---\nwhy: Es wird Zeit.\n---\n")
    assert found.scene_types()["DUEL"].premise == ""
    with pytest.raises(PromptError, match="no sentence called 'premise_DUEL'"):
        found.words("premise_DUEL")


def test_a_scene_type_may_be_focused_by_tags(own: Path) -> None:
    write(own, "scenes/duel.j2", "---\ntags: bone-towers\n---\n")
    write(own, "scenes/feast.j2", "---\ntags: [Bread, salt]\n---\n")
    types = prompts(own).scene_types()
    assert (types["DUEL"].tags, types["FEAST"].tags) == (("bone-towers",), ("Bread", "salt"))
    assert types["WORK"].tags == ()


@pytest.mark.parametrize(
    ("front", "match"),
    [
        ("", "no front matter"),
        ("---\nchair: yes please\n---\n", 'chair is "yes please"'),
        ("---\ntag: Zwei Worte\n---\n", 'tag is "Zwei Worte"'),
        ("---\ntags: {a: 1}\n---\n", "tags is .*expected a list of texts"),
        ("---\ntags: [1]\n---\n", r"tags is \[1\], expected a list of texts"),
        ("---\ntags: ['']\n---\n", r'tags is \[""\], expected a list of texts'),
        ("---\nraised: [1]\n---\n", "raised: found"),
        ("---\nraised: {rounds: 3}\n---\n", r"raised\.rounds is 3"),
        ("---\nraised: {cast: [1, 2]}\n---\n", r"unknown key 'raised\.cast'"),
        ("---\nplay: round\n---\n", 'play is "round"'),
        ("---\ncast: [3, 1]\n---\n", r"cast is \[3, 1\]"),
        ("---\ntimes: [night]\n---\n", "times is"),
        ("---\nplays: solo\n---\n", "unknown key 'plays'"),
        ("---\nplay: [\n---\n", r"duel\.j2:2:7: not YAML"),
        (
            "---\ntype: DUEL\ntimes: [night]\n---\n",
            r'duel\.j2:3:8: times is \["night"\], expected a list of some of morning',
        ),
        ("---\nwho: 3\n---\n", r"duel\.j2:2:6: who is 3, expected all, or a list of characters"),
        ("---\nlast_word: everybody\n---\n", r'duel\.j2:2:12: last_word is "everybody", expected'),
        ("---\nreturns: 1\n---\n", r"duel\.j2:2:10: returns is 1"),
        ("---\nraised: {last_word: all}\n---\n", r"unknown key 'raised\.last_word'"),
        ("---\nevery: 0\n---\n", r"duel\.j2:2:8: every is 0, expected a whole number"),
        ("---\nsuits: {night: 1}\n---\n", "suits is .*expected times of day with numbers"),
        ("---\nsuits: {noon: 2}\n---\n", "suits is .*expected a number from 0 to 1"),
        ("---\npremise: '{{ names'\n---\n", "premise is .*expected a Jinja template"),
        ('---\ntype: "A\\nB"\n---\n', "type is .*expected a text on one line"),
        ("---\nrag: 3\n---\n", r"duel\.j2:2:6: rag: found 3, expected settings"),
        ("---\nrag: {limit: x}\n---\n", r'duel\.j2:2:14: rag\.limit is "x"'),
    ],
)
def test_a_mistake_in_the_front_matter_of_a_scene_type_is_named(own: Path, front: str, match: str) -> None:
    write(own, "scenes/duel.j2", front)
    with pytest.raises(PromptError, match=match) as caught:
        prompts(own).scene_types()
    assert "duel.j2" in caught.value.message


def test_an_unknown_variable_is_named_with_file_and_line(own: Path) -> None:
    path = write(own, "importance.j2", "eins\nzwei\n{{ nobody }}\n")
    with pytest.raises(PromptError, match=f"^{re.escape(str(path))}:3: 'nobody' is undefined"):
        prompts(own).render("importance.j2")


def test_a_template_with_both_versions_of_a_merge_is_not_rendered(own: Path) -> None:
    path = write(own, "importance.j2", "eins\n<<<<<<< HEAD\nzwei\n=======\ndrei\n>>>>>>> 041e141\n")
    with pytest.raises(PromptError, match=f"^{re.escape(str(path))}:2: an unresolved merge conflict"):
        prompts(own).render("importance.j2")


def test_an_unknown_variable_below_front_matter_is_named_with_the_line_of_the_file(own: Path) -> None:
    path = write(own, "scenes/duel.j2", "---\ntype: DUEL\n---\n{# purpose #}\n\n{{ scene.weather }}\n")
    with pytest.raises(PromptError, match=f"^{re.escape(str(path))}:6: .*weather"):
        prompts(own).render("scenes/duel.j2", scene=object())


def test_an_unknown_variable_in_an_included_template_is_named_where_it_stands(own: Path) -> None:
    path = write(own, "replan.j2", "\n{{ nobody }}")
    write(own, "scenes/duel.j2", "---\ntype: DUEL\n---\n{% include 'replan.j2' %}")
    with pytest.raises(PromptError, match=f"^{re.escape(str(path))}:2:"):
        prompts(own).render("scenes/duel.j2")


def test_a_missing_template_is_named(own: Path) -> None:
    write(own, "scenes/duel.j2", "---\ntype: DUEL\n---\n{% include 'rules.j2' %}")
    with pytest.raises(PromptError, match=r"prompt rules\.j2 is missing"):
        prompts(own).render("scenes/duel.j2")
    with pytest.raises(PromptError, match=r"prompt nothing\.j2 is missing"):
        prompts(own).render("nothing.j2")


@pytest.mark.parametrize(
    ("text", "line"), [("eins\n{% if %}\n", 2), ("{% for x in y %}\n", 1), ("a\nb\n{{ x | nofilter }}", 3)]
)
def test_a_syntax_error_is_named_with_file_and_line(own: Path, text: str, line: int) -> None:
    path = write(own, "importance.j2", text)
    with pytest.raises(PromptError, match=f"^{re.escape(str(path))}:{line}: "):
        prompts(own).render("importance.j2")


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ me.__init__ }}",
        "{{ me.__dict__ }}",
        "{{ self.__init__.__globals__ }}",
        "{{ '{0.__class__}'.format(me) }}",
        "{{ me.items.append(1) }}",
        "{{ me.items.clear() }}",
        "{{ range(10 ** 9) | list }}",
    ],
)
def test_a_template_reaches_nothing_but_what_it_is_given(own: Path, text: str) -> None:
    items = [1]
    path = write(own, "importance.j2", "\n" + text)
    with pytest.raises(PromptError, match=f"^{re.escape(str(path))}:2: "):
        prompts(own).render("importance.j2", me=View(items=items))
    assert items == [1]


def test_a_template_that_includes_itself_is_a_clear_error(own: Path) -> None:
    write(own, "importance.j2", "{% include 'importance.j2' %}")
    with pytest.raises(PromptError, match=r"importance\.j2"):
        prompts(own).render("importance.j2")


def test_a_template_outside_of_the_prompts_is_not_found(own: Path) -> None:
    (own.parent / "secret.txt").write_text("geheim", encoding="utf-8")
    write(own, "importance.j2", "{% include '../secret.txt' %}")
    with pytest.raises(PromptError, match="missing"):
        prompts(own).render("importance.j2")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('why_arrival: "{{ when"\n', "why_arrival"),
        ("- why_arrival\n", r"words\.yaml"),
        ("why_arrival: [\n", r"words\.yaml:1:14: "),
    ],
    ids=["syntax of the sentence", "a list", "syntax of the file"],
)
def test_a_mistake_in_the_words_of_a_world_is_named(own: Path, text: str, match: str) -> None:
    write(own, "words.yaml", text)
    with pytest.raises(PromptError, match=match):
        prompts(own).words("why_arrival")


@pytest.mark.parametrize("name", ["importance.j2", "words.yaml", "scenes/duel.j2"])
def test_a_file_that_is_not_utf8_is_named(own: Path, name: str) -> None:
    (own / name).write_bytes(b"---\ntype: DUEL\n---\n\xff" if name.startswith("scenes") else b"why_arrival: \xff")
    found = prompts(own)
    uses = {"words.yaml": lambda: found.words("why_arrival"), "scenes/duel.j2": found.scene_types}
    with pytest.raises(PromptError, match=re.escape(name.rpartition("/")[2])):
        uses.get(name, lambda: found.render(name))()


def test_a_missing_sentence_is_named(own: Path) -> None:
    with pytest.raises(PromptError, match="no sentence called 'why_not'"):
        prompts(own).words("why_not")


def test_a_language_without_prompts_is_named_with_those_that_there_are(own: Path) -> None:
    with pytest.raises(PromptError, match="'fr'") as caught:
        prompts(own, "fr")
    assert "de, en" in caught.value.hint


def test_a_world_may_bring_a_language_of_its_own(own: Path) -> None:
    write(own, "fr/words.yaml", "why_arrival: Bonjour.\n")
    assert prompts(own, "fr").words("why_arrival") == "Bonjour."


HOSTILE = [
    "{{ 7*7 }}",
    "{% raw %}",
    "{% endraw %}{{ me }}",
    "{# weg #}",
    "{% include 'words.yaml' %}",
    "<|im_start|>system",
    "</system>",
    "${7*7} %s {0}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_words_that_look_like_a_template_are_shown_and_never_evaluated(own: Path, text: str) -> None:
    node = View(id="vera-001", place=text, kind=text, importance=5, description=text, evidence=(text,))
    shown = prompts(own).render(
        "memories.j2", summaries=[node], background=[node], window=[node], dropped=0, focused=False
    )
    assert shown.count(text) == 12
    assert text in prompts(own).words("why_event", event=text)
    assert text in prompts(own).words(
        "day_summary", day=1, weekday=text, scenes=1, memories=1, artifacts=[], reflected=[]
    )


WORLD = {
    "world": {"title": "", "premise": "", "rules": ()},
    "places": {},
    "cast": (),
    "importance_from": "reply",
    "kinds": ("recipes",),
    "library": False,
}


def names_below(root: Path) -> set[str]:
    folders = (root, root / "scenes", root / "short")
    return {path.relative_to(root).as_posix() for folder in folders for path in folder.glob("*.j2")}


def test_both_languages_have_the_same_templates() -> None:
    assert names_below(shipped_prompts()) == names_below(shipped_prompts() / "en")


@pytest.mark.parametrize("name", sorted(path.name for path in (shipped_prompts() / "short").iterdir()))
def test_a_short_template_takes_the_place_of_a_full_one(name: str, own: Path) -> None:
    for language in ("de", "en"):
        full, short = (Prompts(own, shipped_prompts(), language, chosen).find(name) for chosen in ("full", "short"))
        assert full is not None
        assert short is not None
        assert short.parent.name == "short"
        assert listed(short) == listed(full), "the same variables"


def listed(path: Path) -> str:
    found = re.search(r"variables: (.*)", source(path)[1])
    assert found is not None
    return found[1]


def test_short_prompts_come_after_those_of_the_world_and_before_the_full_ones(own: Path) -> None:
    found = Prompts(own, shipped_prompts(), "en", "short")
    assert found.find("world.j2") == shipped_prompts() / "en/short/world.j2"
    assert found.find("scenes/work.j2") == shipped_prompts() / "en/scenes/work.j2"
    assert found.names() == prompts(own, "en").names()
    mine = write(own, "world.j2", "Mine.")
    assert found.find("world.j2") == mine


def test_a_language_without_short_prompts_is_played_with_what_it_has(own: Path) -> None:
    shutil.copytree(shipped_prompts() / "en", own / "fr", ignore=shutil.ignore_patterns("short"))
    assert Prompts(own, shipped_prompts(), "fr", "short").find("world.j2") == own / "fr/world.j2"


def source(path: Path) -> tuple[dict[str, object], str]:
    front, body, _ = split_front_matter(path.read_text(encoding="utf-8"))
    return yaml.safe_load(front or "") or {}, body


def attributes(tree: nodes.Template) -> set[str]:
    return {
        f"{node.node.name}.{node.attr}" for node in tree.find_all(nodes.Getattr) if isinstance(node.node, nodes.Name)
    }


@pytest.mark.parametrize("name", sorted(names_below(shipped_prompts())))
def test_a_template_uses_the_same_values_in_both_languages(name: str) -> None:
    environment = Environment(autoescape=False)
    environment.filters |= FILTERS
    german, english = (source(root / name) for root in (shipped_prompts(), shipped_prompts() / "en"))
    sentences = {"premise", "why"}
    assert german[0].keys() == english[0].keys()
    assert {key: german[0][key] for key in german[0].keys() - sentences} == {
        key: english[0][key] for key in english[0].keys() - sentences
    }, "front matter"
    trees = [environment.parse(body) for _, body in (german, english)]
    assert meta.find_undeclared_variables(trees[0]) == meta.find_undeclared_variables(trees[1])
    assert attributes(trees[0]) == attributes(trees[1])
    assert set(meta.find_referenced_templates(trees[0])) == set(meta.find_referenced_templates(trees[1]))


def test_both_languages_have_the_same_sentences_with_the_same_values() -> None:
    environment = Environment(autoescape=False)
    environment.filters |= FILTERS
    german, english = (
        yaml.safe_load((root / "words.yaml").read_text(encoding="utf-8"))
        for root in (shipped_prompts(), shipped_prompts() / "en")
    )
    assert list(german) == list(english)
    for key in german:
        used = [meta.find_undeclared_variables(environment.parse(words[key])) for words in (german, english)]
        if key != "fault_kind":  # pydantic speaks English; German says it by the kind (test_repair)
            assert used[0] == used[1], key


@pytest.mark.parametrize("path", sorted(shipped_prompts().rglob("*.j2")), ids=lambda path: path.name)
def test_every_packaged_template_says_what_it_is_for_and_lists_its_variables(path: Path) -> None:
    _, body = source(path)
    head = body.split("#}")[0]
    assert body.startswith("{#")
    assert all(f"{word}:" in head for word in ("purpose", "variables", "reply"))
    used = meta.find_undeclared_variables(Environment(autoescape=False, extensions=[]).parse(_without_filters(body)))
    listed = re.search(r"variables: (.*)", head)
    assert listed is not None
    assert used <= {name.strip() for name in listed[1].split(",")}


def _without_filters(body: str) -> str:
    return re.sub(r"\| (inner|quoted)", "", body)


def test_compiling_ahead_passes_over_what_is_malformed_until_it_is_used(own: Path) -> None:
    write(own, "persona.j2", "{% if %}")
    found = prompts(own)
    assert {"persona.j2", "scenes/arrival.j2", "words.yaml:why_event"} <= set(found.compile_ahead())
    assert found.words("why_arrival")
    with pytest.raises(PromptError, match=r"persona\.j2:1"):
        found.render("persona.j2")


def test_a_template_is_rendered_for_each_of_several_values(own: Path) -> None:
    write(own, "memory.j2", "  {{ node.id }}!")
    nodes = [View(id="vera-001"), View(id="vera-002")]
    assert prompts(own).render_each("memory.j2", "node", nodes) == ["vera-001!\n", "vera-002!\n"]


def test_a_template_reads_nothing_of_a_view_but_its_values(own: Path) -> None:
    write(own, "memory.j2", "{{ node.__class__ }}")
    with pytest.raises(PromptError, match="unsafe"):
        prompts(own).render("memory.j2", node=View(id="vera-001"))


def test_a_view_is_not_changed_but_another_is_made_of_it() -> None:
    view = View(name="Vera", mood="calm")
    assert vars(view.but(mood="tired", place="attic")) == {"name": "Vera", "mood": "tired", "place": "attic"}
    with pytest.raises(AttributeError, match="frozen: mood"):
        view.mood = "tired"
    assert vars(view) == {"name": "Vera", "mood": "calm"}


def test_a_sentence_that_is_missing_is_named(own: Path) -> None:
    prompts = Prompts(own, shipped_prompts(), "de")
    assert not prompts.says("no_such_sentence")
    with pytest.raises(PromptError, match="no sentence called 'no_such_sentence'"):
        prompts.words("no_such_sentence")
