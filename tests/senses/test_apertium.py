"""The adapter to Apertium's analyser, with a stand-in for the program."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which

import pytest

from postil.data.formats.senseval import SenseInstance, Token
from postil.errors import MissingDataError, PostilError
from postil.senses.apertium import DICTIONARY, analyse, lemmatise, read_analysis
from postil.senses.apertium import PROGRAM as PROGRAM_NAME


@pytest.mark.parametrize(
    ("said", "token"),
    [
        ("^etxean/etxe<n>+a<det><art><sg>+n<post>$", Token("f", "etxe", "n", "n")),
        ("^liburuak/liburu<n>+a<det><art><pl>/liburu<n>+a<det><art><sg>+k<post>$", Token("f", "liburu", "n")),
        ("^Mikelekin/Mikel<np><ant>+kin<post>$", Token("f", "Mikel", "np", "kin")),
        ("^eta/eta<cnjcoo>$", Token("f", "eta", "cnjcoo")),
        ("^zzz/*zzz$", Token("f")),
        ("^a\\/b/a\\/b<n>$", Token("f", "a/b", "n")),
        ("5", Token("f")),
        ("", Token("f")),
    ],
)
def test_analyses(said, token):
    assert read_analysis("f", said) == token


PROGRAM = """#!{python}
import sys
assert sys.argv[1] == "-z"
known = {{"etxean": "etxe<n>+a<det><art><sg>+n<post>"}}
for form in sys.stdin.buffer.read().decode().split("\\0")[:-1]:
    print("^%s/%s$" % (form, known.get(form, "*" + form)), end="\\0")
print("\\0" * {more}, end="")
sys.exit({status})
"""


@pytest.fixture
def program(tmp_path):
    def make(status: int = 0, more: int = 0) -> dict[str, object]:
        path = tmp_path / "lt-proc"
        path.write_text(PROGRAM.format(python=sys.executable, status=status, more=more))
        path.chmod(0o755)
        dictionary = tmp_path / "eu.bin"
        dictionary.write_bytes(b"made up")
        return {"program": str(path), "dictionary": dictionary}

    return make


@pytest.mark.parametrize("more", [0, 1])  # lt-proc 3.7 ends with one NUL more
def test_every_token_gets_its_own_analysis(program, more):
    tokens = tuple(Token(form) for form in ("etxean", "$5", "[x]", "etxean"))
    instance = SenseInstance("1", "etxe", tokens, (0,), (0,), ("etxe_1",))
    (found,) = lemmatise([instance], **program(more=more))
    assert found.tokens == (
        Token("etxean", "etxe", "n", "n"), Token("$5"), Token("[x]"), Token("etxean", "etxe", "n", "n"),
    )  # fmt: skip
    assert (found.id, found.senses) == ("1", ("etxe_1",))


def test_a_program_that_fails(program):
    with pytest.raises(PostilError, match=r"failed .*status 3"):
        analyse(["etxean"], **program(3))


def test_a_program_that_says_too_much(program):
    with pytest.raises(PostilError, match="failed"):
        analyse(["etxean"], **program(more=2))


@pytest.mark.skipif(not (DICTIONARY.is_file() and which(PROGRAM_NAME)), reason="Apertium is not installed")
def test_the_program_itself():
    etxean, unknown, name = analyse(["etxean", "zzzq", "New York"])
    assert (etxean.lemma, etxean.pos, etxean.case) == ("etxe", "n", "an")
    assert unknown == Token("zzzq")
    assert name.pos == "np"


def test_a_program_that_is_not_there(program):
    given = program() | {"program": "no-such-program"}
    with pytest.raises(MissingDataError, match="cannot be run") as caught:
        analyse(["etxean"], **given)
    assert "apt install" in caught.value.hint


def test_a_dictionary_that_is_not_there():
    with pytest.raises(MissingDataError, match="dictionary was not found"):
        analyse(["etxean"], dictionary=Path("none.bin"))
