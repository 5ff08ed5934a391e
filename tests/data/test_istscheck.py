"""The checker of alignment files: all problems at once, errors apart from breaches of the guidelines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from postil.data.formats.ists import write_alignments
from postil.data.formats.ists_rules import check_alignments, check_annotation
from postil.data.judgements import AlignedPair, Alignment
from postil.errors import Problem

GOOD = AlignedPair(
    id="7",
    source=("the", "cat", "sat"),
    target=("a", "cat"),
    alignments=(
        Alignment((1, 2), (1, 2), ("EQUI",), 5),
        Alignment((3,), (), ("NOALI",), None),
    ),
)
FIRST_ALIGNMENT, SECOND_ALIGNMENT = 14, 15


def problems_of(tmp_path, *pairs: AlignedPair) -> list[Problem]:
    write_alignments(tmp_path / "a.wa", pairs)
    return check_alignments(tmp_path / "a.wa")


def test_nothing_to_complain_about(tmp_path):
    assert problems_of(tmp_path, GOOD, replace(GOOD, id="8")) == []


def test_noali_may_score_zero(tmp_path):
    pair = replace(GOOD, alignments=(GOOD.alignments[0], Alignment((3,), (), ("NOALI",), 0.0)))
    assert problems_of(tmp_path, pair) == []


@pytest.mark.parametrize(
    ("alignment", "what"),
    [
        (Alignment((1, 2), (1, 2), ("EQUI",), 4), "EQUI should have the score 5"),
        (Alignment((1, 2), (1, 2), ("EQUI",), None), "EQUI should have the score 5"),
        (Alignment((1, 2), (1, 2), ("SIMI",), 5), "SIMI should have a score above 0 and below 5"),
        (Alignment((1, 2), (1, 2), ("REL", "FACT"), 0), "REL should have a score above 0"),
        (Alignment((1, 2), (1, 2), ("OPPO",), None), "OPPO should have a score above 0"),
        (Alignment((2, 1), (1, 2), ("EQUI",), 5), "token numbers are not in order"),
        (Alignment((1, 2), (2, 1), ("EQUI",), 5), "token numbers are not in order"),
        (Alignment((1, 2), (1, 2), ("NOALI",), None), "NOALI links two chunks"),
        (Alignment((1, 2), (1, 2), ("EQUI", "FACT", "FACT"), 5), "FACT occurs twice"),
        (Alignment((1, 2), (1, 2), ("POL", "EQUI"), 5), "the type should come first: EQUI_POL"),
    ],
)
def test_guidelines(tmp_path, alignment, what):
    (problem,) = problems_of(tmp_path, replace(GOOD, alignments=(alignment, GOOD.alignments[1])))
    assert what in problem.what
    assert (problem.line, problem.record, problem.severity) == (FIRST_ALIGNMENT, "sentence 7", "warning")


@pytest.mark.parametrize(
    ("alignment", "what"),
    [
        (Alignment((3,), (), ("NOALI",), 2), "NOALI has the score 2"),
        (Alignment((3,), (), ("SIMI",), 2), "SIMI with nothing on one side"),
    ],
)
def test_unaligned_guidelines(tmp_path, alignment, what):
    (problem,) = problems_of(tmp_path, replace(GOOD, alignments=(GOOD.alignments[0], alignment)))
    assert what in problem.what
    assert (problem.line, problem.severity) == (SECOND_ALIGNMENT, "warning")


def test_tokens_left_out_and_used_twice(tmp_path):
    missing, repeated = problems_of(
        tmp_path,
        replace(GOOD, alignments=GOOD.alignments[:1]),
        replace(GOOD, id="8", alignments=(*GOOD.alignments, Alignment((), (2,), ("NOALI",), None))),
    )
    assert "tokens 3 of the first sentence are in no alignment" in missing.what
    assert "tokens 2 of the second sentence are in more than one alignment" in repeated.what
    assert (missing.line, missing.record, missing.severity) == (1, "sentence 7", "warning")
    assert repeated.record == "sentence 8"


def test_tokens_that_are_not_the_sentence(tmp_path):
    (problem,) = problems_of(tmp_path, replace(GOOD, target_text="a dog"))
    assert "the tokens are not those of the second sentence" in problem.what
    assert problem.severity == "warning"


def test_errors_and_warnings_come_together_in_order_of_lines(tmp_path):
    path = tmp_path / "a.wa"
    write_alignments(path, [GOOD, replace(GOOD, id="8", source_text="another sentence")])
    path.write_text(path.read_text().replace("EQUI // 5", "EQUI // 9", 1))
    problems = check_alignments(path)
    assert [(problem.line, problem.severity) for problem in problems] == [
        (1, "warning"),
        (1, "warning"),
        (FIRST_ALIGNMENT, "error"),
        (20, "warning"),
    ]


def test_a_sentence_without_tokens_is_an_error(tmp_path):
    (problem,) = problems_of(tmp_path, AlignedPair("7", (), ("a",), (Alignment((), (1,), ("NOALI",), None),)))
    assert (problem.what, problem.severity) == ("the first sentence has no tokens.", "error")


# --- what people wrote --------------------------------------------------------------------------------------


def annotation_problems(tmp_path, chunks: tuple[str, str] | None, *alignments: Alignment) -> list[Problem]:
    write_alignments(tmp_path / "a.wa", [replace(GOOD, alignments=alignments)])
    for side, line in enumerate(chunks or (), start=1):
        (tmp_path / f"a.sent{side}.chunk.txt").write_text(f"{line}\n")
    return check_annotation(tmp_path / "a.wa")


@pytest.mark.parametrize("chunks", [None, ("[ the cat ] [ sat ]", "[ a cat ]"), ("[ the cat sat ]",)])
def test_a_good_annotation(tmp_path, chunks):
    # With one chunk file alone nothing is said of chunks.
    assert annotation_problems(tmp_path, chunks, *GOOD.alignments) == []


def test_an_annotation_has_the_problems_of_any_file(tmp_path):
    alignments = (Alignment((1, 2), (1, 2), ("EQUI",), 4),)
    problems = annotation_problems(tmp_path, None, *alignments)
    assert problems == check_alignments(tmp_path / "a.wa")
    assert len(problems) == 2


def test_people_give_whole_scores(tmp_path):
    alignments = (Alignment((1, 2), (1, 2), ("SIMI",), 2.5), GOOD.alignments[1])
    (problem,) = annotation_problems(tmp_path, None, *alignments)
    assert problem == Problem(
        FIRST_ALIGNMENT, "sentence 7", "the score 2.5 is not a whole number.", "warning"
    )
    assert check_alignments(tmp_path / "a.wa") == []


def test_people_align_whole_chunks(tmp_path):
    problems = annotation_problems(tmp_path, ("[ the ] [ cat sat ]", "[ a ] [ cat ]"), *GOOD.alignments)
    assert [(problem.line, problem.what) for problem in problems] == [
        (line, "only part of the chunk of tokens 2 3 of the first sentence is aligned.")
        for line in (FIRST_ALIGNMENT, SECOND_ALIGNMENT)
    ]


def test_what_is_not_aligned_has_a_line_a_chunk(tmp_path):
    alignments = (Alignment((1, 2, 3), (), ("NOALI",), None), Alignment((), (1, 2), ("NOALI",), None))
    (problem,) = annotation_problems(tmp_path, ("[ the cat sat ]", "[ a ] [ cat ]"), *alignments)
    assert problem.line == SECOND_ALIGNMENT
    assert problem.what.startswith("NOALI takes 2 chunks of the second sentence")


@pytest.mark.parametrize("chunks", [("[ the dog sat ]", "[ a cat ]"), ("[ the cat sat ]", "a cat")])
def test_chunks_that_do_not_fit_are_said_to_be_so(tmp_path, chunks):
    (problem,) = annotation_problems(tmp_path, chunks, *GOOD.alignments)
    assert problem.what.startswith("its chunks cannot be checked: ")
