"""The tables for people: ours beside the published, the best marked, and honest notes."""

from __future__ import annotations

import pytest

from postil.data.formats.rte import EntailmentRun, Pair, PairJudgement
from postil.data.judgements import AlignedPair, Alignment
from postil.data.labels import ENTAILMENT_SCHEMES, RESPONSE_SCHEMES
from postil.research.tables import BenchResult, Cell, published_responses, render, short, tables_of
from postil.scoring.alignment import score_alignments, tally_alignments
from postil.scoring.entailment import score_entailment, tally_entailment
from postil.scoring.responses import score_labels, tally_classes
from postil.scoring.significance import group_numbers

FIVE = RESPONSE_SCHEMES["5way"]


def label_cell(right: int, wrong: int = 0) -> Cell:
    """A cell in which every class has `right` answers judged right and `wrong` judged as the next class."""
    gold, given = [], []
    for number, label in enumerate(FIVE.labels):
        gold += [label] * (right + wrong)
        given += [label] * right + [FIVE.labels[number - 1]] * wrong
    tally = tally_classes(gold, given, FIVE)
    return Cell(
        score_labels("sra", tally, FIVE), tally, group_numbers([str(n % 7) for n in range(len(gold))])
    )


def responses(system: str, **cells: Cell) -> BenchResult:
    tests = {name.replace("__", "/").replace("_", "-"): cell for name, cell in cells.items()}
    return BenchResult("responses", system, f"task:sra|system:{system}", {"5way": tests}, 1.0)


def rows(text: str, title: str) -> dict[str, list[str]]:
    """The rows of one table of a rendered text, by system."""
    block = next(part for part in text.split("### ") if part.startswith(title))
    lines = [line.strip("| ").split(" | ") for line in block.splitlines() if line.startswith("| ")]
    assert lines.pop(1)[0].startswith("---")
    return {cells[0]: cells[1:] for cells in lines}


def test_the_best_of_a_column_is_bold():
    strong = responses("strong", beetle__test_unseen_answers=label_cell(9, 1))
    weak = responses("weak", beetle__test_unseen_answers=label_cell(1, 9))
    text = render([weak], iterations=0)
    macro = rows(text, "responses, 5way, macro_f1")
    assert macro["system"] == ["beetle/test-unseen-answers"]
    assert macro["ETS2"] == ["**.619**"]
    assert macro["*weak (Postil)*"] == [".100"]
    both = rows(render([strong, weak], iterations=0), "responses, 5way, macro_f1")
    assert both["ETS2"] == [".619"]
    assert both["*strong (Postil)*"] == ["**.900**"]
    assert sum("**" in cells[0] for cells in both.values()) == 1


def test_weighted_f1_has_its_own_table():
    text = render([responses("weak", beetle__test_unseen_answers=label_cell(1, 9))], iterations=0)
    assert rows(text, "responses, 5way, weighted_f1")["ETS2"] == ["**.705**"]


def test_every_published_row_is_there():
    text = render([responses("weak", beetle__test_unseen_answers=label_cell(1, 9))], iterations=0)
    published = [row.system for row in published_responses("5way", "macro_f1")]
    assert list(rows(text, "responses, 5way, macro_f1")) == ["system", *published, "*weak (Postil)*"]


def alignment_result(name: str = "headlines") -> BenchResult:
    gold = [AlignedPair("1", ("a",), ("b",), (Alignment((1,), (1,), ("SIMI",), 2.0),))]
    given = [AlignedPair("1", ("a",), ("b",), (Alignment((1,), (1,), ("EQUI",), 5.0),))]
    cell = Cell(score_alignments(gold, given), tally_alignments(gold, given))
    return BenchResult("alignment", "identical", "s", {"gold": {name: cell}}, 0.1)


def test_aggregates_are_never_bold():
    macro = rows(render([alignment_result()], iterations=0), "alignment, gold, headlines")
    assert macro["system"] == ["f_align", "f_type", "f_score", "f_type_score"]
    # MAX equals the best system in three columns; the mark is the system's.
    assert macro["MAX"] == [".914", ".703", ".838", ".696"]
    assert "**" not in "".join(macro["AVG"])
    assert macro["Inspire r1"] == [".819", "**.703**", ".787", "**.696**"]
    assert macro["*identical (Postil)*"] == ["**1.000**", ".000", ".400", ".000"]


def test_a_figure_alone_is_not_the_best_of_anything():
    cell = label_cell(9, 1)
    result = responses("ours", beetle__test_unseen_answers=cell, all=cell)
    assert rows(render([result], iterations=0), "responses, 5way, macro_f1")["*ours (Postil)*"] == [
        *("**.900**", ".900")
    ]


def test_the_organisers_asterisk_is_not_markup():
    names = list(rows(render([alignment_result("images")], iterations=0), "alignment, gold, images"))
    assert r"\*iUBC r1" in names


def test_a_dataset_nobody_published_on():
    text = render([alignment_result("my-pupils")], iterations=0)
    assert list(rows(text, "alignment, gold, my-pupils")) == ["system", "*identical (Postil)*"]


def test_intervals_are_in_brackets():
    result = responses("weak", beetle__test_unseen_answers=label_cell(6, 4))
    cell = rows(render([result], iterations=200), "responses, 5way, macro_f1")["*weak (Postil)*"][0]
    figure, low, high = cell.replace("[", "").replace("]", "").replace(",", "").split()
    assert float(low) < float(figure) < float(high)
    bare = rows(render([result], iterations=0), "responses, 5way, macro_f1")["*weak (Postil)*"][0]
    assert "[" not in bare


def test_cross_validation_is_not_passed_off_as_a_ranking():
    crossed = render([responses("weak", beetle__cv_unseen_answers=label_cell(1, 9))], iterations=0)
    assert "cross-validated" in crossed
    assert rows(crossed, "responses, 5way, macro_f1")["ETS2"] == ["**.619**"]
    strong = render([responses("strong", beetle__cv_unseen_answers=label_cell(9, 1))], iterations=0)
    assert rows(strong, "responses, 5way, macro_f1")["ETS2"] == ["**.619**"]
    assert rows(strong, "responses, 5way, macro_f1")["*strong (Postil)*"] == [".900"]
    official = render([responses("weak", beetle__test_unseen_answers=label_cell(1, 9))], iterations=0)
    assert "cross-validated" not in official
    assert "`task:sra|system:weak`" in official


def test_a_total_of_one_set_is_no_column():
    cell = label_cell(5)
    one = responses("x", beetle__test_unseen_answers=cell, beetle__all=cell, all=cell)
    (first, _) = tables_of([one])
    assert first.columns == ("beetle/test-unseen-answers", "all")
    two = responses(
        "x",
        beetle__test_unseen_answers=cell,
        beetle__test_unseen_questions=cell,
        beetle__all=cell,
        all=cell,
    )
    (first, _) = tables_of([two])
    assert first.columns[2:] == ("beetle/all", "all")


def test_the_first_system_is_tested_against_the_others():
    strong = responses("strong", beetle__test_unseen_answers=label_cell(19, 1))
    weak = responses("weak", beetle__test_unseen_answers=label_cell(4, 16))
    text = render([strong, weak], iterations=0)
    (line,) = [line for line in text.splitlines() if line.startswith("- 5way")]
    assert "macro_f1 +0.750 against weak" in line
    assert line.endswith(", significant")
    same = render([strong, responses("twin", beetle__test_unseen_answers=label_cell(19, 1))], iterations=0)
    (line,) = [line for line in same.splitlines() if line.startswith("- 5way")]
    assert "+0.000 against twin" in line
    assert "p = 1.0000, not significant" in line
    assert "Significance" not in render([strong], iterations=0)


@pytest.mark.parametrize(("confidence", "shown"), [(0.5, "**1.000**"), (None, "–")])
def test_a_missing_figure_is_a_dash(confidence, shown):
    gold = [Pair("1", "", "", "ENTAILMENT")]
    run = EntailmentRun((PairJudgement("1", "ENTAILMENT", confidence),))
    scheme = ENTAILMENT_SCHEMES["2way"]
    cell = Cell(score_entailment(gold, run, scheme), tally_entailment(gold, run, scheme))
    result = BenchResult("entailment", "overlap", "s", {"2way": {"RTE3_test": cell}}, 0.1)
    listed = rows(render([result], iterations=0), "entailment, 2way, RTE3_test")
    assert listed["*overlap (Postil)*"] == ["**1.000**", shown]
    assert listed["Adams"] == [".670", "–"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, ".500"), (1.0, "1.000"), (0.0, ".000"), (-0.25, "-.250"), (10.5, "10.500")]
)
def test_short_figures(value, text):
    assert short(value) == text
