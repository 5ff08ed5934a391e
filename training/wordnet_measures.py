"""What the measures of postil.language.words need: ancestors with their distances, SemCor's counts, gloss words."""

from __future__ import annotations

import re
import tarfile
from collections import Counter, deque
from pathlib import Path

import numpy as np
from scipy import sparse
from wordnet_files import Synset

Arrays = dict[str, np.ndarray]

# Function words say nothing about what a gloss defines; nor do "used" and "usually", which glosses are full of.
_STOP_WORDS = """
    a about above across after against all along also although am among an and another any anyone anything
    are around as at away back be because been before behind being below beneath beside besides between
    beyond both but by can cannot could did do does doing done down due during each either else especially
    etc even ever every everyone everything few for from further had has have having he hence her here hers
    herself him himself his how however i if in into is it its itself just least less like many may me might
    mine more most much must my myself near neither no nobody nor not nothing now of off often on once one
    ones oneself only onto or other others our ours ourselves out over own per rather same several shall she
    should since so some somebody someone something sometimes somewhat such than that the their theirs them
    themselves then there thereby therefore these they this those though through throughout thus to together
    too toward towards under until unto up upon us used using usually very was we were what whatever when
    where whereby wherein whether which while who whoever whole whom whose why will with within without
    would yet you your yours yourself
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TAG = re.compile(r"<wf\s([^>]*)>")
_ATTRIBUTE = re.compile(r"""(\w+)=(?:"([^"]*)"|([^\s"]+))""")
# In how many definitions a word must stand to have a vector, to be a dimension, and to be neither.
LEAST, COMMON, MOST = 5, 50, 1000


def ancestors(parents: list[list[int]], synsets: list[Synset], names: list[str]) -> Arrays:
    """For nouns and verbs: every ancestor, the steps up to it, and the steps to it by any way.

    The steps by any way are fewer where going above the ancestor and down again is a short cut. Verbs have
    many roots: all are put under one more, numbered after the last synset, one step above the farthest
    ancestor.
    """
    root = len(synsets)
    ups: list[dict[int, int]] = []
    for number, synset in enumerate(synsets):
        up: dict[int, int] = {}
        queue = deque([(number, 0)] if synset.pos in "nv" else [])
        while queue:
            one, steps = queue.popleft()
            if one not in up:
                up[one] = steps
                queue.extend((parent, steps + 1) for parent in parents[one])
        if synset.pos == "v":
            up[root] = max(up.values()) + 1
        ups.append(up)
    ups.append({root: 0})
    path = [
        min(steps + ups[other][one] for one, steps in up.items() if one in ups[other])
        for up in ups[:-1]
        for other in up
    ]
    order = np.empty(root + 1, dtype=np.uint32)
    order[np.array(sorted(range(root + 1), key=[*names, "*ROOT*"].__getitem__))] = np.arange(root + 1)
    return {
        "lengths": np.array([len(up) for up in ups[:-1]], dtype=np.uint8),
        "ancestors": np.array([one for up in ups[:-1] for one in up], dtype=np.uint32),
        "up": np.array([steps for up in ups[:-1] for steps in up.values()], dtype=np.uint8),
        "path": np.array(path, dtype=np.uint8),
        "name_order": order,
    }


def semcor_keys(archive: Path) -> Counter[str]:
    """How often each sense key is tagged in SemCor; of two keys on one word the first counts."""
    keys: Counter[str] = Counter()
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member) if "/tagfiles/" in member.name else None
            if file is None:
                continue
            for tag in _TAG.findall(file.read().decode("utf-8", errors="replace")):
                values = {name: one or other for name, one, other in _ATTRIBUTE.findall(tag)}
                if "lemma" in values and "lexsn" in values:
                    keys[f"{values['lemma'].lower()}%{values['lexsn'].partition(';')[0]}"] += 1
    return keys


def information(tagged: dict[int, int], synsets: list[Synset], closure: Arrays) -> Arrays:
    """Counts of nouns and verbs: each tagged synset's count to itself and to each of its ancestors, once."""
    starts = np.concatenate([[0], np.cumsum(closure["lengths"], dtype=np.int64)])
    counts = np.zeros(len(starts) - 1, dtype=np.uint32)
    for synset, count in tagged.items():
        above = closure["ancestors"][starts[synset] : starts[synset + 1]]
        counts[above[above < len(counts)]] += np.uint32(count)
    totals = [sum(n for one, n in tagged.items() if synsets[one].pos == pos) for pos in "nv"]
    return {"counts": counts, "totals": np.array(totals, dtype=np.uint32)}


def definition(gloss: str) -> str:
    return gloss.partition('"')[0]


def gloss_words(synsets: list[Synset]) -> tuple[list[str], Arrays]:
    """The content words of the definitions, in order, as numbers of an alphabetical list."""
    found = [
        [word for word in _WORD.findall(definition(synset.gloss).lower()) if word not in STOP_WORDS]
        for synset in synsets
    ]
    words = sorted({word for one in found for word in one})
    assert len(words) < 2**16
    places = {word: index for index, word in enumerate(words)}
    return words, {
        "lengths": np.array([len(one) for one in found], dtype=np.uint8),
        "tokens": np.array([places[word] for one in found for word in one], dtype=np.uint16),
    }


def cooccurrences(words: int, arrays: Arrays) -> Arrays:
    """In how many definitions each word stands together with each of the commoner words, itself left out.

    Row by row, columns as gaps: words in LEAST to MOST definitions have a row, those in COMMON to MOST a column.
    """
    starts = np.concatenate([[0], np.cumsum(arrays["lengths"], dtype=np.int64)])
    ones = np.ones(len(arrays["tokens"]), dtype=np.int32)
    shape = len(starts) - 1, words
    table = sparse.csr_array((ones, arrays["tokens"].astype(np.int32), starts), shape=shape)
    table.sum_duplicates()
    table.data[:] = 1
    often = np.bincount(table.indices, minlength=words)
    rows = np.flatnonzero((often >= LEAST) & (often <= MOST))
    columns = np.flatnonzero((often >= COMMON) & (often <= MOST))
    together = (table[:, rows].T.tocsr() @ table[:, columns]).tocoo()
    others = rows[together.row] != columns[together.col]
    row, column, count = (one[others] for one in (together.row, together.col, together.data))
    order = np.lexsort((column, row))
    row, column, count = row[order], column[order], count[order]
    first = np.diff(row, prepend=-1) > 0
    gaps = np.where(first, column, np.diff(column, prepend=0))
    return {
        "rows": rows.astype(np.uint16),
        "columns": np.uint16(len(columns)),
        "lengths": np.bincount(row, minlength=len(rows)).astype(np.uint16),
        "gaps": gaps.astype(np.uint16),
        "counts": count.astype(np.uint16),
    }
