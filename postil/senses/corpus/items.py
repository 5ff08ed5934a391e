"""Anything that people can label: a word in context, a pair of texts, a student's answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from postil.data.formats.rte import Pair
from postil.data.formats.senses import SenseInstance
from postil.data.questions import Question

NO_GROUP = "all"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to label: its group is what it is judged under (a word, a question, a task).

    `shown` is what a person sees of it, as columns of a table: name and text.
    """

    id: str
    group: str
    shown: tuple[tuple[str, str], ...]


def instance_item(instance: SenseInstance) -> Item:
    """An occurrence of a word, as a line in which the word stands between what is before and after it."""
    forms = [token.form for token in instance.tokens]
    first, last = instance.head[0], instance.head[-1]
    shown = (
        ("before", " ".join(forms[:first])),
        ("occurrence", " ".join(forms[first : last + 1])),
        ("after", " ".join(forms[last + 1 :])),
        ("source", instance.source),
    )
    return Item(instance.id, instance.lexelt, shown)


def pair_item(pair: Pair) -> Item:
    """A pair whose text may entail its hypothesis; pairs are grouped by task (IE, QA …)."""
    length = (("length", pair.length),) if pair.length else ()
    return Item(pair.id, pair.task or NO_GROUP, (("t", pair.text), ("h", pair.hypothesis), *length))


def labelled_pair(item: Item, label: str) -> Pair:
    """The pair that an item was made of, with its label."""
    shown = dict(item.shown)
    task = "" if item.group == NO_GROUP else item.group
    return Pair(item.id, shown["t"], shown["h"], label, task, shown.get("length", ""))


def answer_items(questions: Iterable[Question]) -> list[Item]:
    """The answers of questions, each beside its question and references."""
    return [
        Item(answer.id, question.id, (*_asked(question), ("answer", answer.text)))
        for question in questions
        for answer in question.answers
    ]


def _asked(question: Question) -> tuple[tuple[str, str], ...]:
    references = (
        ("reference" if number == 1 else f"reference_{number}", reference.text)
        for number, reference in enumerate(question.references, start=1)
    )
    return (("question", question.text), *references)


def by_group(items: Iterable[Item]) -> Mapping[str, list[Item]]:
    """Gather items by their group, groups and items in the order in which they are met."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(item)
    return groups
