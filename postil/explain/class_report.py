"""A class's answers and how they were judged, as a web page for the teacher: the doubtful ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from postil.data.judgements import CONTRADICTED, Explanation, FacetOutcome, Judgement
from postil.data.labels import PLAIN_NAMES, RESPONSE_SCHEMES, Scheme, fitting_schemes, reachable_schemes
from postil.data.questions import Answer, Question
from postil.errors import MismatchError, number_of
from postil.explain.alignment_picture import alignment_svg
from postil.explain.charts import Bar, bar_chart, histogram, share_bar
from postil.explain.highlighting import SIGNS, STYLE, highlighted
from postil.explain.notes import PLAIN_OUTCOMES
from postil.explain.page import escape, page
from postil.explain.points import facet_text
from postil.grading.credit import as_read

EMPTY = '<span class="none">(empty)</span>'
# The colours of the styles l0, l1 … follow this order.
_STYLES = {label: f"l{index}" for index, label in enumerate(PLAIN_NAMES)}
_LONG, _FEW = 280, 40  # characters


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
    has_rubric = any(reference.facets for reference in question.references)
    for position, (answer, judgement) in enumerate(zip(question.answers, judgements, strict=True), 1):
        differs = None
        if scheme and answer.label and (label := scheme.collapse(answer.label)):
            differs = judgement.labels[scheme.name] != label
        facets = judgement.explanation.facets if judgement.explanation else ()
        shown = facets if has_rubric or len(facets) > 1 else ()
        rows.append(Row(number, position, answer, judgement, differs, shown))
    return sorted(rows, key=lambda row: row.judgement.confidence)


def label_bars(rows: Sequence[Row]) -> list[Bar]:
    """How many answers have each label, as bars in the order of the labels."""
    counts = Counter(row.judgement.label for row in rows)
    return [
        Bar(PLAIN_NAMES[label], counts[label], _STYLES[label]) for label in RESPONSE_SCHEMES["5way"].labels
    ]


def who_read(judgements: Iterable[Judgement]) -> str:
    """How many answers each reader of a cascade decided, in a sentence; nothing where one read them all."""
    read = [judgement for judgement in judgements if judgement.read_by]
    if all(judgement.read_by == judgement.reader for judgement in read):
        return ""
    counts = Counter(judgement.read_by for judgement in read)
    readers = [f"the {name} reader decided {count:,}" for name, count in counts.most_common()]
    told = " and ".join(filter(None, [", ".join(readers[:-1]), readers[-1]]))
    return f"Of {number_of(len(read), 'answer')} that had to be read, {told}."


def mean_score(rows: Sequence[Row]) -> str:
    """The mean score of some answers, with two decimals, or a dash where there are none."""
    return f"{sum(row.judgement.score for row in rows) / len(rows):.2f}" if rows else "–"


def table(names: Sequence[str], lines: Sequence[str]) -> str:
    """A table of finished rows under the names of its columns."""
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table>"


def badge(label: str) -> str:
    """A label by its plain name on its colour; one that no scheme has stands as it was written."""
    return f'<b class="{_STYLES.get(label, "other")}">{escape(PLAIN_NAMES.get(label, label))}</b>'


def sureness(judgement: Judgement) -> str:
    """The confidence in percent, and the mark of a deferred answer."""
    mark = " <mark>needs your look</mark>" if judgement.deferred else ""
    return f'<td class="sure">{judgement.confidence:.0%}{mark}</td>'


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


def _why(explanation: Explanation, facets: Sequence[FacetOutcome], labelled: bool) -> str:
    """A row under an answer's: the note to the teacher and the claims; feedback and chunks folded away."""
    picture = alignment_svg(explanation.alignment, ("answer", "reference"), in_page=True, plain=True)
    note = f'<p class="told">{escape(explanation.teacher)}</p>' if explanation.teacher else ""
    return (
        f'<tr class="why"><td></td><td colspan="{4 + labelled}">{note}{_ticks(facets)}'
        f"<details><summary>To the student</summary><p>{escape(explanation.student)}</p></details>"
        f'<details><summary>How the phrases match</summary><div class="pic">{picture}</div></details>'
        "</td></tr>"
    )


def said(row: Row) -> str:
    """What an answer says, with the words marked that make a claim or contradict one."""
    explanation = row.judgement.explanation
    marked = highlighted(row.answer.text, explanation.facets) if explanation else ""
    if "<mark" not in marked:
        return whole(row.answer.text)
    if len(row.answer.text) <= _LONG:
        return marked
    return f"<details open><summary>{escape(shortened(row.answer.text, _FEW))}</summary>{marked}</details>"


def _ticks(facets: Sequence[FacetOutcome]) -> str:
    """Each facet behind a tick, a dash or a cross, which say in words what they mean to those who listen."""
    items = "".join(map(_tick, as_read(facets)))
    return f'<ul class="facets" aria-label="What a full answer says">{items}</ul>' if items else ""


def _tick(outcome: FacetOutcome) -> str:
    """One facet behind its sign; a wrong statement is here only if the answer makes it."""
    label = CONTRADICTED if outcome.facet.wrong else outcome.label
    words = "wrong" if outcome.facet.wrong else PLAIN_OUTCOMES[label]
    return (
        f'<li><span class="o{label[0]}" role="img" aria-label="{words}:" title="{words}">'
        f'{SIGNS[label]}</span> <span dir="auto">{escape(facet_text(outcome.facet))}</span></li>'
    )


def _line(row: Row, labelled: bool) -> str:
    judgement = row.judgement
    because = f"<small>Why: {escape(judgement.because)}</small>" if judgement.because else ""
    differs = " <mark>≠ differs</mark>" if row.differs else ""
    teacher = f'<td class="told">{badge(row.answer.label) if row.answer.label else "–"}{differs}</td>'
    explanation = judgement.explanation
    why = _why(explanation, row.facets, labelled) if explanation else ""
    style = ' class="more"' if explanation else ""
    return (
        f'<tr id="{row.place}"{style}><th scope="row">{escape(row.answer.id)}</th>'
        f'<td class="said" dir="auto">{said(row)}{because}</td><td>{badge(judgement.label)}</td>'
        f"{teacher if labelled else ''}"
        f'<td class="score">{judgement.score:.2f}<i style="--s:{judgement.score:.0%}"></i></td>'
        f"{sureness(judgement)}</tr>{why}"
    )


_SHORT_ANSWER, _SHORT_QUESTION = 160, 70
_FEW_REFERENCES = 3
# Without deferred answers the least sure are still worth a look; thousands are not shown twice.
_FEW_DOUBTFUL, _MOST_DOUBTFUL = 10, 100

_STYLE = """
:root { color-scheme: light; }
h2 { font-size: 1.15rem; margin: 0 0 .3rem; } h2 small { color: #64748b; font-weight: 400; }
a { color: #1d4ed8; }
.note { max-width: 60rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .7rem; margin: 1rem 0 .8rem; }
.tiles div { background: #fff; border: 1px solid #e2e8f0; border-radius: .6rem; padding: .5rem 1rem;
  display: flex; flex-direction: column-reverse; }
dt { color: #64748b; font-size: .85rem; } dd { margin: 0; font-size: 1.5rem; font-weight: 600; }
.charts { display: flex; flex-wrap: wrap; gap: 1.5rem 4rem; }
figure { margin: 0; flex: 0 1 26rem; } figcaption { font-weight: 600; margin-bottom: .5rem; }
svg { display: block; } figure svg, .share { width: 100%; } figure text { font-size: 12.5px; fill: #1e293b; }
figure .mark { font-size: 11.5px; fill: #64748b; } .axis { stroke: #94a3b8; } .plain { fill: #3b82f6; }
.share { height: .8rem; margin-top: .9rem; border-radius: .3rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .5rem 0 1rem; font-size: .9rem; }
.text { font-size: 1.1rem; margin-bottom: .4rem; overflow-wrap: anywhere; }
.refs, .warn { font-size: .9rem; } .refs ul, .warn ul { margin: .2rem 0; padding-left: 1.3rem; }
.warn { background: #fffbeb; border-left: 4px solid #d97706; padding: .4rem .8rem; margin: .6rem 0; }
.refs li, .warn li { overflow-wrap: anywhere; }
nav li { margin: .15rem 0; } nav small { color: #64748b; } nav h2 { margin-top: 1.5rem; }
table { width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .9rem .4rem 0; }
td:last-child { padding-right: 0; }
thead th { color: #64748b; font-weight: 600; border-bottom: 2px solid #cbd5e1; white-space: nowrap; }
tbody tr { border-bottom: 1px solid #e2e8f0; break-inside: avoid; } tr:target { background: #eff6ff; }
tbody th { font-weight: 400; color: #475569; min-width: 6.5rem; overflow-wrap: anywhere; }
.said { width: 42%; overflow-wrap: anywhere; } .said small { display: block; color: #475569; }
.said summary { color: inherit; } .asked { width: 24%; overflow-wrap: anywhere; color: #475569; }
tr.more { border-bottom: 0; } .why td { padding-top: 0; } .why summary { color: #475569; }
.why p { margin: .2rem 0 .5rem; overflow-wrap: anywhere; } .why .told { margin-top: 0; }
.why details { display: inline-block;
  margin-right: 1.5rem; vertical-align: top; } .why details[open] { display: block; }
.pic { overflow-x: auto; margin: .5rem 0; }
.facets { counter-reset: claim; list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem;
  margin: .1rem 0 .3rem; padding: 0; color: #475569; overflow-wrap: anywhere; }
.facets [class] { font-weight: 700; color: #475569; }
.facets li:not(:only-child)::before { counter-increment: claim; content: counter(claim) "\\00a0"; }
.facets .oE { color: #047857; } .facets .oC { color: #be123c; }
.none { color: #64748b; font-style: italic; }
.sure, .score { font-variant-numeric: tabular-nums; } .next { white-space: nowrap; }
.score i { display: block; height: .35rem; width: 4.5rem; border-radius: .18rem;
  background: linear-gradient(90deg, #3b82f6 var(--s), #e2e8f0 0); }
b[class] { display: inline-block; font-size: .85rem; font-weight: 600; padding: 0 .5rem; white-space: nowrap;
  border: 1px solid #94a3b8; border-radius: .8rem; background: #f1f5f9; color: #334155; }
b.other { white-space: normal; overflow-wrap: anywhere; }
.l0 { fill: #059669; } b.l0 { background: #d1fae5; border-color: #059669; color: #064e3b; }
.l1 { fill: #f59e0b; } b.l1 { background: #fef3c7; border-color: #d97706; color: #78350f; }
.l2 { fill: #be123c; } b.l2 { background: #ffe4e6; border-color: #be123c; color: #881337; }
.l3 { fill: #7c3aed; } b.l3 { background: #ede9fe; border-color: #7c3aed; color: #4c1d95; }
.l4 { fill: #64748b; }
mark { background: none; color: #b91c1c; font-weight: 600; white-space: nowrap; }
@media screen and (max-width: 52rem) {
  body { margin: 1rem auto; } section { padding: .8rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; }
  tbody tr { display: flex; flex-wrap: wrap; gap: .2rem .9rem; padding: .6rem 0; align-items: center; }
  tbody th, td { padding: 0; min-width: 0; } .said, .asked { width: 100%; }
  .score i { display: inline-block; margin-left: .3rem; }
  .tiles { gap: .4rem; } .tiles div { padding: .2rem .6rem; } dd { font-size: 1.2rem; }
  tbody tr.more { padding-bottom: .2rem; } tbody tr.why { padding-top: 0; }
  .why td:first-child { display: none; } .why td { width: 100%; }
  .said { order: -1; } .asked { order: -2; }
  .score::before { content: "score "; } .sure::before { content: "confidence "; }
  .told::before { content: "teacher: "; } .next::before { content: "or "; }
}
@media print {
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  :root { font-size: 10px; } body { background: #fff; margin: 0; max-width: none; font-size: 1rem; }
  section { border: 0; padding: 0; } h2, .text, .share, .legend { break-after: avoid; }
  a { color: inherit; text-decoration: none; } ::details-content { content-visibility: visible; }
}
"""


@dataclass(frozen=True, slots=True)
class GradedQuestion:
    """A question, the judgements of its answers in their order, and what screening warns of, in sentences."""

    question: Question
    judgements: Sequence[Judgement]
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        answers, judgements = len(self.question.answers), len(self.judgements)
        if answers != judgements:
            raise MismatchError(
                f"question {self.question.id} has {number_of(answers, 'answer')} "
                f"and {number_of(judgements, 'judgement')}."
            )


def class_report(graded: Sequence[GradedQuestion], title: str = "Class report") -> str:
    """Draw judged questions as a whole page, without scripts and with nothing fetched from elsewhere."""
    scheme = teachers_scheme(answer.label for item in graded for answer in item.question.answers)
    by_question = [
        rows_of(number, item.question, item.judgements, scheme) for number, item in enumerate(graded, 1)
    ]
    rows = list(chain.from_iterable(by_question))
    parts = [_summary(len(graded), rows, scheme)]
    if rows:
        labels = bar_chart(label_bars(rows), "How the answers were judged")
        sure = histogram([row.judgement.confidence for row in rows], "How confident the judgements are")
        parts += [f'<section class="charts">{labels}{sure}</section>', _doubtful(graded, rows)]
    if len(graded) > 1:
        parts.append(_contents(graded, by_question))
    for number, (item, answers) in enumerate(zip(graded, by_question, strict=True), 1):
        parts.append(_section(number, item, answers))
    return page(title, "\n".join(parts), _STYLE + STYLE)


def _summary(questions: int, rows: Sequence[Row], scheme: Scheme | None) -> str:
    deferred = sum(row.judgement.deferred for row in rows)
    tiles = [
        ("question" if questions == 1 else "questions", f"{questions:,}"),
        ("answer" if len(rows) == 1 else "answers", f"{len(rows):,}"),
        ("mean score, out of 1", mean_score(rows)),
        ("need your look", f'<a href="#doubtful">{deferred:,}</a>' if deferred else "0"),
    ]
    note = (
        "Confidence is how likely it is that an answer judged correct really is correct, "
        "or that an answer judged anything else really is not."
        if rows
        else "There are no answers to show."
    )
    compared = [row.differs for row in rows if row.differs is not None]
    if scheme and compared:
        agreed = compared.count(False)
        tiles.append(("agreement with the teacher", f"{agreed / len(compared):.0%}"))
        names = ", ".join(PLAIN_NAMES[label] for label in scheme.labels)
        note += (
            f" The teacher's label is the same for {agreed:,} of {number_of(len(compared), 'answer')} "
            f"(labels compared: {names})."
        )
    if read := who_read(row.judgement for row in rows):
        note += f" {read}"
    drawn = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in tiles)
    return f'<dl class="tiles">{drawn}</dl>\n<p class="note">{note}</p>'


def _doubtful(graded: Sequence[GradedQuestion], rows: Sequence[Row]) -> str:
    """The deferred answers of all questions, and where these are few, the least sure of the others."""
    deferred = sum(row.judgement.deferred for row in rows)
    # No more than a quarter of a small class: a list of everybody points at nobody.
    count = min(_MOST_DOUBTFUL, max(deferred, min(_FEW_DOUBTFUL, -(-len(rows) // 4))))
    first = sorted(rows, key=lambda row: (not row.judgement.deferred, row.judgement.confidence))[:count]
    if deferred > count:
        note = (
            f"{deferred:,} answers need your look. These are the {count} least certain; all are marked below."
        )
    elif deferred:
        note = f"{number_of(deferred, 'answer')} {'needs' if deferred == 1 else 'need'} your look."
        note += " The others here are the next least certain." if count > deferred else ""
    else:
        note = "No answer needs your look. These were judged with the least confidence."
    lines = [_doubtful_line(row, graded[row.question - 1].question) for row in first]
    names = ("answer", "question", "what it says", "suggested", "confidence", "second best")
    return (
        f'<section id="doubtful"><h2>Doubtful answers first</h2>\n<p class="note">{note}</p>\n'
        f"{table(names, lines)}</section>"
    )


def _doubtful_line(row: Row, question: Question) -> str:
    judgement = row.judgement
    others = {label: p for label, p in judgement.probabilities["5way"].items() if label != judgement.label}
    second = max(others, key=others.__getitem__, default="")
    return (
        f'<tr><th scope="row"><a href="#{row.place}">{escape(row.answer.id)}</a></th>'
        f'<td class="asked">{row.question}. {escape(shortened(question.text, _SHORT_QUESTION))}</td>'
        f'<td class="said" dir="auto">{escape(shortened(row.answer.text, _SHORT_ANSWER)) or EMPTY}</td>'
        f"<td>{badge(judgement.label)}</td>{sureness(judgement)}"
        f'<td class="next">{f"{badge(second)} {others[second]:.0%}" if second else "–"}</td></tr>'
    )


def _contents(graded: Sequence[GradedQuestion], by_question: Sequence[Sequence[Row]]) -> str:
    items = "\n".join(
        f'<li><a href="#q{number}">{escape(shortened(entry.question.text, _SHORT_QUESTION)) or EMPTY}</a> '
        f"<small>{number_of(len(rows), 'answer')}, mean score {mean_score(rows)}</small></li>"
        for number, (entry, rows) in enumerate(zip(graded, by_question, strict=True), 1)
    )
    return f'<nav aria-labelledby="all"><h2 id="all">All questions</h2>\n<ol>{items}</ol></nav>'


def _section(number: int, graded: GradedQuestion, rows: Sequence[Row]) -> str:
    parts = [
        f'<section id="q{number}"><h2>Question {number} <small>{escape(graded.question.id)}</small></h2>',
        f'<div class="text" dir="auto">{whole(graded.question.text)}</div>',
        _references(graded.question),
    ]
    if graded.warnings:
        warnings = "".join(f"<li>{escape(warning)}</li>" for warning in graded.warnings)
        parts.append(f'<div class="warn"><strong>Please check the question</strong><ul>{warnings}</ul></div>')
    if rows:
        bars = label_bars(rows)
        # The teacher's column is shown only if the teacher labelled any.
        labelled = any(row.answer.label for row in rows)
        names = ["answer", "what it says", "label", *["teacher"] * labelled, "score", "confidence"]
        legend = "".join(
            f'<span><b class="{bar.style}">{bar.name}</b> {bar.count:,}</span>' for bar in bars if bar.count
        )
        mean = f"{number_of(len(rows), 'answer')}, mean score {mean_score(rows)} out of 1"
        parts += [
            share_bar(bars, f"Labels of question {number}"),
            f'<p class="legend"><span>{mean}</span>{legend}</p>',
            table(names, [_line(row, labelled) for row in rows]),
        ]
    else:
        parts.append('<p class="note">There are no answers yet.</p>')
    return "\n".join(parts) + "\n</section>"


def _references(question: Question) -> str:
    """The references, folded away where there are many."""
    if not question.references:
        return '<p class="note">This question has no reference.</p>'
    count = number_of(len(question.references), "reference")
    items = "".join(f'<li dir="auto">{whole(reference.text)}</li>' for reference in question.references)
    shown = " open" if len(question.references) <= _FEW_REFERENCES else ""
    return f'<details class="refs"{shown}><summary>{count}</summary><ul>{items}</ul></details>'
