"""Notes made of claims: for every label, from outcomes written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.data.judgements import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.labels import PARTLY, RESPONSE_SCHEMES
from postil.data.questions import Facet
from postil.explain import feedback, notes
from postil.explain.clauses import Tree
from postil.explain.coverage import coverage_of, vectors_of
from postil.explain.feedback import feedback_by_label
from postil.explain.phrases import forms_in
from postil.explain.points import Point, claim_in_words, in_brief, points_of, texts_of
from postil.explain.quotations import quotation, without_numbers
from postil.explain.topics import View
from postil.explain.wording import Pupils, Verb
from postil.language.document import Document
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


def documents_for(outcomes: Sequence[FacetOutcome]) -> dict[str, Document]:
    return documents_of(text for each in outcomes for text in texts_of(each.facet))


def points(answer: str, *outcomes: FacetOutcome, covered: bool = False, question: str = "") -> list[Point]:
    """The points; `covered` where the words of the answer are compared with theirs as well."""
    documents, own = documents_for(outcomes), analyse(answer)
    vectors = vectors_of([*documents.values(), own]) if covered else {}
    known = forms_in(analyse(question)) if question else set()
    coverages = {text: coverage_of(claim, own, known, vectors) for text, claim in documents.items()}
    return points_of(outcomes, answer, documents, coverages=coverages if covered else {}, question=question)


def compared(label: str, answer: str, *outcomes: FacetOutcome, question: str = "") -> str:
    """The note to the teacher where words are compared."""
    made = points(answer, *outcomes, covered=True, question=question)
    return notes.for_teacher(label, made, answer, question, documents_for(outcomes))[0]


def teacher(label: str, answer: str, *outcomes: FacetOutcome) -> tuple[str, str]:
    documents = documents_for(outcomes)
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
    return feedback.for_student(label, made, answer, view, told, trees, pupils=pupils, **options)


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
    assert note.startswith("The pupil's “it is lihgter then the see” agrees with the reference. The answer")


def test_fragments_are_quoted_as_points():
    note, _ = teacher(
        PARTLY, "salt", outcome("containing salt", EXPRESSED), outcome("dissolving fast", UNADDRESSED)
    )
    assert note == ("The answer makes the point “containing salt”. It leaves out “dissolving fast”.")


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
    answer = "ice is cold"
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
        "Look again at “steel”. What exactly does the question ask for?"
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


def test_of_a_claim_that_is_made_in_part_the_things_are_named():
    claim = "the pump and the filter are cleaned by the gardener"
    note = compared(PARTLY, "somebody cleans the pump", outcome(claim, UNADDRESSED))
    assert note == (
        "The answer mentions the pump but not the gardener; the reference says that the pump "
        "and the filter are cleaned by the gardener."
    )
    note = compared(PARTLY, "it is being washed", outcome("the gardener washes the carrots", UNADDRESSED))
    assert note == (
        "The answer does not mention the gardener or the carrots; the reference says that the gardener "
        "washes the carrots."
    )


def test_that_something_is_not_said_is_only_said_where_it_is_sure():
    said = outcome(
        "it is hot in the kitchen", EXPRESSED, "it is hot in the kitchen", "it is hot in the kitchen"
    )
    claim = "the steam turns into drops"
    near = compared(
        PARTLY, "it is hot in the kitchen and steam turns into tiny drops", said, outcome(claim, UNADDRESSED)
    )
    assert "does not say" not in near
    far = compared(PARTLY, "it is hot in the kitchen", said, outcome(claim, UNADDRESSED))
    assert (
        far
        == "The answer says that it is hot in the kitchen. It does not say that the steam turns into drops."
    )


def test_what_only_repeats_the_question_is_not_named():
    question = "Why do the birds leave first?"
    claims = (outcome("the birds leave first", UNADDRESSED), outcome("their food is gone", UNADDRESSED))
    note = compared("irrelevant", "they are tired", *claims, question=question)
    assert note == "The pupil writes “they are tired”; the reference says that their food is gone."


@pytest.mark.parametrize(
    ("claim", "texts"),
    [
        ("2. The door is open, i.e. not shut", ("The door is open",)),
        ("(For example:) red and blue", ("red and blue",)),
        (
            "the lock only opens where a key of the owner or of a guest was turned twice in it i.e. with "
            "care or Guards must ring the bell at the gate",
            (
                "the lock only opens where a key of the owner or of a guest was turned twice in it",
                "Guards must ring the bell at the gate",
            ),
        ),
        (
            "the baker rises at four in the morning, because the dough needs three hours in the warm room "
            "before it can be baked",
            ("the baker rises at four in the morning",),
        ),
    ],
)
def test_a_long_claim_is_named_in_brief(claim, texts):
    assert in_brief(claim) == texts
    assert all(len(text.split()) <= 21 for text in in_brief("so and so " * 30))  # and the dots


def test_of_alternatives_the_nearest_is_named():
    claim = (
        "the lock only opens where a key of the owner or of a guest was turned twice in it or Guards must "
        "ring the bell at the gate"
    )
    note = compared("contradictory", "Guards may never ring the bell", outcome(claim, UNADDRESSED))
    assert note == (
        "The pupil writes “Guards may never ring the bell”; the reference says that guards must ring the "
        "bell at the gate."
    )


def test_numbers_of_a_list_are_not_quoted():
    answer = "1. Ann Lee as Mia 2. Bo Day as Tim 3. Cy Fox as Jo"
    start = answer.index("Bo")
    assert quotation(answer, ((start, start + 6),), sentence=True) == "“Bo Day as Tim”"
    assert without_numbers("It was in 12. The end") == "It was in 12. The end"


def test_what_is_right_in_a_list_is_not_doubted():
    claim = outcome("paper and chalk", CONTRADICTED, "Paper and glue", "Paper and glue")
    note, _ = teacher("contradictory", "Paper and glue", claim)
    assert note == "The pupil writes “glue”; the reference says “paper and chalk”."
    told = student("contradictory", "Paper and glue", claim, question="Name two materials.")
    assert told == "Look again at “glue”. One of these does not fit."
    wrong = outcome("paper and chalk", UNADDRESSED)
    told = student("contradictory", "pens, ink", wrong, question="Name two materials.")
    assert told == "Look again at “pens, ink”. Not all of this fits the question."


def test_there_is_something_to_say_of_every_partly_right_answer():
    claims = [outcome(DENSE, EXPRESSED, sure=0.55), outcome(EXPANDS, EXPRESSED, sure=0.6)]
    assert teacher(PARTLY, "it is light", *claims)[0]


def test_what_is_praised_is_not_asked_for():
    answer = "blocks of wood sound the same"
    said = outcome("blocks of metal sound different", EXPRESSED, answer, answer)
    asked = replace(outcome("blocks of wood sound similar", UNADDRESSED), near=((0, len(answer)),))
    assert student(PARTLY, answer, said, asked).startswith("Your answer is partly right.")


@pytest.mark.parametrize(
    ("question", "answer", "claim", "hint"),
    [
        (
            "What role does the valve play for the pump?",
            "none",
            "the valve and the pump share a pipe",
            "What can you say about the valve and the pump?",
        ),
        (
            "How can a storm change a coast?",
            "it rains",
            "the storm damages the coast",
            "How does the storm affect the coast?",
        ),
        ("In what city was the treaty signed?", "a treaty", "Utrecht", "The question asks for a city."),
        (
            "Look at the leaf patterns. What is different about the leaf patterns?",
            "colour",
            "veins",
            "What can you say about the leaf patterns?",
        ),
        (
            "Do the ribbons end at the sides?",
            "no",
            "the ribbons begin at opposite sides",
            "What can you say about the ribbons?",
        ),
    ],
)
def test_questions_to_pupils_are_natural(question, answer, claim, hint):
    told = student("irrelevant", answer, outcome(claim, UNADDRESSED), question=question, reference=claim)
    assert told == f"Your answer does not answer the question yet. {hint}"


def test_no_capital_letter_inside_a_question_to_a_pupil():
    claim = "Crates must hold a label"
    told = student(
        PARTLY, "Crates may be open", outcome(claim, UNADDRESSED), question="What is packed?", reference=claim
    )
    assert "Crates" not in told
    assert "must" not in told


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
