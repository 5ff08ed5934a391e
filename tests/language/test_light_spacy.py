"""spaCy imported without its command line."""

import subprocess
import sys


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_command_line_is_left_out_and_can_still_be_had() -> None:
    code = """
import sys
from postil.language.pipeline import import_spacy
spacy = import_spacy()
print("spacy.cli" in sys.modules, "requests" in sys.modules)
print(spacy.info(silent=True)["spacy_version"] == spacy.__version__)
import spacy.cli
print(callable(spacy.cli.download))
"""
    assert run(code).split() == ["False", "False", "True", "True"]


def test_spacy_that_is_there_already_is_used_as_it_is() -> None:
    code = """
import spacy
from postil.language.pipeline import import_spacy
print(import_spacy() is spacy, "spacy.cli" in __import__("sys").modules)
"""
    assert run(code).split() == ["True", "True"]
