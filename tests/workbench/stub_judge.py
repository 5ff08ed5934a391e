"""Stands in for the library: judges by length alone, and obeys commands in the first answer."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from postil.data.labels import RESPONSE_SCHEMES
from postil.errors import PostilError
from postil.workbench.jobs.judging import AlignTask, ClassTask, EntailTask, FacetsTask, Findings


def load_stub():
    return judge


def judge(task):
    if isinstance(task, ClassTask):
        _obey(task.answers[0])
        warnings = ("Look at the question.",) if task.question.startswith("What does the graph") else ()
        return Findings([_judgement(answer, task) for answer in task.answers], warnings)
    if isinstance(task, AlignTask):
        return Findings(
            [_alignment(*pair) | {"approximate": False, "explanation": "Alike."} for pair in task.pairs],
            tuple(
                f"Pair {id} is long."
                for id, (source, _) in zip(task.ids, task.pairs, strict=True)
                if len(source) > 99
            ),
        )
    if isinstance(task, EntailTask):
        return Findings([_entailment(*pair, task.scheme) for pair in task.pairs])
    assert isinstance(task, FacetsTask)
    return Findings([{"facets": _facets(task.facets), "explanation": "It says: it."} for _ in task.answers])


def _obey(command):
    """`sleep 0.5`, `brood`, `eat 600` (megabytes), `die`, `die once FILE`, `pid`, `refuse`, `crash` …"""
    match command.split():
        case ["sleep", seconds]:
            time.sleep(float(seconds))
        case ["brood"]:
            re.match(r"(a+)+b", "a" * 40)
        case ["eat", megabytes]:
            bytearray(int(megabytes) * 1024 * 1024)
        case ["die"]:
            os._exit(1)
        case ["die", "once", name] if not Path(name).exists():
            Path(name).touch()
            os._exit(1)
        case ["refuse"]:
            raise PostilError("this cannot be judged.", hint="Write more.")
        case ["crash", *_]:
            raise ValueError(command)


def _judgement(answer, task):
    labels = RESPONSE_SCHEMES[task.scheme].labels
    label = dict(task.decided).get(answer, labels[len(answer) % len(labels)])
    chances = dict.fromkeys(labels, 0.0) | {label: 1.0}
    return {
        "label": label, "probabilities": chances, "score": chances["correct"], "confidence": 0.9,
        "deferred": False, "because": f"process {os.getpid()}" if answer == "pid" else "",
        "reference": task.references[0],
        "feedback": {"teacher": "It is so.", "student": "Look again."} if task.explain else None,
        "facets": _facets(task.facets) if task.with_facets else None,
        "alignment": _alignment(answer, task.references[0]) if task.explain else None,
        "reason": None,
    }  # fmt: skip


def _facets(names):
    return [
        {
            "id": f"f{number}", "first": name, "second": "", "relation": "",
            "label": "Expressed", "confidence": 0.8, "words": [name],
        }
        for number, name in enumerate(names or ["it"], 1)
    ]  # fmt: skip


def _alignment(source, target):
    link = {
        "source": [1], "target": [1], "source_text": source, "target_text": target,
        "type": "EQUI", "additions": [], "score": 5.0,
    }  # fmt: skip
    return {"source": source.split(), "target": target.split(), "alignments": [link]}


def _entailment(text, hypothesis, scheme):
    return {
        "label": "ENTAILMENT" if hypothesis in text else "UNKNOWN" if scheme == "3way" else "NO_ENTAILMENT",
        "confidence": 0.7,
        "probabilities": {"ENTAILMENT": 0.7, "CONTRADICTION": 0.1, "UNKNOWN": 0.2},
        "sentence": text, "stands_for": {}, "supported": [hypothesis], "unsupported": [],
        "differences": [{"kind": "number", "hypothesis": "2", "text": "3"}],
        "justification": "The text says so.",
    }  # fmt: skip
