"""Build postil/resources/passwords: the passwords, words and names that are guessed first, from two packages' lists.

    pip download --no-deps zxcvbn==4.5.0 django==5.2.19
    python training/passwords.py --wheels . --out postil/resources/passwords

Reads nothing but the two wheels, imports nothing from them, and always writes the same bytes.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import json
import re
from pathlib import Path
from unicodedata import combining, normalize
from zipfile import ZipFile

VERSION = "1.0.0"
ZXCVBN, DJANGO = "zxcvbn-4.5.0-py2.py3-none-any.whl", "django-5.2.19-py3-none-any.whl"
HASHES = {
    ZXCVBN: "2b6eed621612ce6d65e6e4c7455b966acee87d0280e257956b1f06ccc66bd5ff",
    DJANGO: "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00",
}
SOURCES = (
    (
        "zxcvbn 4.5.0 (PyPI; github.com/dwolfhub/zxcvbn-python, after github.com/dropbox/zxcvbn)",
        "MIT",
        "30,000 common passwords; English words from Wikipedia and from television and film; names from the US census",
    ),
    (
        "Django 5.2.19 (PyPI; django/contrib/auth/common-passwords.txt.gz)",
        "BSD-3-Clause",
        "20,000 common passwords",
    ),
)
SHORTEST, SHORTEST_WHOLE = 4, 10  # letters without digits around them; a password as Postil takes it
WHOSE = "zxcvbn: MIT licence\n\nCopyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.\n"


def open_wheel(folder: Path, name: str) -> ZipFile:
    content = (folder / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != HASHES[name]:
        raise SystemExit(f"{name} is not the wheel that this was written for")
    return ZipFile(folder / name)


def read_words(folder: Path) -> list[str]:
    """Everything in the lists of both packages."""
    with open_wheel(folder, ZXCVBN) as archive:
        tree = ast.parse(archive.read("zxcvbn/frequency_lists.py"))
    (table,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    # Each value is a string, and the call that splits it at commas.
    words = [word for call in table.values for word in call.func.value.value.split(",")]
    with open_wheel(folder, DJANGO) as archive:
        text = gzip.decompress(archive.read("django/contrib/auth/common-passwords.txt.gz")).decode()
    return words + text.split()


def read_licences(folder: Path) -> str:
    """The licences as the wheels have them, with the line of those who made zxcvbn's lists."""
    texts = []
    for name, file in ((ZXCVBN, "LICENSE.txt"), (DJANGO, "LICENSE")):
        with open_wheel(folder, name) as archive:
            (path,) = (
                path for path in archive.namelist() if ".dist-info/" in path and path.endswith(f"/{file}")
            )
            texts.append(archive.read(path).decode().strip())
    mit = texts[0][texts[0].index("Copyright") :]
    return f"{WHOSE}{mit}\n\n\nDjango: BSD licence\n\n{texts[1]}\n"


def forms(word: str) -> set[str]:
    """How a word is looked up: only letters and digits, without those digits around it, and with them if it is long."""
    plain = "".join(sign for sign in normalize("NFKD", word.casefold()) if not combining(sign))
    whole = re.sub(r"[\W_]+", "", plain)
    core = whole.strip("0123456789")
    found = {core} if len(core) >= SHORTEST else set()
    return found | {whole} if len(whole) >= SHORTEST_WHOLE else found


def card_text(card: dict) -> str:
    return "\n".join(
        [
            f"# passwords {card['version']}: what is guessed first",
            "",
            f"{card['figures']['entries']:,} common passwords, English words and names, in lower case, without digits and "
            "signs around them. A new password that is one of these, with digits or signs or "
            "without, is refused. Built by `training/passwords.py`; read by `postil.workbench.store.passwords`.",
            "",
            f"Size {card['size_bytes'] / 1e6:.1f} MB. Licence MIT and BSD-3-Clause (`LICENCE.txt`).",
            "",
            "| source | licence | used for |",
            "| --- | --- | --- |",
            *(f"| {' | '.join(source)} |" for source in card["sources"]),
            "",
            "Limits: the words and names are English and American; many of the passwords are rude.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wheels", type=Path, required=True, help="the folder with the two wheels")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    entries = sorted({form for word in read_words(arguments.wheels) for form in forms(word)})
    text = "\n".join(["", *entries, ""])  # so that each entry has a line's end on either side
    (out / "common.txt.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    (out / "LICENCE.txt").write_text(read_licences(arguments.wheels), encoding="utf-8")
    files = {file.name: file.read_bytes() for file in sorted(out.iterdir()) if file.suffix in (".gz", ".txt")}
    card = {
        "name": "passwords",
        "version": VERSION,
        "licence": "MIT and BSD-3-Clause (LICENCE.txt)",
        "size_bytes": sum(map(len, files.values())),
        "figures": {"entries": len(entries)},
        "sources": [list(source) for source in SOURCES],
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    from card import wrapped  # brings in spaCy, which reading the lists does not need

    (out / "CARD.md").write_text(wrapped(card_text(card)), encoding="utf-8")
    print(json.dumps(card["figures"]))


if __name__ == "__main__":
    main()
