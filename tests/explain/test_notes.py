"""Notes made of claims: for every label, from outcomes written by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.labels import PARTLY, RESPONSE_SCHEMES
from postil.data.questions import Facet
from postil.explain import notes
from postil.explain.clauses import Tree
from postil.explain.notes import claim_in_words, feedback_by_label, points_of
from postil.explain.quotations import quotation
from postil.explain.topics import View
from postil.explain.wording import Pupils, Verb
from postil.language.pipeline import analyse, documents_of

LABELS = RESPONSE_SCHEMES["5way"].labels
QUESTION = "What happens to ice in water, and why?"
DENSE, EXPANDS, COLD = "ice is less dense than water", "water expands when it freezes", "ice is cold"
REFERENCE = "Ice floats because it is less dense than water: water expands when it freezes."


def outcome(
    statement: str, label: str, answer: str = "", words: str = "", *, sure: float = 0.9, **facet
) -> FacetOutcome:
    """What an answer does with a claim, and by which of its words."""
    start = answer.find(words) if words else -1  # words that the answer does not have have no place in it
    spans = ((start, start + len(words)),) if start >= 0 else ()
    against = sure if label == CONTRADICTED else 0.05
    return FacetOutcome(
        Facet(statement, statement, **facet), label, sure, (words,), spans, contradicted=against
    )


def points(answer: str, *outcomes: FacetOutcome) -> list[notes.Point]:
    return points_of(outcomes, answer, documents_of(each.facet.first for each in outcomes))


def teacher(label: str, answer: str, *outcomes: FacetOutcome) -> tuple[str, str]:
    documents = documents_of(each.facet.first for each in outcomes)
    return notes.for_teacher(label, points(answer, *outcomes), answer, QUESTION, documents)


def student(
    label: str,
    answer: str,
    *outcomes: FacetOutcome,
    question: str = QUESTION,
    reference: str = REFERENCE,
    pupils: Pupils = Pupils.OLDER,
    **options: bool,
) -> str:
    documents = documents_of(each.facet.first for each in outcomes)
    trees = {text: Tree.of(document) for text, document in documents.items()}
    view = View(analyse(question), analyse(answer))
    made = points_of(outcomes, answer, documents)
    told = analyse(reference)
    return notes.for_student(label, made, answer, view, told, trees, pupils=pupils, **options)


@pytest.mark.parametrize(
    ("text", "verb", "words"),
    [
        ("ice is less dense than water", Verb.SAY, "ice is less dense than water"),
        ("The Sun warms the sea.", Verb.SAY, "the Sun warms the sea"),
        ("Because the circuit is open", Verb.SAY, "the circuit is open"),
        ("a closed path", Verb.MENTION, "a closed path"),
        ("Green leaves.", Verb.MENTION, "“green leaves”"),
        ("Click the green button.", Verb.TELL, "click the green button"),
        ("hold chlorophyll", Verb.POINT, "hold chlorophyll"),
        ("containing A", Verb.POINT, "containing A"),
        ("1975", Verb.POINT, "1975"),
        ("Is it warm?", Verb.POINT, "Is it warm"),
        ("It melts. Then it flows.", Verb.POINT, "It melts. Then it flows"),
    ],
)
def test_a_claim_is_named_as_what_it_is(text, verb, words):
    content = claim_in_words(Facet("1", text), analyse(text))
    assert (content.verb, content.words) == (verb, words)


def test_what_a_reference_tells_to_do_is_told():
    claim = claim_in_words(Facet("1", "stir the mixture"), analyse("stir the mixture"), "Stir the mixture.")
    assert claim.verb is Verb.TELL


def test_two_terms_and_long_claims_are_quoted():
    assert claim_in_words(Facet("1", "contains", "seeds"), None).words == "contains – seeds"
    long = "ice floats " + "and it drifts " * 20
    assert claim_in_words(Facet("1", long), analyse(long)).words.endswith(" …")


def test_a_correct_answer_without_a_fault_needs_no_note():
    answer = "it is lighter than water"
    assert teacher("correct", answer, outcome(DENSE, EXPRESSED, answer, answer)) == ("", "")


def test_what_did_not_count_is_said_of_a_correct_answer():
    answer = "ice is less dense"
    note, doubt = teacher(
        "correct",
        answer,
        outcome(DENSE, EXPRESSED, answer, answer),
        outcome(EXPANDS, UNADDRESSED, required=False),
    )
    assert note == (
        "The answer does not say that water expands when it freezes, which did not count against it."
    )
    assert doubt == ""


def test_a_correct_answer_without_a_required_claim_is_to_be_checked():
    answer = "ice is less dense"
    told = teacher(
        "correct", answer, outcome(DENSE, EXPRESSED, answer, answer), outcome(EXPANDS, UNADDRESSED)
    )
    assert told == (
        "",
        "Please check: the answer was judged “correct”, but does not say that water expands when it freezes.",
    )
    told = teacher("correct", "heavier", outcome(DENSE, CONTRADICTED, "heavier", "heavier"))
    assert told == (
        "",
        "Please check: the answer was judged “correct”, but seems to contradict the reference, which says "
        "that ice is less dense than water.",
    )


def test_what_is_there_and_what_is_missing():
    answer = "ice is less dense than water"
    note, doubt = teacher(
        PARTLY, answer, outcome(DENSE, EXPRESSED, answer, answer), outcome(EXPANDS, UNADDRESSED)
    )
    assert note == (
        "The answer says that ice is less dense than water. "
        "It does not say that water expands when it freezes."
    )
    assert doubt == ""


def test_other_words_of_the_pupil_are_shown_as_they_were_written():
    answer = "it is lihgter then the see"
    note, _ = teacher(
        PARTLY, answer, outcome(DENSE, EXPRESSED, answer, "lihgter then"), outcome(EXPANDS, UNADDRESSED)
    )
    assert note.startswith(
        "The answer says that ice is less dense than water (“it is lihgter then the see”)."
    )


def test_fragments_are_quoted_as_points():
    note, _ = teacher(
        PARTLY, "salt", outcome("containing salt", EXPRESSED), outcome("dissolving fast", UNADDRESSED)
    )
    assert note == (
        "The answer makes the point “containing salt”. It does not make the point “dissolving fast”."
    )


def test_both_sides_of_a_contradiction():
    answer = "Ice sinks because it is heavier than the water that is around it in the sea and in lakes."
    note, _ = teacher(
        "contradictory",
        answer,
        outcome(EXPANDS, UNADDRESSED),
        outcome(DENSE, CONTRADICTED, answer, "heavier"),
    )
    assert note == (
        "The pupil writes “Ice sinks because it is heavier than the water that is around it in the sea and "
        "in lakes”; the reference says that ice is less dense than water."
    )


def test_a_denial_is_never_cut_off():
    answer = "there is no gap between the terminals"
    said = outcome("the terminals are separated by a gap", CONTRADICTED, answer, "gap between the terminals")
    assert "“there is no gap between the terminals”" in teacher("contradictory", answer, said)[0]
    long = f"I am quite sure that not every wire in our school is warm {'when we touch it ' * 4}"
    assert quotation(long, ((long.index("wire"), long.index(" when")),)) == (
        "“not every wire in our school is warm”"
    )


def test_a_wrong_part_of_a_partly_right_answer():
    answer = "ice is less dense, and water shrinks when it freezes"
    note, _ = teacher(
        PARTLY,
        answer,
        outcome(DENSE, EXPRESSED, answer, "ice is less dense"),
        outcome(EXPANDS, CONTRADICTED, answer, "shrinks"),
    )
    assert note == (
        "The answer says that ice is less dense than water. The pupil writes “water shrinks when it "
        "freezes”; the reference says that water expands when it freezes."
    )


def test_where_no_claim_is_contradicted_the_likeliest_is_set_against_the_answer():
    note, _ = teacher("contradictory", "steel", outcome("copper", UNADDRESSED))
    assert note == "The pupil writes “steel”; the reference has “copper”."
    assert teacher("contradictory", "steel") == ("", "")


def test_off_the_point():
    note, _ = teacher("irrelevant", "gates are painted", outcome(DENSE, UNADDRESSED))
    assert note == (
        "The pupil writes “gates are painted”; the reference says that ice is less dense than water."
    )
    long = "I like swimming in the sea with my friends when it is warm and the sun shines on us"
    note, _ = teacher("irrelevant", long, outcome(DENSE, UNADDRESSED), outcome(EXPANDS, UNADDRESSED))
    assert note == (
        "The answer does not say that ice is less dense than water or that water expands when it freezes."
    )


def test_of_alternatives_none_is_missing_where_enough_are_said():
    answer = "it is cold"
    others = {"group": "1", "needed": 1}
    claims = (
        outcome(COLD, EXPRESSED, answer, answer, **others),
        outcome(DENSE, UNADDRESSED, **others),
        outcome(EXPANDS, UNADDRESSED, sure=0.6),
    )
    note, _ = teacher(PARTLY, answer, *claims)
    assert note == "The answer says that ice is cold. It does not say that water expands when it freezes."


def test_a_label_that_no_claim_speaks_for_has_no_note_but_a_doubt():
    answer = "ice is less dense than water"
    note, doubt = teacher(PARTLY, answer, outcome(DENSE, EXPRESSED, answer, answer))
    assert note == ""
    assert doubt == (
        "Please check: the answer was judged “partly right”, "
        "but it seems to say everything the reference says."
    )


def test_how_far_a_long_answer_was_read():
    _, doubt = notes.for_teacher("correct", [], "x", read_to=400)
    assert doubt == (
        "Please check: only the first 400 words and symbols of the answer were compared with the reference."
    )


def test_a_pupil_hears_what_is_right():
    answer = "I think that ice is less dense. My dog likes it a lot"
    said = outcome(DENSE, EXPRESSED, answer, "ice is less dense")
    short = "ice is less dense"
    assert student("correct", short, outcome(DENSE, EXPRESSED, short, short)) == "Your answer is right."
    assert student("correct", answer, said) == (
        "Your answer is right: “I think that ice is less dense” is what matters here."
    )
    assert student("correct", answer, said, deferred=True) == "Your answer looks right."
    assert student("correct", answer, said, pupils=Pupils.YOUNGER) == (
        "Well done: “I think that ice is less dense” is just right."
    )


def test_a_pupil_is_led_to_what_is_missing():
    answer = "ice is less dense because it is lighter"
    said = outcome(DENSE, EXPRESSED, answer, "ice is less dense")
    told = student(PARTLY, answer, said, outcome(EXPANDS, UNADDRESSED))
    assert told == "“ice is less dense” is right. What happens to the water?"
    told = student(PARTLY, answer, said, outcome(EXPANDS, UNADDRESSED), pupils=Pupils.YOUNGER)
    assert told == "Good: “ice is less dense” is right. What happens to the water?"
    told = student(PARTLY, "It floats.", outcome(DENSE, UNADDRESSED))
    assert told == "Your answer is partly right. Can you also say why?"


def test_a_pupil_looks_again_at_the_own_words():
    answer = "Ice is heavier than water."
    told = student("contradictory", answer, outcome(DENSE, CONTRADICTED, answer, "heavier"))
    assert told == "Look again at “Ice is heavier than water”. How do the ice and the water compare?"
    assert student("contradictory", "steel", outcome("copper", UNADDRESSED)) == (
        "Look again at “steel”. Is it really so?"
    )


def test_a_pupil_reads_the_question_again():
    assert student("irrelevant", "my dog", outcome("the pressure rises", UNADDRESSED)) == (
        "Your answer does not answer the question yet. Read the question again."
    )
    assert student("non_domain", "next", outcome(DENSE, UNADDRESSED)).startswith(
        "This does not answer the question yet. How do the ice and the water compare?"
    )


def test_known_words_are_not_put_together_to_what_is_asked_for():
    question = "Whose blocks are different, and is it easier to tell the sounds apart?"
    claim = outcome("different materials make very different sounds", UNADDRESSED)
    told = student("irrelevant", "my dog", claim, question=question, reference=claim.facet.first)
    assert told == "Your answer does not answer the question yet. What can you say about sounds?"


ANSWERS = st.sampled_from(
    ["ice is less dense", "it sinks, since ice is heavy!", "no", "水 floats", "a\nb\tc"]
)
CLAIMS = st.lists(
    st.tuples(
        st.sampled_from([DENSE, EXPANDS, COLD, "oxygen", "containing A", "it is so because of salt", "?"]),
        st.sampled_from([EXPRESSED, UNADDRESSED, CONTRADICTED]),
        st.floats(0.34, 1),
        st.booleans(),
        st.booleans(),
    ),
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LABELS), ANSWERS, CLAIMS, st.sampled_from(Pupils))
def test_whatever_the_claims_notes_are_short_sentences_that_give_nothing_away(label, answer, claims, pupils):
    made = [
        outcome(text, said, answer, answer[: len(answer) * seen], sure=sure, required=required)
        for text, said, sure, required, seen in claims
    ]
    note, doubt = teacher(label, answer, *made)
    for text in filter(None, (note, doubt)):
        assert text[0].isupper()
        assert text.endswith((".", "?"))
    told = student(label, answer, *made, pupils=pupils)
    assert told[0].isupper() or told[0] == "“"
    assert told.endswith((".", "?"))
    secret = {"floats", "dense", "expands", "freezes", "salt", "oxygen"} - set(answer.split())
    assert not secret & set(told.replace("“", "").replace("”", "").strip(".?").split())


@pytest.mark.parametrize("label", LABELS)
def test_a_label_alone_says_what_to_do(label):
    for pupils in Pupils:
        assert feedback_by_label(label, pupils).endswith((".", "?"))
