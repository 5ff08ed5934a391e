"""From an alignment to what a person would say: what both say, what differs and how, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from postil.data.judgements import AlignedPair
from postil.errors import PostilError
from postil.explain.clauses import Tree
from postil.explain.differences import Difference, find_differences, is_adverb, words_matter
from postil.explain.hints import hints_for
from postil.explain.phrases import (
    carries_meaning,
    heads_of,
    is_finite,
    joined,
    kind_of,
    lemma,
    named,
    spoken,
    trimmed,
)
from postil.explain.shared import common_names, common_statement
from postil.explain.wording import (
    Named,
    Sides,
    contradiction,
    contrast,
    details,
    is_new,
    is_within,
    left_over,
    left_over_list,
    likeness,
    together,
)
from postil.language.document import Document, Token

REGISTERS = ("neutral", "teacher", "student")
_CONTRADICTIONS = ("negated", "opposite", "number", "opinion", "certainty")
_SPECIFICS = ("more_general", "more_specific")
_LIKE = ("related", "similar")
# The most that is said of one kind, and in all beside what both say.
_ITEMS = 2
_SENTENCES = 2
_LONGEST = 22
_QUOTED = 24  # words of a whole text that are quoted
_MOST = 0.5
_UNSAID = ("the answer does not", "the answer leaves out")


def explain(
    pair: AlignedPair,
    source: Document,
    target: Document,
    *,
    register: str = "neutral",
    question: Document | None = None,
) -> str:
    """Say in one to three sentences what two aligned sentences share and how they differ.

    The register is for whom: `neutral` compares two sentences, `teacher` compares an answer (the source) with
    a reference (the target), `student` speaks to who wrote the answer and uses no word of the reference that
    the answer, or the question, does not have.
    """
    if register not in REGISTERS:
        raise PostilError(f"there is no register “{register}”.", hint=f"Registers: {', '.join(REGISTERS)}.")
    empty = _empty(source, target, register)
    if empty:
        return empty
    differences = find_differences(pair, source, target)
    if register == "student":
        return hints_for(differences, source, target, question)
    names = ("the first", "the second") if register == "neutral" else ("the answer", "the reference")
    sides = Sides(Tree.of(source), Tree.of(target), *names)
    return _compared(differences, sides, register)


def _empty(source: Document, target: Document, register: str) -> str:
    """What to say where one of two texts has no words."""
    gone = [not any(any(map(str.isalnum, token.text)) for token in text.tokens) for text in (source, target)]
    if register == "neutral" and all(gone):
        return "Both sentences are empty."
    if register == "student":
        return (
            "You have not answered yet."
            if gone[0]
            else "There is nothing to compare with."
            if gone[1]
            else ""
        )
    first, second = (
        ("answer", "reference") if register == "teacher" else ("first sentence", "second sentence")
    )
    return f"The {first} is empty." if gone[0] else f"The {second} is empty." if gone[1] else ""


def _compared(differences: Sequence[Difference], sides: Sides, register: str) -> str:
    """The explanation for who sees both texts."""
    telling = telling_differences(differences, sides)
    if not telling:
        much = "" if all(one.kind == "same" for one in differences) else "much "
        if register == "neutral":
            return f"Both sentences say {much}the same."
        return f"The answer says {much}the same as the reference."
    if all(one.kind in ("missing", "extra") for one in differences):
        return _nothing_in_common(sides, register)
    both = shared(differences, sides, register)
    sentences = differing(telling, sides, register)[:_SENTENCES]
    if not sentences:
        return told([both]) if both else _little(register)
    if (
        register == "teacher"
        and _mostly_missing(telling, sides)
        and sentences[0].startswith(_UNSAID)
        and "answer says" not in both
    ):
        # Where nearly all is missing, one sentence says so.
        mentioned = both.removeprefix("like the reference, ")
        joined = f"{mentioned} but{sentences[0].removeprefix(sides.first)}" if both else sentences[0]
        return told([joined, *sentences[1:2]])
    return told([text for text in (both, *sentences) if text])


def _little(register: str) -> str:
    if register == "neutral":
        return "Both sentences use much the same words, but they do not say quite the same."
    return "The answer uses words of the reference, but does not say quite the same."


def _mostly_missing(telling: Sequence[Difference], sides: Sides) -> bool:
    """Whether most of what the second sentence says is not in the first."""
    words = [token for token in sides.target.document.tokens if carries_meaning(token)]
    gone = {number - 1 for one in telling if one.kind == "missing" for number in one.target}
    return sum(token.index in gone for token in words) > _MOST * len(words)


def telling_differences(differences: Sequence[Difference], sides: Sides) -> list[Difference]:
    """The differences that are worth a word."""
    telling = [
        one
        for one in differences
        if one.kind != "same" and words_matter(one, sides.source.document, sides.target.document)
    ]
    # A link between the same words of which something else is said is no difference that words could show.
    return [
        one
        for one in telling
        if one.kind in _CONTRADICTIONS
        or (is_new(one, sides) if one.kind in ("missing", "extra") else len(set(contrast(one, sides))) > 1)
    ]


def shared(differences: Sequence[Difference], sides: Sides, register: str) -> str:
    """What both say, or at least name."""
    neutral = register == "neutral"
    tree, other = (sides.source, sides.target) if neutral else (sides.target, sides.source)
    statement = common_statement(tree, other.document, differences, of_source=neutral)
    if statement:
        words = f"that {statement.words}" if statement.is_clause else statement.words
        if neutral:
            return f"both sentences {'say' if statement.is_clause else 'are about'} {words}"
        return f"like the reference, the answer {'says' if statement.is_clause else 'is about'} {words}"
    names = common_names(tree.document, other.document, differences, of_source=neutral)
    if not names:
        return ""
    return (
        f"both sentences mention {names}" if neutral else f"like the reference, the answer mentions {names}"
    )


def differing(telling: Sequence[Difference], sides: Sides, register: str) -> list[str]:
    """Sentences about the differences, the most important first."""

    def of(*kinds: str, most: int | None = _ITEMS) -> list[Difference]:
        # Stable: within a kind the order is that of the text.
        found = [one for one in telling if one.kind in kinds]
        found.sort(key=lambda one: is_adverb(one, sides.source.document, sides.target.document))
        return sorted(found, key=lambda one: kinds.index(one.kind))[:most]

    sentences = [contradiction(one, sides) for one in of(*_CONTRADICTIONS)]
    if len(sentences) > 1:
        sentences = ["; ".join(sentences)]
    missing, extra = (_left_over(of(kind, most=None), sides) for kind in ("missing", "extra"))
    if register == "neutral" and (missing or extra):
        only = [
            f"only {side} {left_over_list(names, denied=False)}"
            for side, names in ((sides.first, extra), (sides.second, missing))
            if names
        ]
        sentences.append(", and ".join(only))
    elif missing:
        sentences.append(f"{sides.first} {left_over_list(missing, denied=True)}")
    wordings: tuple[tuple[tuple[str, ...], Callable[[Sequence[Difference], Sides], str]], ...]
    wordings = ((_LIKE, likeness), (_SPECIFICS, details))
    sentences += [wording(found, sides) for kinds, wording in wordings if (found := of(*kinds))]
    if register == "teacher" and extra:
        sentences.append(f"{sides.first} also {left_over_list(extra, denied=False)}")
    return sentences


def _left_over(found: Sequence[Difference], sides: Sides) -> list[Named]:
    """The first few things that only one sentence says, statements before single words."""
    names = list(dict.fromkeys(left_over(one, sides) for one in together(found, sides)))
    names.sort(key=lambda name: name.verb == "have")
    return [name for name in names if not is_within(name, names)][:_ITEMS]


def _nothing_in_common(sides: Sides, register: str) -> str:
    """Two texts that share nothing, each with what it says."""
    first, second = (whole_text(tree) for tree in (sides.source, sides.target))
    if register == "teacher":
        return f"The answer has nothing in common with the reference, which {second}."
    return f"The two sentences have nothing in common: the first {first}, the second {second}."


def whole_text(tree: Tree) -> str:
    """What a whole text does: "says that …", "is about …", or, where it is neither, "says “…”"."""
    tokens = trimmed(tree.document.tokens)
    kind = kind_of(tokens)
    if len(tokens) > _LONGEST:
        return f"says {_quotation(tree)}"
    text = spoken(tokens)
    asks = any(
        token.text == "?" or token.tag in ("WP", "WDT") or lemma(token) in ("i", "we", "you", "my")
        for token in tree.document.tokens
    )
    if kind == "sentence" and len(tree.document.sentences) == 1 and not asks:
        return f"says that {text}"
    if kind == "clause" and lemma(tokens[0]) == "because" and not asks:
        return f"says that {spoken(tokens[1:])}"
    return f"is about {named(tokens)}" if _is_name(tree, tokens) else f"says {_quotation(tree)}"


def _quotation(tree: Tree) -> str:
    """A whole text in quotation marks as it was written, cut short where it is long."""
    tokens = tree.document.tokens
    # Of a text that came in tokens, only these are known.
    came_in_tokens = tree.document.text == " ".join(token.text for token in tokens)
    words = (joined(tokens) if came_in_tokens else tree.document.text).split()
    cut = " ".join(words[:_QUOTED]).rstrip(".,;: ")
    return f"“{cut}”" if len(words) <= _QUOTED else f"“{cut} …”"


def _is_name(tree: Tree, tokens: Sequence[Token]) -> bool:
    """Whether a text is a noun phrase, with all that hangs on it."""
    heads = heads_of(tokens)
    if len(heads) != 1 or heads[0].pos not in ("NOUN", "PROPN") or is_finite(tokens):
        return False
    return not tree.dependents(heads[0], "case", "nsubj", "cop", "mark")


def told(sentences: Sequence[str]) -> str:
    """Sentences with capitals and stops; "the answer" is "it" where the sentence before was about it too."""
    finished: list[str] = []
    for number, text in enumerate(sentences):
        goes_on = number and sentences[number - 1].startswith(
            ("the answer", "like the reference, the answer")
        )
        if goes_on and text.startswith("the answer ") and not text.startswith("the answer and"):
            text = "it" + text.removeprefix("the answer")
        finished.append(f"{text[:1].upper()}{text[1:]}.")
    return " ".join(finished)
