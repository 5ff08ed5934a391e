"""Every figure of the organisers' scorers, from the library and through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from postil.cli.main import app
from postil.data.formats.ists import read_alignments
from postil.data.formats.rte import read_gold, read_run
from postil.data.formats.sra import read_labels
from postil.data.labels import ENTAILMENT_SCHEMES, FACET_SCHEMES, RESPONSE_SCHEMES
from postil.scoring.alignment import score_alignments
from postil.scoring.entailment import score_entailment
from postil.scoring.responses import score_labels, tally_labels

CASES = Path(__file__).parent.parent / "conformance"
# The script's "microaverage" is what papers call the weighted average.
AVERAGES = {"macroaverage": "macro", "microaverage": "weighted"}


def expected(task: str) -> dict[str, dict]:
    return json.loads((CASES / task / "expected.json").read_text(encoding="utf-8"))


def run_json(*arguments: object) -> dict:
    result = CliRunner().invoke(app, ["score", *map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def sra_files(case: str) -> tuple[Path, Path]:
    return CASES / "sra" / f"{case}.system.txt", CASES / "sra" / f"{case}.gold.txt"


def check_sra(case: str, data: dict) -> None:
    figures = expected("sra")[case]
    assert set(data["per_class"]) == set(figures) - set(AVERAGES)
    for name, wanted in figures.items():
        for measure, value in wanted.items():
            given = (
                data[f"{AVERAGES[name]}_{measure}"] if name in AVERAGES else data["per_class"][name][measure]
            )
            assert given == pytest.approx(value, abs=1e-9), (case, name, measure)


def test_no_case_is_missing():
    assert len(expected("sra")) == 12
    assert len(expected("ists")) == 5
    assert len(expected("rte")) == 3


@pytest.mark.parametrize("case", expected("sra"))
def test_sra(case):
    mode = case.split(".")[0]
    schemes, scheme = (FACET_SCHEMES, "2way") if mode == "partEnt" else (RESPONSE_SCHEMES, mode)
    system, gold = (read_labels(path, schemes) for path in sra_files(case))
    tally = tally_labels(gold, {item.id: item.label for item in system}, schemes[scheme])
    check_sra(case, score_labels("sra", tally, schemes[scheme]).as_json())


@pytest.mark.parametrize("case", expected("sra"))
def test_sra_command(case):
    mode = case.split(".")[0]
    task, scheme = ("facets", "2way") if mode == "partEnt" else ("responses", mode)
    data = run_json(task, *sra_files(case), "--scheme", scheme)
    check_sra(case, data)
    assert (data["task"], data["scheme"], data["count"]) == (task, scheme, 60)


@pytest.mark.filterwarnings("ignore::postil.errors.InputWarning")  # a system left a pair without links
@pytest.mark.parametrize("case", expected("ists"))
def test_ists(case):
    gold, system = (read_alignments(CASES / "ists" / f"{case}.{side}.wa") for side in ("gold", "system"))
    metrics = score_alignments(gold, system).metrics
    assert {name: round(value, 4) for name, value in metrics.items()} == expected("ists")[case]


@pytest.mark.filterwarnings("ignore::postil.errors.InputWarning")  # a system left a pair without links
@pytest.mark.parametrize("case", expected("ists"))
def test_ists_command(case):
    data = run_json("alignment", CASES / "ists" / f"{case}.system.wa", CASES / "ists" / f"{case}.gold.wa")
    for name, value in expected("ists")[case].items():
        assert data[name] == pytest.approx(value, abs=1e-4), (case, name)


def check_rte(case: str, data: dict, scheme: str) -> None:
    wanted = expected("rte")[case]
    for name in ("average_precision", "confidence_weighted_score", "accuracy_2way"):
        assert data[name] == pytest.approx(wanted[name], abs=1e-9), (case, name)
    assert data["accuracy"] == pytest.approx(wanted[f"accuracy_{scheme}"], abs=1e-9), case


@pytest.mark.parametrize("scheme", ["3way", "2way"])
@pytest.mark.parametrize("case", expected("rte"))
def test_rte(case, scheme):
    system, gold = CASES / "rte" / f"{case}.system.tsv", CASES / "rte" / f"{case}.gold.tsv"
    score = score_entailment(read_gold(gold), read_run(system), ENTAILMENT_SCHEMES[scheme])
    check_rte(case, dict(score.metrics), scheme)


@pytest.mark.parametrize("scheme", ["3way", "2way"])
@pytest.mark.parametrize("case", expected("rte"))
def test_rte_command(case, scheme):
    system, gold = CASES / "rte" / f"{case}.system.tsv", CASES / "rte" / f"{case}.gold.tsv"
    check_rte(case, run_json("entailment", system, gold, "--scheme", scheme), scheme)
