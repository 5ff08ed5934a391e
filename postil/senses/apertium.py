"""Lemma, part of speech and case for raw Basque text, from Apertium's analyser: a separate program.

Debian has it as `lttoolbox` (the program `lt-proc`) with `apertium-eu-es` (its dictionary). An analysis is
written `^form/lemma<tag>+lemma<tag>/…$`; a Basque case is a last part with the tag `<post>`:

    ^etxean/etxe<n>+a<det><art><sg>+an<post>$   the lemma etxe, a noun, in the case that ends in -an
    ^zzz/*zzz$                                  not in the dictionary

Every form is analysed alone. Of several analyses the first is taken; nothing disambiguates them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from postil.data.formats.senseval import SenseInstance, Token
from postil.errors import MissingDataError, PostilError

PROGRAM = "lt-proc"
DICTIONARY = Path("/usr/share/apertium/apertium-eu-es/eu-es.automorf.bin")
_ANALYSIS = re.compile(r"\^(?:\\.|[^\\/$])*/((?:\\.|[^\\/$])*)")
_PART = re.compile(r"(?P<lemma>(?:\\.|[^\\<])*)(?P<tags>(?:<[^>]*>)+)")
_TAG = re.compile(r"<([^>]*)>")
_SPECIAL = re.compile(r"([\^$/<>{}\\*@#+~\[\]])")  # characters that the format reserves
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
    """Run the program on forms; a NUL after each makes it answer before it reads on."""
    if not dictionary.is_file():
        raise MissingDataError(
            f"{dictionary}: the analyser's dictionary was not found.",
            hint="On Debian: apt install apertium-eu-es; elsewhere, name its path with --dictionary.",
        )
    text = "".join(_SPECIAL.sub(r"\\\1", form) + "\0" for form in forms)
    try:
        done = subprocess.run([program, "-z", str(dictionary)], input=text.encode(), capture_output=True)
    except OSError as error:
        raise MissingDataError(
            f"the program {program!r} cannot be run: {error.strerror or error}.",
            hint="On Debian: apt install lttoolbox apertium-eu-es.",
        ) from error
    outputs = done.stdout.decode("utf-8", "replace").split("\0")
    # Some versions write one NUL more at the end.
    if done.returncode or len(outputs) - len(forms) not in (1, 2) or any(outputs[len(forms) :]):
        raise PostilError(
            f"{program} failed on {dictionary} (status {done.returncode}).",
            hint="Is the dictionary one that lt-proc can read?",
        )
    return [read_analysis(form, output) for form, output in zip(forms, outputs, strict=False)]


def read_analysis(form: str, output: str) -> Token:
    """Read the analysis of one form; a form that the analyser does not know stays as it is."""
    analysis = _ANALYSIS.search(output)
    parts = list(_PART.finditer(analysis[1])) if analysis else []
    if not parts:
        return Token(form)
    # Lemmas have escapes, and a plus that joins them to the part before.
    lemmas = [_ESCAPED.sub(r"\1", part["lemma"].removeprefix("+")) for part in parts]
    tags = [_TAG.findall(part["tags"]) for part in parts]
    cases = [lemma for lemma, part_tags in zip(lemmas, tags, strict=True) if "post" in part_tags]
    return Token(form, lemma=lemmas[0], pos=tags[0][0], case=cases[-1] if cases else "")
