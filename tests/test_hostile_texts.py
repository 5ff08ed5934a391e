"""Whatever a pupil or a stranger types, every reader takes bounded time and memory."""

import re
import time
import tracemalloc

import pytest
from hostile_texts import QUESTION, REFERENCE, hostile_texts
from typer.testing import CliRunner

import postil
from postil.alignment.aligner import MOST_ALIGNED, load_aligner
from postil.cli.main import app
from postil.data.judgements import ChunkedPair
from postil.entailment.entailer import load_entailer
from postil.grader import make_question
from postil.grading.answers import LONGEST_ANSWER, MOST_READ, shortened
from postil.grading.claims import judge_facets
from postil.grading.screening import screen
from postil.language.pipeline import analyse, beginning, in_batches

MEGABYTE = 1 << 20
TEXTS = hostile_texts(100)
ANSWERS = [f"There is a gap in the path. {text}" for text in TEXTS.values()]
# Those that took most time or memory before there were limits.
WORST = (
    "! again and again",
    "… again and again",
    "emoji",
    "flags",
    "nested brackets",
    "“a” again and again",
    "json",
)
LONG = {kind: f"There is a gap in the path. {hostile_texts(LONGEST_ANSWER)[kind]}" for kind in WORST}


def test_there_are_many_kinds():
    assert len(TEXTS) >= 100
    assert len(set(TEXTS.values())) > len(TEXTS) - 20  # short, a few are cut to the same


def test_every_kind_is_graded_and_explained():
    judgements = postil.load().grade_class(
        make_question(QUESTION, [REFERENCE]), [*TEXTS.values(), *ANSWERS], explain=True
    )
    assert len(judgements) == 2 * len(TEXTS)
    assert all(0 <= judgement.score <= 1 for judgement in judgements)


def test_every_kind_is_aligned():
    pairs = load_aligner().align_texts([(answer, REFERENCE) for answer in ANSWERS])
    assert len(pairs) == len(ANSWERS)


def test_every_kind_is_judged_for_entailment_and_facets():
    judged = load_entailer().judge([(answer, REFERENCE) for answer in ANSWERS])
    assert all(abs(sum(each.probabilities.values()) - 1) < 1e-6 for each in judged)
    assert len(judge_facets(QUESTION, REFERENCE, ANSWERS)) == len(ANSWERS)


@pytest.mark.parametrize("kind", WORST)
def test_a_long_answer_costs_little(kind):
    grader = postil.load()
    grader.grade(QUESTION, [REFERENCE], "The switch is open.", explain=True)
    tracemalloc.start()
    begun = time.process_time()
    try:
        grader.grade(QUESTION, [REFERENCE, LONG[kind]], LONG[kind], explain=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 150 * MEGABYTE
    assert time.process_time() - begun < 20  # 2 without tracing on a quiet machine: benchmarks/hostile.py


@pytest.mark.parametrize("sign", "$%°+=§!😀")
def test_a_hostile_question_costs_little(sign):
    grader = postil.load()
    grader.grade(QUESTION, [REFERENCE], "The switch is open.", explain=True)
    begun = time.process_time()
    question = make_question(sign * 5000, [REFERENCE])
    screen(question)
    grader.grade_class(question, ["a gap"], explain=True)
    assert time.process_time() - begun < 3  # .1 on a quiet machine, and 4 when long runs took their square


def test_long_runs_without_a_blank_are_read_whole():
    text = f"{'$' * 450} the gap {'x' * 1000}. end"
    tokens = analyse(text).tokens
    assert "".join(token.text for token in tokens) == text.replace(" ", "")
    assert all(text.startswith(token.text, token.start) for token in tokens)
    assert [token.text for token in tokens if token.text in ("the", "gap", "end")] == ["the", "gap", "end"]


def test_signs_again_and_again_are_read_as_three():
    assert shortened("It is open!!!!!!!!") == shortened("It is open! ! ! ! !!!").replace("! ! !", "!!!")
    assert shortened("Wait... what?") == "Wait... what?"
    assert len(shortened("a? " * 10_000)) <= LONGEST_ANSWER
    assert len(re.findall(r"\w+|[^\w\s]", shortened("a b, " * 1000))) == MOST_READ


def test_the_beginning_of_a_text():
    assert beginning("one, two three", 3) == "one, two"
    assert beginning("one, two three", 4) == "one, two three"
    assert beginning("  ", 1) == "  "


def test_a_long_answer_is_explained_as_far_as_it_was_read():
    words = "so it is open "
    answer = "The switch is open, so there is a gap" + "".join(f",{words}" for _ in range(60)).replace(
        " ", "…"
    )
    (judgement,) = postil.load().grade_class(make_question(QUESTION, [REFERENCE]), [answer], explain=True)
    assert judgement.explanation is not None
    assert "were compared with the reference" in judgement.explanation.doubt


def test_tokens_beyond_the_limit_stay_alone():
    words = tuple(f"w{number}" for number in range(MOST_ALIGNED + 50))
    chunks = tuple((number,) for number in range(1, len(words) + 1))
    short = ("the", "gap")
    (aligned,) = load_aligner().align([ChunkedPair("1", words, short, chunks, ((1, 2),))])
    assert aligned.source == words
    beyond = [link for link in aligned.alignments if link.source and max(link.source) > MOST_ALIGNED]
    assert [link.type for link in beyond] == ["NOALI"] * 50
    covered = sorted(token for link in aligned.alignments for token in link.source)
    assert covered == list(range(1, len(words) + 1))


@pytest.mark.parametrize(
    "arguments",
    [
        ("align", "word " * 300, "a gap"),
        ("entail", "It is open. " * 800, "It is open."),
        ("facets", "The gap is open.", "a gap " * 150),
        ("analyse", "gap " * 3_500, "--json"),
    ],
)
def test_commands_say_up_to_where_they_read(arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert re.search(
        r"note: the \w+( \w+)? is long; Postil read its first [\d,]+ words and symbols", result.stderr
    )


def test_long_words_are_cut_by_characters():
    result = CliRunner().invoke(app, ["entail", "circumnavigation " * 1_500, "It is open."])
    assert "note: the text is long; Postil read its first 20,000 characters, up to" in result.stderr


def test_analysing_flat_trees_is_not_square():
    text = "I'm " * 700
    begun = time.process_time()
    document = analyse(text)
    assert len(document.predicates) >= 0
    assert time.process_time() - begun < 10  # 24 seconds and 2 GB before


def test_the_roles_of_many_predicates_are_looked_for_a_few_at_a_time():
    document = analyse("if it is open then it is closed " * 200)
    assert analyse("It is open.").predicates  # the model is loaded
    tracemalloc.start()
    try:
        assert len(document.predicates) > 200
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50 * MEGABYTE  # 114 when those of a text were all looked for at once


def test_a_class_takes_no_more_memory_than_a_few_answers():
    grader, question = postil.load(), make_question(QUESTION, [REFERENCE, LONG["emoji"]])
    answers = [f"{number} gaps are in the path. {LONG['emoji']}" for number in range(12)]
    grader.grade_class(question, answers[:1], explain=True)
    tracemalloc.start()
    try:
        grader.grade_class(question, answers, explain=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200 * MEGABYTE


def test_batches_are_filled_up_to_their_size():
    assert list(in_batches([3, 3, 3, 9, 1], lambda item: item, 7)) == [[3, 3], [3], [9], [1]]
    assert list(in_batches([], len, 7)) == []
