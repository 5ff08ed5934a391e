"""The release of a corpus: training and test items, keys, untagged examples, and figures."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from postil.data.files import read_text, write_text
from postil.data.formats.rows import write_rows
from postil.data.formats.rte import write_pairs_tsv
from postil.data.formats.sensekeys import sense_key, write_sense_answers
from postil.data.formats.senseval import SenseInstance, write_senseval
from postil.errors import PostilError
from postil.senses.corpus.agreement import (
    Agreement,
    Outcome,
    complete,
    mean_seconds,
    measure_agreement,
    settle,
)
from postil.senses.corpus.items import ACTIONS, Item, Tagging, labelled_pair
from postil.senses.corpus.plan import TEST_SHARE, Assignment, Draw, corpus_of, split
from postil.senses.corpus.project import CHANGES, IN_FORCE, Project, plan_draws, read_tags
from postil.senses.corpus.sheets import write_inventory

Parts = dict[str, list[str]]  # the items of a release: train, test and untagged


@dataclass(frozen=True, slots=True)
class Annotations:
    """What people said about the items of a project: who was asked, the taggings, the referees' decisions."""

    assignments: Mapping[str, Assignment]
    taggings: Sequence[Tagging]
    decisions: Sequence[Tagging]


def divide(outcomes: Iterable[Outcome], draws: Iterable[Draw], *, test_share: float, seed: int) -> Parts:
    """Split the items to release, group by group, into training and test items; add the untagged ones."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.kept:
            groups[outcome.group].append(outcome.item)
    if not groups:
        raise PostilError("every item was removed or discarded: there is nothing to release.")
    splits = [split(sorted(groups[name]), test_share=test_share, seed=seed, group=name) for name in groups]
    train, test = (list(chain.from_iterable(part)) for part in zip(*splits, strict=True))
    return {"train": train, "test": test, "untagged": [id for draw in draws for id in sorted(draw.untagged)]}


def release(project: Project, output: Path, *, test_share: float = TEST_SHARE) -> dict[str, Any]:
    """Write the release of a finished project into a folder and return its figures, as in `release.json`."""
    if output.is_dir() and any(output.iterdir()):
        raise PostilError(f"{output} is not empty.", hint="Choose a new folder for the release.")
    annotations = Annotations(project.assignments, read_tags(project), read_tags(project, referee=True))
    task, seed = project.settings.task, project.settings.seed
    if project.instances is None:
        return release_items(output, project.items, annotations, task=task, seed=seed, test_share=test_share)
    draws = plan_draws(project, annotations.taggings)
    outcomes = settle(annotations.taggings, annotations.decisions, annotations.assignments)
    parts = divide(outcomes, draws, test_share=test_share, seed=seed)
    figures = _figures(outcomes, parts, annotations, task=task, seed=seed)
    taggings = complete(annotations.taggings, annotations.assignments)
    ungrouped = [replace(tagging, tags=tagging.as_written) for tagging in taggings]
    tagged = parts["train"] + parts["test"]
    figures |= {
        "senses": len({(each.group, tag) for each in outcomes if each.kept for tag in each.tags}),
        "changes": {action: sum(change.action == action for change in project.changes) for action in ACTIONS},
        "agreement_before_grouping": _by_group(measure_agreement(ungrouped)),
        "corpora": {
            part: dict(Counter(corpus_of(project.instances[id]) for id in ids))
            for part, ids in (("tagged", tagged), ("untagged", parts["untagged"]))
        },
        "unfinished": sum(len(draw.tagged) for draw in draws) - len(outcomes),
    }
    _write_senses(output, project.instances, parts, {outcome.item: outcome.tags for outcome in outcomes})
    write_inventory(output / IN_FORCE, project.inventory)
    write_text(output / CHANGES, read_text(project.folder / CHANGES))
    _write_figures(output, figures)
    return figures


def release_items(
    output: Path,
    items: Mapping[str, Item],
    annotations: Annotations,
    *,
    task: str,
    seed: int,
    test_share: float = TEST_SHARE,
) -> dict[str, Any]:
    """Write the release of pairs or answers, all of which were to be tagged, and return its figures."""
    outcomes = settle(annotations.taggings, annotations.decisions, annotations.assignments)
    parts = divide(outcomes, (), test_share=test_share, seed=seed)
    figures = _figures(outcomes, parts, annotations, task=task, seed=seed)
    figures["unfinished"] = len(items) - len(outcomes)
    labels = {outcome.item: outcome.tags[0] for outcome in outcomes if outcome.kept}
    for name, ids in parts.items():
        path, listed = output / f"{name}.tsv", [items[id] for id in ids]
        if listed and task == "entailment":
            write_pairs_tsv(path, (labelled_pair(item, labels[item.id]) for item in listed))
        elif listed:
            columns = ("id", "question_id", *dict(listed[0].shown), "label")
            rows = ((item.id, item.group, *dict(item.shown).values(), labels[item.id]) for item in listed)
            write_rows(path, columns, rows)
    _write_figures(output, figures)
    return figures


def _write_figures(output: Path, figures: Mapping[str, Any]) -> None:
    write_text(output / "release.json", json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


def _write_senses(
    output: Path,
    instances: Mapping[str, SenseInstance],
    parts: Parts,
    tags: Mapping[str, tuple[str, ...]],
) -> None:
    for name, ids in parts.items():
        if not ids:
            continue
        listed = [replace(instances[id], senses=tags.get(id, ())) for id in ids]
        if name != "untagged":
            write_sense_answers(output / f"{name}.key", sense_key(listed))
        if name == "test":
            listed = [replace(instance, senses=()) for instance in listed]
        write_senseval(output / f"{name}.xml", map(_plain, listed))
        write_senseval(output / f"{name}.lemmatised.xml", listed, lemmatised=True)


def _plain(instance: SenseInstance) -> SenseInstance:
    """The instance with `_` for the spaces in its tokens, which the plain form cannot represent."""
    tokens = (replace(token, form=token.form.replace(" ", "_")) for token in instance.tokens)
    return replace(instance, tokens=tuple(tokens))


def _figures(
    outcomes: Sequence[Outcome], parts: Parts, annotations: Annotations, *, task: str, seed: int
) -> dict[str, Any]:
    """The figures that the paper reports: sizes, tags, agreement and time."""
    taggings = complete(annotations.taggings, annotations.assignments)
    agreement = measure_agreement(taggings, own_tags=task == "senses")
    released = [outcome for outcome in outcomes if outcome.kept]
    return {
        "task": task,
        "seed": seed,
        "groups": len({outcome.group for outcome in released}),
        "items": len(released),
        **{name: len(ids) for name, ids in parts.items()},
        "tags": sum(len(outcome.tags) for outcome in released),
        "outcomes": dict(Counter(outcome.how for outcome in outcomes)),
        "removed": sum(bool(outcome.tags) and not outcome.kept for outcome in outcomes),
        "tags_per_tagging": agreement.overall.tags_per_item,
        "agreement": _by_group(agreement),
        "kappa": {group.group: group.kappa for group in (*agreement.groups, agreement.overall)},
        "pairs_of_people": [asdict(pair) for pair in agreement.pairs],
        "seconds_per_item": {"annotator": agreement.seconds, "referee": mean_seconds(annotations.decisions)},
    }


def _by_group(agreement: Agreement) -> dict[str, float]:
    return {group.group: group.agreement for group in (*agreement.groups, agreement.overall)}
