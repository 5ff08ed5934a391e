"""Statements from questions and short answers."""

from __future__ import annotations

import pytest

from postil.language.statements import statement
from postil.language.words.forms import past_tense, third_person


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("How high is Mount Everest?", "8848 m", "Mount Everest is 8848 m high."),
        ("Who wrote Hamlet?", "Shakespeare", "Shakespeare wrote Hamlet."),
        ("What did Newton discover?", "gravity", "Newton discovered gravity."),
        ("Where was Mozart born?", "Salzburg", "Mozart was born in Salzburg."),
        ("When did the war end?", "1945", "The war ended in 1945."),
        ("In which year did Columbus reach America?", "1492", "Columbus reached America in 1492."),
        ("Is the switch closed?", "yes", "The switch is closed."),
        ("Is the switch closed?", "No.", "The switch is not closed."),
        ("Does the bulb shine?", "no", "The bulb does not shine."),
        ("Which planet is the largest?", "Jupiter", "Jupiter is the largest planet."),
        ("How many moons does Mars have?", "two", "Mars has two moons."),
        ("How many planets orbit the sun?", "eight", "Eight planets orbit the sun."),
        ("What is the capital of France?", "Paris", "The capital of France is Paris."),
        ("What color is the sky?", "blue", "The sky is blue."),
        ("Who was killed by Oswald?", "Kennedy", "Kennedy was killed by Oswald."),
        ("What does glass consist of?", "sand", "Glass consists of sand."),
        ("How do plants make food?", "by photosynthesis", "Plants make food by photosynthesis."),
        ("What did the girl do?", "ran away", "The girl ran away."),
        ("What can conduct electricity?", "copper", "Copper can conduct electricity."),
        (
            "What is the voltage when the switch is open?",
            "0 V",
            "The voltage is 0 V when the switch is open.",
        ),
        ("When water freezes, what forms?", "ice", "Ice forms."),
    ],
)
def test_fragments_become_statements(question, answer, wanted):
    assert statement(question, answer) == wanted


def test_a_reason_is_joined_to_what_it_is_for():
    wanted = "The bulb lights up because the circuit is closed."
    assert statement("Why does the bulb light up?", "the circuit is closed") == wanted
    assert statement("Why does the bulb light up?", "because the circuit is closed") == wanted


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Who discovered penicillin?", "It was Fleming.", "It was Fleming."),
        ("Explain your answer.", "closed path", "Closed path."),
        ("", "sand", "Sand."),
        ("Why?", "", ""),
        ("???", "sand", "Sand."),
    ],
)
def test_where_no_rule_fits_the_answer_stays(question, answer, wanted):
    assert statement(question, answer) == wanted


def test_forms_of_verbs():
    assert [past_tense(verb) for verb in ("write", "stop", "carry", "move", "play", "reach")] == [
        "wrote",
        "stopped",
        "carried",
        "moved",
        "played",
        "reached",
    ]
    assert [third_person(verb) for verb in ("go", "carry", "have", "be", "reach", "play")] == [
        "goes",
        "carries",
        "has",
        "is",
        "reaches",
        "plays",
    ]
