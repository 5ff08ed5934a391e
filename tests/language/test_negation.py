"""Negation: a written list of answers through the pipeline, and the core rules on trees made by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.language.document import Document, Token
from postil.language.negation import find_negations

CASES = Path(__file__).parents[1] / "fixtures" / "negation.tsv"
LEAST = 0.95


def read_cases() -> list[dict[str, str]]:
    with CASES.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def word_of(token: Token) -> str:
    """A word as the list has it; "bulb A." at the end of an answer may be cut as "A."."""
    return token.text.lower().replace("’", "'").rstrip(".")


def faults(case: dict[str, str], document: Document) -> dict[str, str]:
    """What is wrong with the negations of a case, by the column it is wrong in."""
    words = [word_of(token) for token in document.tokens]
    cue = [words[place] for place in sorted({p for negation in document.negations for p in negation.cue})]
    scope = {words[place] for negation in document.negations for place in negation.scope}
    missing = [word for word in case["negated"].lower().split() if word not in scope]
    extra = [word for word in case["not negated"].lower().split() if word in scope]
    found = {}
    if cue != case["cue"].lower().split():
        found["cue"] = f"found {cue}"
    if missing:
        found["negated"] = f"missing {missing}"
    if extra:
        found["not negated"] = f"negated {extra}"
    return found


def test_the_list_is_long_and_plain_enough():
    cases = read_cases()
    assert len(cases) >= 90
    assert sum(not case["cue"] for case in cases) >= 15
    assert len({case["text"] for case in cases}) == len(cases)
    for case in cases:
        words = [word.strip(".,?!-") for word in case["text"].lower().replace("-", " ").split()]
        checked = f"{case['negated']} {case['not negated']}".lower().split()
        assert [word for word in checked if word not in words] == [], case["text"]


def test_the_written_list(pipeline):
    cases = read_cases()
    documents = pipeline.analyse_many(case["text"] for case in cases)
    wrong: dict[str, list[str]] = {"cue": [], "negated": [], "not negated": []}
    for case, document in zip(cases, documents, strict=True):
        for column, fault in faults(case, document).items():
            wrong[column].append(f"{column}: {case['text']}: {fault}")
    failures = "\n".join(line for lines in wrong.values() for line in lines)
    right = {column: 1 - len(lines) / len(cases) for column, lines in wrong.items()}
    assert min(right.values()) >= LEAST, f"{right}\n{failures}"


def tree(written: str) -> tuple[Token, ...]:
    """Tokens from "word/POS/relation>head" pieces; lemma and tag can be added: word=lemma and POS:TAG."""
    tokens = []
    offset = 0
    for place, piece in enumerate(written.split()):
        form, pos, place_in_tree = piece.rsplit("/", 2)
        word, _, lemma = form.partition("=")
        pos, _, tag = pos.partition(":")
        relation, _, head = place_in_tree.partition(">")
        tokens.append(Token(place, word, offset, lemma or word.lower(), pos, tag, int(head), relation))
        offset += len(word) + 1
    return tuple(tokens)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(
            "bulb/NOUN/nsubj>3 does/AUX/aux>3 not/PART/advmod>3 light/VERB/root>3 because/SCONJ/mark>7 "
            "a/DET/det>6 gap/NOUN/nsubj>7 exists/VERB/advcl>3",
            [("not", "light")],
            id="a reason is not negated",
        ),
        pytest.param(
            "there/PRON/expl>1 is=be/VERB/root>1 n't/PART/advmod>1 a/DET/det>4 gap/NOUN/nsubj>1",
            [("n't", "a gap")],
            id="there is not: its noun is negated",
        ),
        pytest.param(
            "no/DET/det>1 current/NOUN/nsubj>2 flows=flow/VERB/root>2 here/ADV/advmod>2",
            [("no", "current flows here")],
            id="no with a subject negates the predicate too",
        ),
        pytest.param(
            "no/DET/det>1 gap/NOUN/nsubj>2 means=mean/VERB/root>2 it/PRON/nsubj>4 lights/VERB/ccomp>2",
            [("no", "gap")],
            id="what no gap means holds",
        ),
        pytest.param(
            "die/VERB/root>0 without/ADP/case>2 water/NOUN/obl>0 and/CCONJ/cc>4 light/NOUN/conj>2",
            [("without", "water light")],
            id="without reaches all conjuncts",
        ),
        pytest.param(
            "it/PRON/nsubj>4 is=be/AUX/cop>4 not/PART/advmod>4 a/DET/det>4 solid/NOUN/root>4 but/CCONJ/cc>7 "
            "a/DET/det>7 liquid/NOUN/conj>4",
            [("not", "a solid")],
            id="not A but B negates A alone",
        ),
        pytest.param(
            "it/PRON/nsubj>3 is=be/AUX/cop>3 not/PART/advmod>3 open/ADJ/root>3 and/CCONJ/cc>5 "
            "closed/ADJ/conj>3",
            [("not", "open closed")],
            id="a conjunct shares the negation",
        ),
        pytest.param(
            "is=be/AUX/cop>2 not/PART/advmod>2 open/ADJ/root>2 and/CCONJ/cc>6 it/PRON/nsubj>6 "
            "is=be/AUX/cop>6 closed/ADJ/conj>2",
            [("not", "open")],
            id="a conjunct with its own subject does not",
        ),
        pytest.param(
            "does/AUX/aux>2 not/PART/advmod>2 touch/VERB:VB/root>2 and/CCONJ/cc>4 stays=stay/VERB:VBZ/conj>2",
            [("not", "touch")],
            id="a finite conjunct is outside do not",
        ),
        pytest.param(
            "neither/CCONJ/cc:preconj>1 A/PROPN/nsubj>4 nor/CCONJ/cc>3 B/PROPN/conj>1 "
            "lights=light/VERB/root>4",
            [("neither nor", "A B lights")],
            id="neither nor",
        ),
        pytest.param(
            "it/PRON/nsubj>1 fails=fail/VERB/root>1 to/PART/mark>3 light/VERB/xcomp>1 up/ADP/compound:prt>3",
            [("fails to", "light up")],
            id="fails to",
        ),
        pytest.param(
            "it/PRON/nsubj>1 keeps=keep/VERB/root>1 heat/NOUN/obj>1 from/SCONJ/mark>4 "
            "escaping=escape/VERB/advcl>1",
            [("keeps from", "escaping")],
            id="keeps from",
        ),
        pytest.param(
            "there/PRON/expl>1 is=be/VERB/root>1 not/PART/advmod>1 no/DET/det>4 gap/NOUN/nsubj>1",
            [("not", "no gap"), ("no", "gap")],
            id="two negations are two",
        ),
        pytest.param(
            "it/PRON/nsubj>4 is=be/AUX/cop>4 no/ADV/advmod>3 longer/ADV/advmod>4 lit/ADJ/root>4",
            [("no longer", "lit")],
            id="no longer",
        ),
        pytest.param(
            "is=be/AUX/cop>2 not/PART/advmod>2 lit/ADJ/root>2 any/DET/det>4 more/ADV/advmod>2",
            [("not any more", "lit")],
            id="not any more",
        ),
        pytest.param(
            "connected/VERB/root>0 not/PART/advmod>0 open/ADJ/xcomp>0 so/ADV/advmod>5 it/PRON/nsubj>5 "
            "lights=light/VERB/advcl>0",
            [("not", "open")],
            id="a tree that makes no sense: the words up to the end of the clause",
        ),
        pytest.param(
            "not/PART/root>0 a/X/dep>0 b/X/dep>0 c/X/dep>0 d/X/dep>0 e/X/dep>0 f/X/dep>0 g/X/dep>0",
            [("not", "a b c d e f")],
            id="no tree at all: six words",
        ),
        pytest.param("the/DET/det>1 unequal/ADJ/root>1", [("unequal", "unequal")], id="a prefix"),
        pytest.param(
            "non/X/compound>2 -/PUNCT/punct>2 metal/NOUN/root>2", [("non", "metal")], id="a prefix apart"
        ),
    ],
)
def test_core_rules(written, expected):
    tokens = tree(written)
    found = [
        (
            " ".join(tokens[place].text for place in negation.cue),
            " ".join(tokens[p].text for p in negation.scope),
        )
        for negation in find_negations(tokens)
    ]
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        "not only heavy",
        "no doubt",
        "no matter",
        "no 5",
        "why not wood",
        "whether or not lit",
        "nothing but air",
        "no , it works",
        "no because gap",
    ],
)
def test_what_only_looks_negative(text):
    written = " ".join(f"{word}/{'PUNCT' if word == ',' else 'NOUN'}/dep>0" for word in text.split())
    assert find_negations(tree(written)) == ()


LOOKALIKES = """
under understand until unless unit units unite union unique uniform universe uncle unanimous undulate
discover distance display discuss disk distribute distill dish dissolve information important impact inside
interest increase industry insulator infer impression imagine island iron irrigate illuminate illustrate
undoubtedly nonsense nonetheless unable unlike
"""
PREFIXED = """
unequal unconnected unplugged uninsulated unimportant unidentified unlit uneven nonmetal nonliving
disconnected disagree disappears incomplete incorrectly insoluble invisible impossible impure
irregular illogical
"""


@pytest.mark.parametrize("word", LOOKALIKES.split())
def test_what_only_looks_prefixed(word):
    assert find_negations(tree(f"{word}/NOUN/root>0")) == ()


@pytest.mark.parametrize("word", PREFIXED.split())
def test_negative_prefixes(word):
    [negation] = find_negations(tree(f"{word}/ADJ/root>0"))
    assert (negation.cue, negation.scope, negation.kind) == ((0,), (0,), "prefix")


def test_a_weak_negation_says_so():
    [negation] = find_negations(tree("it/PRON/nsubj>2 barely/ADV/advmod>2 lights=light/VERB/root>2"))
    assert negation.kind == "weak"


WORDS = """
not n't no neither nor nothing without fails to keeps from going so because , . but it if any more non - lit
its a
"""
RELATIONS = """
nsubj obj advmod det conj cc advcl ccomp aux cop expl mark root punct
"""


@given(
    st.lists(
        st.tuples(
            st.one_of(st.sampled_from(WORDS.split()), st.text(min_size=1)),
            st.sampled_from(["NOUN", "VERB", "AUX", "PUNCT", "PRON", "ADJ", "INTJ"]),
            st.sampled_from(RELATIONS.split()),
            st.integers(-1, 20),
        ),
        max_size=20,
    )
)
def test_no_tree_breaks_it(pieces):
    tokens = tuple(
        Token(place, word, 0, word, pos, "", head, relation)
        for place, (word, pos, relation, head) in enumerate(pieces)
    )
    taken: list[int] = []
    for negation in find_negations(tokens):
        assert negation.cue
        assert all(0 <= place < len(tokens) for place in negation.cue + negation.scope)
        assert negation.kind == "prefix" or not set(negation.cue) & set(negation.scope)
        taken += negation.cue
    assert len(taken) == len(set(taken))
