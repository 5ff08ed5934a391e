"""Examples of what is sent to have texts judged, and of what comes back, for the OpenAPI description."""

from __future__ import annotations

from typing import Any

ASKED = "Why does the bulb light up?"
REFERENCE = "The circuit is closed, so current flows."
ANSWER = "because the circuit is closed"
SENTENCES: dict[str, Any] = {"source": ANSWER, "target": REFERENCE}
PAIR: dict[str, Any] = {"text": "The dog is asleep on the mat.", "hypothesis": "The dog sleeps."}

FEEDBACK: dict[str, Any] = {
    "teacher": "The answer agrees with the reference: both mention the circuit.",
    "student": "You are right that the circuit is closed.",
}
FACET: dict[str, Any] = {
    "id": "p1",
    "first": "circuit is closed",
    "second": "",
    "relation": "",
    "label": "Expressed",
    "confidence": 0.9062,
    "words": ["circuit", "closed"],
}
LINK: dict[str, Any] = {
    "source": [2, 3],
    "target": [1, 2],
    "source_text": "the circuit",
    "target_text": "The circuit",
    "type": "EQUI",
    "additions": [],
    "score": 5.0,
}
ALIGNMENT: dict[str, Any] = {
    "source": ["because", "the", "circuit", "is", "closed"],
    "target": ["The", "circuit", "is", "closed", ",", "so", "current", "flows", "."],
    "alignments": [LINK],
}
JUDGEMENT: dict[str, Any] = {
    "id": "u17",
    "label": "correct",
    "probabilities": {
        "correct": 0.7,
        "partially_correct_incomplete": 0.24,
        "contradictory": 0.03,
        "irrelevant": 0.02,
        "non_domain": 0.01,
    },
    "score": 0.82,
    "confidence": 0.46,
    "deferred": True,
    "because": "",
    "reference": REFERENCE,
    "feedback": FEEDBACK,
    "facets": [FACET],
    "alignment": ALIGNMENT,
}
ALIGNED: dict[str, Any] = {
    "id": "1",
    **ALIGNMENT,
    "approximate": False,
    "explanation": "Both mention the circuit.",
}
ENTAILMENT: dict[str, Any] = {
    "id": "1",
    "label": "ENTAILMENT",
    "confidence": 0.69,
    "probabilities": {"ENTAILMENT": 0.69, "CONTRADICTION": 0.05, "UNKNOWN": 0.26},
    "sentence": "The dog is asleep on the mat.",
    "stands_for": {},
    "supported": ["The dog"],
    "unsupported": ["sleeps"],
    "differences": [],
    "justification": "The text says so: “The dog is asleep on the mat”. It has “is asleep” for “sleeps”.",
}
FOUND: dict[str, Any] = {"id": "u17", "facets": [FACET], "explanation": "The answer says: circuit is closed."}
