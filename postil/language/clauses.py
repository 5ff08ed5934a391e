"""A sentence taken apart into statements, along its tree: causes, asides, relative clauses, lists.

A rule takes a draft and gives several smaller ones, or none where the tree is doubtful: a statement that is
too long is better than a wrong one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from postil.language.document import Document, Span
from postil.language.drafts import (
    FINITE,
    SUBJECTS,
    Draft,
    clause_at,
    follows_comma,
    is_denied,
    name_of,
    word_set,
)
from postil.language.lists import listed

_LONGEST = 45  # words of a sentence; the tree of a longer one is too often wrong
_MOST = 40  # statements of a sentence
_CAUSES = word_set("because since cause")
_NARROWING = word_set("not only just simply merely partly")  # before "because"
_CONTRASTS = word_set("whereas although though")
LINKS = word_set(
    "so also then thus therefore hence too however because additionally furthermore moreover consequently "
    "accordingly further nevertheless nonetheless besides similarly likewise while whereas"
)
_CONCLUDING = word_set("therefore thus hence however consequently accordingly nevertheless")
_JOINING = word_set("and but or yet nor so")
_REASON = re.compile(r"(?:the|one|another) (?:main )?reason (?:\w+ ){0,3}(?:is|was) (?:because|that)\b")
_FORMULA = re.compile(r"[=→⇒]|[-–]+>|<[-–]|:(?=\s)")  # or a list after a colon
# What somebody said, believed or got wrong is no fact.
_SPEECH = word_set(
    "say claim argue think believe conclude suppose assume allege deny suggest state tell imagine pretend "
    "insist maintain testify assert hope fear doubt report hear feel expect promise warn ask reply"
)
_SAYINGS = word_set(
    "claim testimony belief view idea conclusion argument statement opinion hypothesis assumption myth "
    "fallacy story legend rumour rumor suspicion report fear hope doubt mistake error"
)
_THIS_IS_BECAUSE = (("this", "that", "it"), ("is", "was"), ("because", "since", "that"))


def drafts_of(document: Document, sentence: Span) -> list[Draft]:
    """The statements of a sentence; it stays whole where it is long beyond reason."""
    indices = range(sentence.start, sentence.end)
    heads = {i: document.tokens[i].head for i in indices}
    roots = [index for index in indices if heads[index] == index or heads[index] not in heads]
    heads |= dict.fromkeys(roots[1:], roots[0]) | {roots[0]: roots[0]}
    whole = Draft(document.tokens, heads, {i: document.tokens[i].relation for i in indices})
    # Several trees in one sentence, or a formula: where it was not understood, it stays whole.
    unclear = roots[1:] or _FORMULA.search(document.text_of(sentence)) or not _is_closed(whole)
    if len(indices) > _LONGEST or unclear:
        return [whole]
    whole = _mended(whole)
    waiting, finished = deque([whole]), list[Draft]()
    while waiting:
        draft = waiting.popleft()
        parts = _parts(draft) if len(waiting) + len(finished) < _MOST else None
        if parts:
            waiting.extendleft(reversed(parts))
        else:
            finished.append(draft)
    return sorted(finished, key=lambda draft: draft.root)


def _mended(draft: Draft) -> Draft:
    """The tree with a mistake put right: in "pumps blood and lungs take in air", it is lungs that do."""
    heads, relations, tokens = dict(draft.heads), dict(draft.relations), list(draft.tokens)
    for verb in draft.order:
        above, token = heads[verb], tokens[verb]
        if relations[verb] == "conj" and token.tag == "NNS" and tokens[above].tag == "VBZ":
            others = [kid for kid in draft.below(above, "conj") if kid > verb and tokens[kid].tag == "VBZ"]
            if others and all(relations[kid] in ("punct", "cc", "advmod") for kid in draft.kids[verb]):
                tokens[verb] = replace(token, tag="VBZ", pos="VERB")  # "cools, condenses and forms clouds"
        noun = verb - 1
        listed = relations[verb] == "conj" and token.tag in ("VBZ", "VBP", "VBD") and noun in heads
        if not listed or relations[noun] != "conj" or draft.has_subject(verb):
            continue
        if tokens[noun].pos in ("NOUN", "PROPN", "PRON") and draft.below(noun, "cc"):
            heads[noun], relations[noun] = verb, "nsubj"
            heads |= dict.fromkeys(draft.below(noun, "cc"), verb)
    return Draft(tokens, heads, relations, draft.words)


def _parts(draft: Draft) -> list[Draft] | None:
    """What the first rule that fits makes of a draft: always fewer tokens in each."""
    for rule in (_linked, _also, listed) if _is_reported(draft) else RULES:
        parts = rule(draft)
        if parts and all(len(part.heads) < len(draft.heads) and _keeps(draft, part) for part in parts):
            # "Landscape, because it is wider than high": there a name is what is said.
            is_name = rule is _cause and draft.tokens[draft.root].pos in ("NOUN", "PROPN")
            if all(_is_whole(part) or (is_name and part.root == draft.root) for part in parts):
                return parts
    return None


def _is_closed(draft: Draft) -> bool:
    """Whether what stands in brackets is there with both of them."""
    signs = [draft.low(index) for index in draft.order]
    return signs.count("(") == signs.count(")") and signs.count("[") == signs.count("]")


def _keeps(draft: Draft, part: Draft) -> bool:
    """Whether a part has what stands in brackets, with them, as it is or not at all."""
    inside: list[int] = []
    for index in draft.order:
        if inside or draft.low(index) in ("(", "["):
            inside.append(index)
        if inside and draft.low(index) in (")", "]"):
            if 0 < sum(i in part.heads for i in inside) < len(inside):
                return False
            inside = []
    return _is_closed(part)


def _is_reported(draft: Draft) -> bool:
    """Whether it tells what somebody says or thinks: "the jury concluded that …", "the idea that …"."""
    for index in draft.order:
        lemma = draft.tokens[index].lemma.lower()
        if lemma in _SPEECH and draft.tokens[index].pos == "VERB":
            if index == draft.root and draft.below(index, "ccomp", "xcomp", "parataxis"):
                return True
            if draft.relations[index] == "parataxis" and not draft.below(
                index, "obj", "obl", "ccomp", "xcomp"
            ):
                return True  # "he is guilty, the jury concluded"
        named = lemma in _SAYINGS and draft.tokens[index].pos == "NOUN"
        if named and (draft.below(index, "acl", "ccomp") or draft.relations[index] == "nsubj"):
            return True
    return False


def _inverted(draft: Draft, words: list[int]) -> bool:
    """Whether it begins as a question does, or ends before its verb: "wood does not"."""
    return draft.low(words[0]) in ("does", "do", "did") or draft.low(words[-1]) in ("not", "n't", "n’t")


def _is_whole(draft: Draft) -> bool:
    """Whether a part says something: a verb with its subject, or a command."""
    words = [index for index in draft.heads if draft.tokens[index].text[0].isalnum()]
    verbs = [index for index in words if draft.tokens[index].pos in ("VERB", "AUX")]
    if (
        len(words) < 2
        or _inverted(draft, words)
        or (not verbs and not draft.words and not draft.has_subject(draft.root))
    ):
        return False
    root = draft.tokens[draft.root]
    return draft.has_subject(draft.root) or root.tag in ("VB", "VBP") or root.pos in ("VERB", "AUX")


def _linked(draft: Draft) -> list[Draft] | None:
    """Without what ties it to the one before: "and therefore", "however"."""
    root, gone = draft.root, set()
    words = [index for index in draft.order if draft.tokens[index].text[0].isalnum()]
    for number, index in enumerate(words):
        low, above = draft.low(index), draft.heads[index]
        bare = all(draft.relations[kid] == "punct" for kid in draft.kids[index])
        leads = all(earlier in gone for earlier in words[:number])
        if not bare or index == root:
            continue
        is_mark = low == "that" and draft.relations[index] == "mark"
        if leads and above == root and (low in _JOINING or low in LINKS or is_mark):
            # "If it is hot, then it melts": there it belongs to the condition. "So hot that …": to a degree.
            degree = low in ("so", "too") and draft.tokens[above].pos in ("ADJ", "ADV") and above == index + 1
            if not degree:
                gone |= draft.subtree(index)
        elif low in _CONCLUDING and above == root and draft.relations[index] == "advmod":
            gone |= draft.subtree(index) - ({index} if low == "also" and _not_only(draft) else set())
    return [draft.without(gone)] if gone and len(gone) < len(draft.heads) else None


def _not_only(draft: Draft) -> set[int]:
    """The words of "not only … but also"."""
    pairs = zip(draft.order, draft.order[1:], strict=False)
    said = {i for pair in pairs if [draft.low(index) for index in pair] == ["not", "only"] for i in pair}
    return said | {index for index in draft.order if said and draft.low(index) == "also"}


def _also(draft: Draft) -> list[Draft] | None:
    gone = _not_only(draft)
    return [draft.without(gone)] if gone and draft.root not in gone else None


def _shell(draft: Draft) -> list[Draft] | None:
    """What "this means that", "this is because" and "the reason is that" introduce."""
    root = draft.root
    words = [index for index in draft.order if draft.tokens[index].text[0].isalnum()]
    if [draft.low(i) in group for i, group in zip(words, _THIS_IS_BECAUSE, strict=False)] == [True] * 3:
        return [draft.without(words[:3])] if root not in words[:3] else None
    opening = " ".join(draft.low(index) for index in words[:8])
    if (reason := _REASON.match(opening)) and root not in words[: len(reason[0].split())]:
        return [draft.without(words[: len(reason[0].split())])]
    subjects = draft.below(root, *SUBJECTS)
    clauses = [kid for kid in draft.below(root, "ccomp", "advcl") if kid > root and draft.has_subject(kid)]
    if not clauses or not subjects or draft.below(root, "conj", "parataxis"):
        return None
    subject, clause = subjects[0], clauses[0]
    lemma = draft.tokens[root].lemma.lower()
    vague = draft.low(subject) in ("this", "that", "it", "which") and not draft.kids[subject]
    marks = {draft.low(mark) for mark in draft.below(clause, "mark")}
    means = lemma == "mean" and vague and draft.relations[clause] == "ccomp"
    is_reason = (vague or lemma == "reason" or draft.tokens[subject].lemma == "reason") and (
        lemma in ("be", "reason") and (marks & {"because", "that"} or lemma == "reason")
    )
    if not (means or is_reason) or is_denied(draft, root) or not draft.is_finite(clause):
        return None
    said = [
        kid for kid in clauses if draft.relations[kid] == draft.relations[clause] and draft.is_finite(kid)
    ]
    return [clause_at(draft, kid) for kid in said]


def _cause(draft: Draft) -> list[Draft] | None:
    """Cause and effect, and what is set against each other: "because", "so that", "whereas", "although"."""
    root = draft.root
    inner = [kid for verb in draft.below(root, "xcomp") for kid in draft.below(verb, "advcl")]
    for clause in [*draft.below(root, "advcl"), *inner]:
        marks = [draft.low(mark) for mark in draft.below(clause, "mark") if mark < clause]
        marks += [
            draft.low(kid)
            for kid in draft.below(clause, "advmod")
            if kid == min(draft.subtree(clause)) and draft.low(kid) == "so"
        ]
        if not marks or not draft.has_subject(clause) or not draft.is_finite(clause):
            continue
        if _is_fronted(draft, clause):
            continue  # "in the morning the sun is in the east, so shadows point west": it holds for both
        before = min(draft.subtree(clause)) - 1
        if _asserts(draft, clause, marks) and not (before in draft.heads and draft.low(before) in _NARROWING):
            rest = draft.without(draft.subtree(clause))
            part = clause_at(draft, clause)
            if _is_bare(rest):
                return [part]
            return [part, rest] if clause < root else [rest, part]
    return None


def _is_fronted(draft: Draft, clause: int) -> bool:
    """Whether something says before the subject when or where it all is so."""
    start = min((min(draft.subtree(i)) for i in draft.below(draft.root, *SUBJECTS)), default=0)
    fronts = [i for i in draft.below(draft.root, "obl", "advcl") if i < start and i != clause]
    return any(draft.below(i, "case", "mark") for i in fronts) and clause > draft.root


def _asserts(draft: Draft, clause: int, marks: Sequence[str]) -> bool:
    """Whether a clause with these conjunctions says something that is so."""
    first = marks[0]
    if first in _CAUSES or first in _CONTRASTS or (first == "even" and "though" in marks):
        return True
    if first == "so":
        return True
    tag = draft.tokens[clause].tag
    if first == "while":
        return tag != "VBG" and _comma_or_subject(draft, clause)
    if first == "as":
        return follows_comma(draft, clause) and clause > draft.root and marks[-1] == "as"
    return False


def _comma_or_subject(draft: Draft, clause: int) -> bool:
    """Whether "while" sets two things against each other: both have subjects of their own, and differ."""
    subjects = [draft.below(index, *SUBJECTS) for index in (clause, draft.root)]
    return all(subjects) and draft.low(subjects[0][0]) != draft.low(subjects[1][0])


def _is_bare(draft: Draft) -> bool:
    """Whether nothing but "this is" is left."""
    words = [i for i in draft.order if draft.tokens[i].text[0].isalnum()]
    light = [
        i for i in words if draft.tokens[i].pos in ("PRON", "AUX", "ADV", "CCONJ", "SCONJ", "DET", "INTJ")
    ]
    return len(words) < 4 and len(light) == len(words)


def _relative(draft: Draft) -> list[Draft] | None:
    """A relative clause that only adds something: "the sun, which is hot, …"."""
    for clause in draft.order:
        if draft.relations[clause] not in ("acl:relcl", "advcl:relcl", "acl"):
            continue
        members = draft.subtree(clause)
        first = min(i for i in members if draft.tokens[i].text[0].isalnum())
        noun = draft.heads[clause]
        complements = [kid for kid in draft.below(clause, "ccomp") if draft.has_subject(kid)]
        means = draft.low(first) == "which" and draft.tokens[clause].lemma == "mean" and complements
        rest = draft.without(members)
        if means:
            return [rest, clause_at(draft, complements[0])]
        if first - 1 not in draft.heads or draft.low(first - 1) != "," or draft.relations[noun] == "conj":
            continue
        if draft.below(noun, "conj") or not (draft.has_subject(draft.root) and draft.is_finite(draft.root)):
            continue
        if draft.low(first) == "whereby" and draft.has_subject(clause):
            return [rest, draft.only(clause, members - {first})]
        subject = [kid for kid in draft.below(clause, "nsubj") if kid == first]
        if not subject or draft.low(first) not in ("which", "who", "that"):
            continue
        name = name_of(draft, noun)
        if (
            first - 2 not in name
            or draft.tokens[noun].pos not in ("NOUN", "PROPN")
            or not _agrees(draft, noun, clause)
        ):
            continue
        part = draft.only(clause, (name | members) - {first})
        heads, relations = dict(part.heads), dict(part.relations)
        heads[noun], relations[noun] = clause, "nsubj"
        return [rest, Draft(draft.tokens, heads, relations, part.words)]
    return None


def _agrees(draft: Draft, noun: int, verb: int) -> bool:
    """Whether a verb can have this noun as its subject, by number."""
    finite = next(
        (i for i in [*draft.below(verb, "aux", "cop"), verb] if draft.tokens[i].tag in FINITE), verb
    )
    plural = draft.tokens[noun].tag in ("NNS", "NNPS")
    form = draft.low(finite)
    if draft.tokens[finite].tag == "VBZ" or form == "was":
        return not plural
    return plural if form in ("are", "were") or draft.tokens[finite].tag == "VBP" else True


def _aside(draft: Draft) -> list[Draft] | None:
    """A noun that says what another is: "Tsipras, the prime minister of Greece, …"."""
    for aside in draft.order:
        if draft.relations[aside] != "appos" or draft.tokens[aside].pos not in ("NOUN", "PROPN"):
            continue
        noun, members = draft.heads[aside], draft.subtree(aside)
        first, last = min(members), max(members)
        if not (first - 1 in draft.heads and (draft.low(first - 1) == "," or draft.low(first) == ",")):
            continue
        after = last + 1
        if after in draft.heads and draft.low(after) not in (",", ".", ";") and draft.low(last) != ",":
            continue
        known = draft.below(aside, "det", "nmod:poss") and not draft.below(aside, "conj")
        if not known or draft.tokens[noun].pos not in ("NOUN", "PROPN") or draft.below(noun, "conj", "cc"):
            continue
        name = name_of(draft, noun)
        words = sorted(i for i in members if draft.low(i) != "," or i not in (first, last))
        if not words or draft.relations[noun] == "root":
            continue
        be = "are" if draft.tokens[noun].tag in ("NNS", "NNPS") else "is"
        part = draft.only(aside, name | set(words)).said({words[0]: f"{be} {draft.tokens[words[0]].text}"})
        heads, relations = dict(part.heads), dict(part.relations)
        heads[noun], relations[noun] = aside, "nsubj"
        return [draft.without(members), Draft(draft.tokens, heads, relations, part.words)]
    return None


def _beside(draft: Draft) -> list[Draft] | None:
    """A second sentence without a conjunction: "it is hot; it melts"."""
    root = draft.root
    for other in reversed(draft.below(root, "parataxis")):
        if (
            other > root
            and draft.has_subject(other)
            and draft.is_finite(other)
            and _comma_or_stop(draft, other)
        ):
            members = draft.subtree(other)
            if draft.low(min(i for i in members if draft.low(i) not in ",;")) == "so" and _is_fronted(
                draft, other
            ):
                continue
            if draft.low(min(members)) == "(" or (
                min(members) - 1 in draft.heads and draft.low(min(members) - 1) == "("
            ):
                continue
            return [draft.without(members), clause_at(draft, other)]
    return None


def _comma_or_stop(draft: Draft, index: int) -> bool:
    first = min(i for i in draft.subtree(index) if draft.tokens[i].text[0].isalnum())
    if draft.low(first) == "so":
        return True
    return first - 1 in draft.heads and draft.low(first - 1) in (",", ";", ".")


RULES: tuple[Callable[[Draft], list[Draft] | None], ...] = (
    _linked, _also, _shell, _cause, _relative, _aside, _beside, listed,
)  # fmt: skip
