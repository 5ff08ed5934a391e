"""Judged answers as rows of an HTML table: label, score, confidence, and the teacher's label beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from postil.data.judgements import Explanation, Judgement
from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES, Scheme, fitting_schemes, reachable_schemes
from postil.data.outcome import CONTRADICTED, EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.questions import Answer, Question
from postil.explain.alignment_picture import alignment_svg
from postil.explain.charts import Bar
from postil.explain.facet_words import PLAIN_OUTCOMES, facet_text
from postil.explain.page import escape

OUTCOME_SIGNS = {EXPRESSED: "✓", UNADDRESSED: "–", CONTRADICTED: "✗"}
EMPTY = '<span class="none">(empty)</span>'
# The colours of the styles l0, l1 … follow this order.
_STYLES = {label: f"l{index}" for index, label in enumerate(PLAIN_NAMES)}
_LONG = 280


@dataclass(frozen=True, slots=True)
class Row:
    """An answer with its judgement, and where it stands: the number of its question and its own in it.

    `differs` says whether the teacher labelled it otherwise; None where no label can be compared. `facets`
    are shown where there are several or where a person gave them.
    """

    question: int
    number: int
    answer: Answer
    judgement: Judgement
    differs: bool | None = None
    facets: tuple[FacetOutcome, ...] = ()

    @property
    def place(self) -> str:
        """What a link on the page calls this row."""
        return f"q{self.question}a{self.number}"


def teachers_scheme(labels: Iterable[str | None]) -> Scheme | None:
    """The scheme in which to compare a teacher's labels with ours: the coarsest that they fit.

    A teacher who writes only "correct" and "not correct" does not disagree with "contradicts".
    """
    known = {label for label in labels if label is not None and label in PLAIN_NAMES}
    if not known:
        return None
    return (fitting_schemes(known, RESPONSE_SCHEMES) or reachable_schemes(known, RESPONSE_SCHEMES))[-1]


def rows_of(
    number: int, question: Question, judgements: Sequence[Judgement], scheme: Scheme | None
) -> list[Row]:
    """The answers to a question with their judgements, the least sure first."""
    rows = []
    given = any(reference.facets for reference in question.references)
    for place, (answer, judgement) in enumerate(zip(question.answers, judgements, strict=True), 1):
        differs = None
        if scheme and answer.label and (told := scheme.collapse(answer.label)):
            differs = judgement.labels[scheme.name] != told
        facets = judgement.explanation.facets if judgement.explanation else ()
        shown = facets if given or len(facets) > 1 else ()
        rows.append(Row(number, place, answer, judgement, differs, shown))
    return sorted(rows, key=lambda row: row.judgement.confidence)


def label_bars(rows: Sequence[Row]) -> list[Bar]:
    """How many answers have each label, as bars in the order of the labels."""
    counts = Counter(row.judgement.label for row in rows)
    return [
        Bar(PLAIN_NAMES[label], counts[label], _STYLES[label]) for label in RESPONSE_SCHEMES["5way"].labels
    ]


def mean_score(rows: Sequence[Row]) -> str:
    """The mean score of some answers, with two decimals, or a dash where there are none."""
    return f"{sum(row.judgement.score for row in rows) / len(rows):.2f}" if rows else "–"


def answer_table(rows: Sequence[Row]) -> str:
    """All answers to a question; the teacher's column is there only if the teacher labelled any."""
    labelled = any(row.answer.label for row in rows)
    names = ["answer", "what it says", "label", *["teacher"] * labelled, "score", "confidence"]
    return table(names, [_line(row, labelled) for row in rows])


def table(names: Sequence[str], lines: Sequence[str]) -> str:
    """A table of finished rows under the names of its columns."""
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table>"


def badge(label: str) -> str:
    """A label by its plain name on its colour; one that no scheme has stands as it was written."""
    return f'<b class="{_STYLES.get(label, "other")}">{escape(PLAIN_NAMES.get(label, label))}</b>'


def sureness(judgement: Judgement) -> str:
    """The confidence in percent, and the mark of a deferred answer."""
    mark = " <mark>please look</mark>" if judgement.deferred else ""
    return f'<td class="sure">{judgement.confidence:.0%}{mark}</td>'


def second_best(judgement: Judgement) -> str:
    """The likeliest label but the one given, with its probability."""
    others = {label: p for label, p in judgement.probabilities["5way"].items() if label != judgement.label}
    if not others:
        return "–"
    label = max(others, key=others.__getitem__)
    return f"{badge(label)} {others[label]:.0%}"


def whole(text: str) -> str:
    """A text in HTML; of a long one the end is folded away."""
    words = " ".join(text.split())
    if len(words) <= _LONG:
        return escape(words) or EMPTY
    start = shortened(words, _LONG)
    rest = words[len(start) - 1 :]
    return f"<details><summary>{escape(start)}</summary>…{escape(rest)}</details>"


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, cut between words where that costs little."""
    words = " ".join(text.split())
    if len(words) <= most:
        return words
    cut = words[: most - 1]
    at = cut.rfind(" ")
    return f"{cut[:at] if at >= most * 2 // 3 else cut}…"


def _why(told: Explanation, facets: Sequence[FacetOutcome], labelled: bool) -> str:
    """A row under an answer's: a sentence for the teacher, chunks and feedback folded away, the facets."""
    picture = alignment_svg(told.alignment, ("answer", "reference"), in_page=True, plain=True)
    return (
        f'<tr class="why"><td></td><td colspan="{4 + labelled}"><details><summary>{escape(told.teacher)}'
        f'</summary><div class="pic">{picture}</div>'
        f"<p><em>To the student:</em> {escape(told.student)}</p></details>{_ticks(facets)}</td></tr>"
    )


def _ticks(facets: Sequence[FacetOutcome]) -> str:
    """Each facet behind a tick, a dash or a cross, which say in words what they mean to those who listen."""
    items = "".join(
        f'<li><span class="o{one.label[0]}" role="img" aria-label="{PLAIN_OUTCOMES[one.label]}:" '
        f'title="{PLAIN_OUTCOMES[one.label]}">{OUTCOME_SIGNS[one.label]}</span> '
        f'<span dir="auto">{escape(facet_text(one.facet))}</span></li>'
        for one in facets
    )
    return f'<ul class="facets" aria-label="What a full answer says">{items}</ul>' if items else ""


def _line(row: Row, labelled: bool) -> str:
    judgement = row.judgement
    because = f"<small>Why: {escape(judgement.because)}</small>" if judgement.because else ""
    differs = " <mark>≠ differs</mark>" if row.differs else ""
    teacher = f'<td class="told">{badge(row.answer.label) if row.answer.label else "–"}{differs}</td>'
    told = judgement.explanation
    style = ' class="more"' if told else ""
    return (
        f'<tr id="{row.place}"{style}><th scope="row">{escape(row.answer.id)}</th>'
        f'<td class="said" dir="auto">{whole(row.answer.text)}{because}</td><td>{badge(judgement.label)}</td>'
        f"{teacher if labelled else ''}"
        f'<td class="score">{judgement.score:.2f}<i style="--s:{judgement.score:.0%}"></i></td>'
        f"{sureness(judgement)}</tr>{_why(told, row.facets, labelled) if told else ''}"
    )
