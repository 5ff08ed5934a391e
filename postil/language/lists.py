"""One statement for each of several clauses, predicates or things: "a fruit has seeds and a skin".

Where something is said of several things together ("the same", "between"), or the tree is doubtful, the
statement stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from postil.language.drafts import FINITE, SUBJECTS, Draft, follows_comma, is_condition, is_denied, word_set
from postil.language.words.forms import third_person

_PREDICATES = ("VERB", "AUX", "ADJ")
# With these, what is said of several things is said of them together.
_TOGETHER = word_set(
    "same different similar equal equally identical opposite together other another between mix "
    "mixture combine "
    "combination compare comparison connect connection separate separation distinguish difference "
    "relationship "
    "ratio share join meet match interact interaction react parallel perpendicular total sum plus "
    "add average "
    "respectively exchange swap pair alternate unite balance relation respective common differ double half "
    "distance gap only either neither whether"
)
_SHARED_DETERMINERS = word_set(
    "the a an all every each no any some many more most less fewer few several both"
)


def listed(draft: Draft) -> list[Draft] | None:
    """One statement for each of several clauses, predicates or things: "seeds and a skin"."""
    if _is_correlative(draft):
        return None
    for head in _open_places(draft):
        conjuncts = draft.below(head, "conj")
        repeated = [c for c in conjuncts if draft.low(c) == draft.low(head) and not draft.has_subject(c)]
        if repeated:
            continue  # "poorer and poorer"
        if not conjuncts or any(_in_brackets(draft, conjunct) for conjunct in conjuncts):
            continue
        parts = _of_predicates(draft, head, conjuncts) if _is_predicate(draft, head) else None
        if parts is None and not (_is_predicate(draft, head) and draft.relations[head] == "root"):
            parts = _of_things(draft, head, conjuncts)
        if parts:
            return parts
        if head == draft.root and _is_predicate(draft, head):
            return None  # where the predicates are doubtful, so is the rest
    return None


def alternatives(draft: Draft) -> list[Draft]:
    """The things of which a fragment names one or the other: "a gap or an open switch"."""
    conjuncts = draft.below(draft.root, "conj")
    if draft.has_subject(draft.root) or not conjuncts or _joins(draft, draft.root, conjuncts) != {"or"}:
        return [draft]
    others = [_other(draft, draft.root, conjunct, conjuncts, set()) for conjunct in conjuncts]
    return [_first(draft, draft.root, conjuncts), *others]


def _in_brackets(draft: Draft, index: int) -> bool:
    first = min(draft.subtree(index))
    return draft.low(first) == "(" or any(
        draft.low(i) == "(" for i in (first - 1, first - 2) if i in draft.heads
    )


def _is_correlative(draft: Draft) -> bool:
    """Whether it says that one thing grows with another: "the more …, the less …"."""
    pairs = zip(draft.order, draft.order[1:], strict=False)
    return sum(draft.low(a) == "the" and draft.tokens[b].tag in ("JJR", "RBR") for a, b in pairs) > 1


def _open_places(draft: Draft) -> list[int]:
    """Where a list may be taken apart: the root, what it is done to, with or in, and verbs it introduces."""
    places, chain = [draft.root], [draft.root]
    while chain:
        verb = chain.pop()
        for kid in draft.below(verb, "xcomp", "ccomp"):
            places.append(kid)
            chain.append(kid)
        for kid in draft.below(verb, "advcl"):  # "in order to hold and store"
            if any(draft.low(mark) == "to" for mark in draft.below(kid, "mark")):
                places.append(kid)
                chain.append(kid)
        if not is_condition(draft, verb):
            places += draft.below(verb, "obj", "obl", "nsubj")
    return places


def _is_predicate(draft: Draft, index: int) -> bool:
    token = draft.tokens[index]
    if draft.relations[index] in ("root", "xcomp", "ccomp", "advcl"):
        return token.pos in _PREDICATES or bool(draft.below(index, "cop")) or draft.has_subject(index)
    return False


def _joins(draft: Draft, head: int, conjuncts: Sequence[int]) -> set[str]:
    """The words that join a list."""
    members = [head, *conjuncts]
    return {draft.low(cc) for member in members for cc in draft.below(member, "cc")}


def _of_predicates(draft: Draft, head: int, conjuncts: Sequence[int]) -> list[Draft] | None:
    joins = _joins(draft, head, conjuncts)
    denied = is_denied(draft, head)
    own = [conjunct for conjunct in conjuncts if draft.has_subject(conjunct)]
    # "It dissolved when it was stirred and the mixture was clear": the condition may hold both or one.
    conditions = [
        kid for kid in draft.below(head, "advcl") if head < kid < conjuncts[-1] and is_condition(draft, kid)
    ]
    if own and any(not follows_comma(draft, min(draft.subtree(o))) for o in own) and conditions:
        return None
    if joins & {"or", "nor", "/", "than"} and not (denied and joins == {"or"} and not own):
        return None
    parts = [_first(draft, head, conjuncts)]
    for conjunct in conjuncts:
        shared = _shared_by_predicates(draft, head, conjunct, denied=denied, joins=joins)
        if shared is None:
            return None
        parts.append(_other(draft, head, conjunct, conjuncts, shared))
    if own:
        # What follows the last clause belongs to it.
        behind = {m for kid in draft.below(head, "advcl") if kid > conjuncts[-1] for m in draft.subtree(kid)}
        parts[0] = parts[0].without(behind) if behind else parts[0]
        if behind and draft.has_subject(conjuncts[-1]):
            parts[-1] = _other(draft, head, conjuncts[-1], conjuncts, behind | (shared or set()))
    if draft.relations[head] == "root" and not own:
        parts[0] = _with_condition(draft, parts[0], head, conjuncts[-1])
    return _with_standard(draft, parts, conjuncts[-1])


def _first(draft: Draft, head: int, conjuncts: Sequence[int]) -> Draft:
    gone = {member for conjunct in conjuncts for member in draft.subtree(conjunct)}
    gone |= {
        member
        for cc in draft.below(head, "cc")
        for member in draft.subtree(cc)
        if cc > head or draft.relations[cc] == "cc:preconj"
    }
    gone |= {kid for kid in draft.below(head, "cc", "det") if draft.low(kid) == "both"}
    return draft.without(gone)


def _other(draft: Draft, head: int, conjunct: int, conjuncts: Sequence[int], shared: set[int]) -> Draft:
    """The draft with one of the list in the place of its first."""
    gone = draft.subtree(head) - draft.subtree(conjunct) - shared
    gone |= {member for cc in draft.below(conjunct, "cc") for member in draft.subtree(cc)}
    for other in conjuncts:
        if other != conjunct:
            gone |= draft.subtree(other)
    heads = dict(draft.heads)
    for kid in draft.kids[head]:
        heads[kid] = conjunct
    heads[conjunct] = conjunct if draft.heads[head] == head else draft.heads[head]
    relations = {**draft.relations, conjunct: draft.relations[head]}
    return Draft(draft.tokens, heads, relations, draft.words).without(gone)


def _shared_by_predicates(
    draft: Draft, head: int, conjunct: int, *, denied: bool, joins: set[str]
) -> set[int] | None:
    """What a predicate has in common with the first: subject, verbs that help, what stands before both.

    None where the tree is doubtful.
    """
    token, first = draft.tokens[conjunct], draft.tokens[head]
    subjects = draft.below(head, *SUBJECTS)
    start = min((min(draft.subtree(subject)) for subject in subjects), default=head)
    front = {
        member
        for kid in draft.below(head, "obl", "advcl", "mark")
        if kid < start or (draft.relations[kid] == "mark" and draft.low(kid) in ("that", "to"))
        for member in draft.subtree(kid)
    }
    if draft.has_subject(conjunct):
        if not draft.is_finite(conjunct):
            return None
        own = [
            kid
            for kid in draft.below(conjunct, "obl", "advcl", "mark")
            if kid < min(draft.below(conjunct, *SUBJECTS))
        ]
        return set() if own else front
    after = draft.below(head, "conj")[-1]
    behind = [
        kid for kid in draft.below(head, "obj", "obl", "advcl", "ccomp", "xcomp", "advmod") if kid > after
    ]
    front |= {member for kid in behind for member in draft.subtree(kid)}
    inner = [
        kid for kid in draft.below(head, "ccomp", "advcl") if head < kid < conjunct and draft.has_subject(kid)
    ]
    if inner and not draft.below(conjunct, "aux", "cop") and draft.relations[inner[0]] == "advcl":
        inner = []
    if inner:
        return None  # who does the second thing?
    shared = front | {member for subject in subjects for member in draft.subtree(subject)}
    helping = draft.below(head, "aux", "cop")
    is_verb = token.pos in ("VERB", "AUX")
    if not subjects and draft.relations[head] == "root" and not (first.tag == token.tag == "VB"):
        return None
    named = token.pos in ("NOUN", "PROPN") and first.pos in ("NOUN", "PROPN")
    if named and draft.below(head, "case") and not draft.below(conjunct, "case"):
        return None  # "between the wire and the bulb"
    # "Are connected and in the same state": the verb that helps the first is the other's own.
    placed = draft.below(conjunct, "case") and draft.below(head, "aux:pass")
    has_be = draft.below(conjunct, "cop") or draft.below(head, "cop") or placed
    if not is_verb and not has_be and token.pos != "ADJ":
        return None
    plural = any(
        draft.tokens[i].tag in ("NNS", "NNPS") or draft.low(i) in ("they", "you", "we", "i") for i in subjects
    )
    present = token.tag == "VB" and first.tag != "VB" and plural and not draft.below(conjunct, "mark", "aux")
    singular = any(draft.tokens[i].tag in ("NN", "NNP") and not draft.below(i, "conj") for i in subjects)
    if (singular and token.tag == "VBP") or (plural and token.tag == "VBZ"):
        return None  # something else is its subject
    if draft.is_finite(conjunct) or (present and not any(draft.tokens[aux].tag == "MD" for aux in helping)):
        if draft.below(conjunct, "mark"):
            return None
        return shared - {kid for kid in draft.below(head, "mark") if draft.low(kid) == "to"}
    if is_verb and first.pos not in ("VERB", "AUX"):
        return None
    if (
        is_verb
        and token.tag == "VB"
        and not any(draft.tokens[aux].tag == "MD" or draft.tokens[aux].lemma == "do" for aux in helping)
        and first.tag != "VB"
    ):
        return None
    if is_verb and token.tag in ("VBN", "VBG") and first.tag != token.tag:
        return None
    if denied and joins != {"or"}:
        return None
    shared |= {member for kid in helping for member in draft.subtree(kid)}
    shared |= {kid for kid in draft.below(head, "advmod") if draft.low(kid) in ("not", "n't", "never")}
    if any(draft.low(mark) == "to" for mark in draft.below(conjunct, "mark")):
        shared -= {kid for kid in draft.below(head, "mark") if draft.low(kid) == "to"}
    return shared


def _with_condition(draft: Draft, part: Draft, head: int, last: int) -> Draft:
    """A condition after the last of several predicates holds for the first as well."""
    for clause in draft.below(last, "advcl"):
        if clause > last and is_condition(draft, clause):
            members = draft.subtree(clause)
            heads = {**part.heads, **{index: draft.heads[index] for index in members}, clause: head}
            relations = {**part.relations, **{index: draft.relations[index] for index in members}}
            return Draft(draft.tokens, heads, relations, part.words)
    return part


def _with_standard(draft: Draft, parts: list[Draft], last: int) -> list[Draft] | None:
    """What two things are compared with, named after the second: "heats and cools faster than water"."""
    standards = [i for i in draft.subtree(last) if draft.low(i) == "than" and draft.heads[i] != i]
    if not standards or not all(
        any(part.tokens[i].tag in ("JJR", "RBR") for i in part.heads) for part in parts
    ):
        return (
            None
            if standards and len(parts) > 1 and "than" not in map(parts[0].low, parts[0].heads)
            else parts
        )
    members = draft.subtree(draft.heads[standards[-1]])
    shared = []
    for part in parts:
        if any(part.low(i) == "than" for i in part.heads) or draft.heads[standards[-1]] in part.heads:
            shared.append(part)
            continue
        top = next(i for i in part.heads if part.tokens[i].tag in ("JJR", "RBR"))
        heads = {**part.heads, **{i: draft.heads[i] for i in members}, draft.heads[standards[-1]]: top}
        relations = {**part.relations, **{i: draft.relations[i] for i in members}}
        shared.append(Draft(draft.tokens, heads, relations, part.words))
    return shared


def _of_things(draft: Draft, head: int, conjuncts: Sequence[int]) -> list[Draft] | None:
    """One statement for each of several things, unless something is said of them together."""
    members = [head, *conjuncts]
    joins = _joins(draft, head, conjuncts)
    nouns = all(draft.tokens[member].pos in ("NOUN", "PROPN", "ADJ") for member in members)
    same = len({draft.tokens[member].pos == "ADJ" for member in members}) == 1
    if not nouns or not same or not joins & {"and", "as"} or joins & {"or", "nor", "but", "/"}:
        return None
    if any(draft.tokens[i].lemma.lower() in _TOGETHER or draft.low(i) in _TOGETHER for i in draft.heads):
        return None
    if any(len(draft.tokens[member].text) < 2 or draft.tokens[member].tag == "CD" for member in members):
        return None
    is_subject = draft.relations[head].startswith("nsubj")
    after = conjuncts[-1] + 1
    if not is_subject and after in draft.heads and draft.tokens[after].tag in ("NNS", "VBZ"):
        return None  # "air rises over the hills, cools and rain falls": the tree took verbs for nouns
    parts = [_first(draft, head, conjuncts)]
    for conjunct in conjuncts:
        if draft.below(conjunct, "cop", "nsubj", "mark"):
            return None
        parts.append(_other(draft, head, conjunct, conjuncts, _shared_by_things(draft, head, conjunct)))
    parts[0] = _with_tail(draft, parts[0], head, conjuncts[-1])
    if is_subject:
        agreed = [_agreeing(part, member) for part, member in zip(parts, members, strict=True)]
        return [part for part in agreed if part] if all(agreed) else None
    return parts


def _shared_by_things(draft: Draft, head: int, conjunct: int) -> set[int]:
    # "Installation and configuration of systems": what follows both belongs to both.
    shared = {
        member
        for kid in draft.kids[head]
        if kid > conjunct and kid not in draft.below(head, "conj", "punct", "cc")
        for member in draft.subtree(kid)
    }
    if not draft.below(conjunct, "case"):
        shared |= {member for kid in draft.below(head, "case", "mark") for member in draft.subtree(kid)}
    quantity = [kid for kid in draft.below(head, "amod") if draft.low(kid) in _SHARED_DETERMINERS]
    if quantity or not draft.below(conjunct, "det", "nmod:poss", "nummod", "amod"):
        for kid in draft.below(head, "det", "nmod:poss", "amod"):
            if draft.low(kid) in _SHARED_DETERMINERS or draft.relations[kid] == "nmod:poss":
                shared |= draft.subtree(kid)
    return shared - {kid for kid in shared if draft.low(kid) == "both"}


def _with_tail(draft: Draft, part: Draft, head: int, last: int) -> Draft:
    """What follows the last thing belongs to all: "the colour and size of the crystal"."""
    tails = [kid for kid in draft.below(last, "nmod", "acl") if kid > last]
    bare = not draft.below(last, "det", "amod", "nmod:poss", "nummod")
    if not bare or not tails or [kid for kid in draft.below(head, "nmod", "acl") if kid > head]:
        return part
    members = {member for tail in tails for member in draft.subtree(tail)}
    heads = {**part.heads, **{index: draft.heads[index] for index in members}} | dict.fromkeys(tails, head)
    relations = {**part.relations, **{index: draft.relations[index] for index in members}}
    return Draft(draft.tokens, heads, relations, part.words)


def _agreeing(part: Draft, subject: int) -> Draft | None:
    """The statement with a verb that agrees with its one subject; None where more would have to change."""
    if part.tokens[subject].tag in ("NNS", "NNPS"):
        return part
    verb = part.heads[subject]
    finite = next((i for i in [*part.below(verb, "aux", "cop"), verb] if part.tokens[i].tag in FINITE), None)
    if (
        finite is None
        or part.tokens[verb].tag in ("NNS", "NNPS")
        or any(part.low(i) in ("their", "them", "each", "they", "both") for i in part.heads)
    ):
        return None
    token = part.tokens[finite]
    form = part.low(finite)
    if token.tag == "MD" or (token.tag == "VBD" and form != "were"):
        return part
    if form in ("are", "were", "is", "was"):
        return part.said({finite: {"are": "is", "were": "was"}.get(form, form)})
    if token.tag == "VBP":
        return part.said({finite: third_person(token.lemma.lower())})
    return part if token.tag == "VBZ" else None
