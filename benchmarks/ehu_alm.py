"""What each step and each family of features is worth: EHU-ALM's systems, cross-validated alike.

    python benchmarks/ehu_alm.py --data DATA [--folds 5] [--only run2 extended] [--scenario unseen-questions]
    python benchmarks/ehu_alm.py --data DATA --ablation

`postil bench` searches the settings of every classifier anew in every fold, a quarter of an hour for a
system and scenario. Here all have C = 8, γ = 2⁻⁷ and weights ∝ n⁻½, good for several systems on the training
questions, so that systems differ in nothing but what is compared; features are computed once.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from postil.language.measures.features import THIRTY, feature_families
from postil.research import ehu_alm
from postil.research.benchmarks import run_responses
from postil.research.ehu_alm import DESIGNS, Design, EhuAlm, Parameters

SETTINGS = Parameters(8.0, 2.0**-7, 0.5)
ABLATION: dict[str, Design] = {
    "best-reference": ehu_alm.BEST_REFERENCE,
    **{
        f"without {family}": replace(ehu_alm.BEST_REFERENCE, without=(family,))
        for family in feature_families(THIRTY)
    },
}


def run(designs: dict[str, Design], scenario: str, data: Path, folds: int) -> None:
    print(f"## {scenario}, {folds} folds\n")
    print("| system | 5-way, five classes: Beetle | SciEntsBank | all | 2-way: Beetle | SciEntsBank | all |")
    print("| --- |" + " ---: |" * 6, flush=True)
    for name, design in designs.items():
        make = partial(EhuAlm, design, parameters=SETTINGS)
        cells = run_responses(data / "sra", name, scenario=scenario, folds=folds, make=make).cells
        values = [
            f"{cells[scheme][test].score.metrics[figure]:.3f}".removeprefix("0")
            for scheme, figure in (("5way", "macro_f1_5"), ("2way", "macro_f1"))
            for test in ("beetle/all", "sciEntsBank/all", "all")
        ]
        print(f"| {name} | " + " | ".join(values) + " |", flush=True)
        if name == "run2":
            for label, scores in cells["5way"]["all"].score.per_class.items():
                print(f"    {label}: {scores.precision:.3f} {scores.recall:.3f} {scores.f1:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=list(DESIGNS))
    parser.add_argument("--scenario", default="unseen-questions")
    parser.add_argument("--ablation", action="store_true")
    options = parser.parse_args()
    designs = ABLATION if options.ablation else {name: DESIGNS[name] for name in options.only or DESIGNS}
    run(designs, options.scenario, options.data, options.folds)


if __name__ == "__main__":
    main()
