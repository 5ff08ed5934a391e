"""Lemma, part of speech and case for raw Basque text, from Apertium's analyser: a separate program.

Debian has it as `lttoolbox` (the program `lt-proc`) with `apertium-eu-es` (its dictionary). An analysis is
written `^form/lemma<tag>+lemma<tag>/…$`; a Basque case is a last part with the tag `<post>`:

    ^etxean/etxe<n>+a<det><art><sg>+an<post>$   the lemma etxe, a noun, in the case that ends in -an
    ^zzz/*zzz$                                  not in the dictionary

Every form is analysed alone. Of several analyses the first is taken: nothing here disambiguates them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.formats.senseval import SenseInstance, Token
from postil.errors import MissingDataError, PostilError

PROGRAM = "lt-proc"
DICTIONARY = Path("/usr/share/apertium/apertium-eu-es/eu-es.automorf.bin")
_PART = re.compile(r"(?P<lemma>(?:\\.|[^\\<])*)(?P<tags>(?:<[^>]*>)+)")
_TAG = re.compile(r"<([^>]*)>")
_SPECIAL = re.compile(r"([\^$/<>{}\\*@#+~\[\]])")  # characters that the format keeps for itself
_ESCAPED = re.compile(r"\\(.)")


def lemmatise(
    instances: Sequence[SenseInstance], *, dictionary: Path = DICTIONARY, program: str = PROGRAM
) -> list[SenseInstance]:
    """Give the tokens of instances the lemma, part of speech and case that the analyser knows for them."""
    forms = dict.fromkeys(token.form for instance in instances for token in instance.tokens)
    known = dict(zip(forms, analyse(list(forms), dictionary=dictionary, program=program), strict=True))
    return [
        replace(instance, tokens=tuple(known[token.form] for token in instance.tokens))
        for instance in instances
    ]


def analyse(forms: Sequence[str], *, dictionary: Path = DICTIONARY, program: str = PROGRAM) -> list[Token]:
    """Run the program on forms, one by one; a NUL after each makes it answer before it reads on."""
    if not dictionary.is_file():
        raise MissingDataError(
            f"{dictionary}: the analyser's dictionary is not there.",
            hint="On Debian: apt install apertium-eu-es; elsewhere name it with --dictionary.",
        )
    text = "".join(_SPECIAL.sub(r"\\\1", form) + "\0" for form in forms)
    try:
        done = subprocess.run([program, "-z", str(dictionary)], input=text.encode(), capture_output=True)
    except OSError as error:
        raise MissingDataError(
            f"the program {program!r} cannot be run: {error.strerror or error}.",
            hint="On Debian: apt install lttoolbox apertium-eu-es.",
        ) from error
    said = done.stdout.decode("utf-8", "replace").split("\0")
    # Some versions end with one NUL more.
    if done.returncode or len(said) - len(forms) not in (1, 2) or any(said[len(forms) :]):
        raise PostilError(
            f"{program} failed on {dictionary} (status {done.returncode}).",
            hint="Is the dictionary one that lt-proc can read?",
        )
    return [read_analysis(form, one) for form, one in zip(forms, said, strict=False)]


def read_analysis(form: str, said: str) -> Token:
    """Read what the analyser says of one form; a form it does not know stays as it is."""
    found = re.search(r"\^(?:\\.|[^\\/$])*/((?:\\.|[^\\/$])*)", said)
    parts = list(_PART.finditer(found.group(1))) if found else []
    if not parts:
        return Token(form)
    lemmas = [_plain(part["lemma"]) for part in parts]
    tags = [_TAG.findall(part["tags"]) for part in parts]
    return Token(form, lemma=lemmas[0], pos=tags[0][0], case=_last(zip(lemmas, tags, strict=True)))


def _plain(lemma: str) -> str:
    """A lemma without escapes and without the plus that joins it to the part before."""
    return _ESCAPED.sub(r"\1", lemma.removeprefix("+"))


def _last(parts: Iterable[tuple[str, list[str]]]) -> str:
    """The case: the lemma of the last part that is a postposition."""
    return next((lemma for lemma, tags in reversed(list(parts)) if "post" in tags), "")
