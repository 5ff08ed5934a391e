"""Rolesets and verb classes of the words that science answers are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.language.words.verbs import Verbs, describe, verbs

# Words of other languages and things that are no words at all.
STRANGE = [
    "",
    " ",
    "-",
    "_",
    "zzyzx",
    "испарение",
    "蒸発",
    "تبخر",
    "εξάτμιση",
    "💧",
    "42",
    "a\x00b",
    "\ud800",
]


@pytest.mark.parametrize(
    ("noun", "verb", "roleset"),
    [
        ("evaporation", "evaporate", "evaporate.01"),
        ("condensation", "condense", "condense.01"),
        ("reflection", "reflect", "reflect.01"),
        ("absorption", "absorb", "absorb.01"),
        ("heating", "heat", "heat.01"),
        ("heat", "heat", "heat.01"),
        ("connection", "connect", "connect.01"),
        ("movement", "move", "move.01"),
        ("erosion", "erode", "erode.01"),
        ("dissolution", "dissolve", "dissolve.01"),
        ("attraction", "attract", "attract.01"),
        ("flow", "flow", "flow.01"),
        ("measurement", "measure", "measure.01"),
        ("reaction", "react", "react.01"),
        ("growth", "grow", "grow.01"),
        ("melting", "melt", "melt.01"),
        ("freezing", "freeze", "freeze.01"),
        ("expansion", "expand", "expand.01"),
        ("contraction", "contract", "contract.01"),
        ("rotation", "rotate", "rotate.01"),
        ("vibration", "vibrate", "vibrate.01"),
        ("filtration", "filter", "filter.02"),
        ("observation", "observe", "observe.01"),
        ("prediction", "predict", "predict.01"),
        ("increase", "increase", "increase.01"),
        ("transfer", "transfer", "transfer.01"),
        ("production", "produce", "produce.01"),
        ("digestion", "digest", "digest.01"),
        ("explosion", "explode", "explode.01"),
        ("collision", "collide", "collide.01"),
    ],
)
def test_a_noun_and_its_verb_are_one_predicate(noun: str, verb: str, roleset: str) -> None:
    assert verb in verbs().verbs_of(noun)
    assert verbs().rolesets(noun, "n")[0].id == roleset
    assert verbs().rolesets(verb, "v")[0].id == roleset


@pytest.mark.parametrize(
    ("adjective", "verb"),
    [("molten", "melt"), ("attractive", "attract"), ("conductive", "conduct"), ("eroded", "erode")],
)
def test_an_adjective_gives_its_verb(adjective: str, verb: str) -> None:
    assert verbs().verbs_of(adjective) == (verb,)


def test_a_roleset_in_full() -> None:
    evaporate = verbs().roleset("evaporate.01")
    assert evaporate is not None
    assert (evaporate.lemma, evaporate.name) == ("evaporate", "change from liquid to vapor")
    assert set(evaporate.aliases) == {("evaporate", "v"), ("evaporation", "n")}
    assert evaporate.words("n") == ("evaporation",)
    assert evaporate.classes == ("other_cos-45.4",)
    source, liquid = evaporate.roles
    assert (source.number, source.function, source.themes) == ("ARG0", "pag", ("Agent",))
    assert (liquid.number, liquid.function, liquid.themes) == ("ARG1", "ppt", ("Patient",))
    assert liquid.description == "liquid, now vapor"
    assert evaporate.role("ARG1") == liquid
    assert evaporate.role("ARG7") is None


def test_a_description_for_people() -> None:
    evaporate = verbs().rolesets("evaporate")[0]
    assert describe(evaporate) == (
        "evaporate.01 (change from liquid to vapor): ARG0 heat source; ARG1 liquid, now vapor"
    )


def test_a_description_without_arguments_has_no_colon() -> None:
    bare = Verbs({"rolesets": {"rain.01": "fall\train\tv:rain\t"}, "classes": {}})
    assert describe(bare.rolesets("rain")[0]) == "rain.01 (fall)"


def test_rolesets_come_in_the_order_of_their_numbers() -> None:
    assert [r.id for r in verbs().rolesets("movement", "n")] == ["move.01", "movement.07"]
    assert [r.id for r in verbs().rolesets("move", "v")][:5] == [f"move.0{n}" for n in range(1, 6)]


def test_of_equal_numbers_the_words_own_comes_first() -> None:
    rows = {f"{lemma}.01": f"\t{lemma}\tv:turn\t" for lemma in ("spin", "turn", "wheel")}
    assert [r.lemma for r in Verbs({"rolesets": rows, "classes": {}}).rolesets("turn")] == [
        "turn",
        "spin",
        "wheel",
    ]


def test_the_part_of_speech_narrows() -> None:
    assert verbs().rolesets("evaporation", "v") == ()
    assert verbs().rolesets("evaporate", "n") == ()
    assert verbs().rolesets("evaporation") == verbs().rolesets("evaporation", "n")
    for unknown in ("noun", "", "vn"):
        assert verbs().rolesets("heat", unknown) == ()


def test_light_verbs_idioms_and_prepositional_predicates() -> None:
    assert [r.id for r in verbs().rolesets("make decision", "v")] == ["decide.01"]
    assert [r.id for r in verbs().rolesets("take into account", "v")] == ["take_into_account.04"]
    assert [r.id for r in verbs().rolesets("on fire", "j")] == ["on_fire.08"]


@pytest.mark.parametrize("spelling", ["heat up", "heat_up", "heat-up", "Heat  Up", " heat\u2011up "])
def test_particle_verbs_however_they_are_joined(spelling: str) -> None:
    assert [r.id for r in verbs().rolesets(spelling, "v")] == ["heat_up.02"]


@pytest.mark.parametrize(
    ("written", "roleset"),
    [
        ("re-heat", "reheat.01"),
        ("co-exist", "coexist.01"),
        ("setup", "set_up"),
        ("ionise", "ionize.01"),
        ("magnetisation", "magnetize.01"),
        ("analyse", "analyze.01"),
        ("colour", "color.01"),
        ("HEAT", "heat.01"),
    ],
)
def test_other_spellings(written: str, roleset: str) -> None:
    assert verbs().rolesets(written)[0].id.startswith(roleset)


@pytest.mark.parametrize("word", ["dragon", "goon", "putin", "four", "prise"])
def test_other_words_are_not_taken_for_spellings(word: str) -> None:
    assert verbs().rolesets(word) == ()


def test_a_spelling_that_is_listed_goes_before_one_that_is_not() -> None:
    assert {r.lemma for r in verbs().rolesets("turnover")} == {"turnover"}
    assert {r.lemma for r in verbs().rolesets("turn over")} == {"turn_over"}


@pytest.mark.parametrize(
    ("verb", "cls"),
    [
        ("evaporate", "other_cos-45.4"),
        ("condense", "other_cos-45.4"),
        ("dissolve", "break-45.1"),
        ("absorb", "absorb-39.8"),
        ("erode", "entity_specific_cos-45.5"),
        ("give off", "substance_emission-43.4"),
        ("spring-up", "appear-48.1.1"),
        ("FedEx", "send-11.1-1"),
        ("magnetise", "remedy-45.7-1"),
    ],
)
def test_classes(verb: str, cls: str) -> None:
    assert cls in verbs().classes(verb)


def test_the_class_of_the_first_sense_comes_first() -> None:
    assert verbs().classes("put")[0] == "put-9.1-2"
    assert sorted(verbs().classes("put")) != list(verbs().classes("put"))


def test_main_classes() -> None:
    assert verbs().main_class("put-9.1-2") == "put-9.1"
    assert verbs().main_class("break-45.1") == "break-45.1"
    assert verbs().main_class("nowhere-999.1") == ""


def test_members_include_those_of_subclasses() -> None:
    assert {"evaporate", "melt", "freeze"} <= set(verbs().members("other_cos-45.4"))
    assert "melt" in verbs().members("other_cos-45.4-1")
    assert "evaporate" not in verbs().members("other_cos-45.4-1")
    assert "put" in verbs().members("put-9.1")


@pytest.mark.parametrize(
    ("one", "other", "related"),
    [
        ("heat", "cool", True),
        ("evaporate", "condense", True),
        ("evaporate", "melt", True),  # one in the class, the other in its subclass
        ("break", "shatter", True),
        ("increase", "decrease", True),
        ("eat", "evaporate", False),
        ("heat", "measure", False),
        ("heat", "zzyzx", False),
        ("zzyzx", "zzyzx", False),
    ],
)
def test_related_verbs(one: str, other: str, related: bool) -> None:
    assert verbs().related(one, other) is related
    assert verbs().related(other, one) is related


@pytest.mark.parametrize("word", STRANGE)
def test_unknown_words_give_nothing(word: str) -> None:
    lexicon = verbs()
    assert lexicon.rolesets(word) == lexicon.rolesets(word, "n") == ()
    assert lexicon.classes(word) == lexicon.members(word) == lexicon.verbs_of(word) == ()
    assert lexicon.roleset(word) is None
    assert lexicon.main_class(word) == ""


@given(st.text(max_size=20), st.text(max_size=3))
def test_any_text_can_be_asked_for(word: str, pos: str) -> None:
    lexicon = verbs()
    for roleset in lexicon.rolesets(word, pos):
        assert roleset in lexicon.rolesets(word)
    assert lexicon.related(word, word) is bool(lexicon.classes(word))


def test_loaded_once() -> None:
    assert verbs() is verbs()
    assert verbs().roleset("heat.01") is verbs().rolesets("heat", "v")[0]
