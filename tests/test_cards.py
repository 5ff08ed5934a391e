"""Everything that ships is what its card says: every file with its hash, no larger than promised."""

import hashlib
import json
from importlib.resources import files
from pathlib import Path

import pytest

RESOURCES = Path(str(files("postil.resources")))
PACKAGES = Path(__file__).parents[1] / "packages"
CAREFUL = PACKAGES / "careful" / "postil_careful"
EXPERT = PACKAGES / "expert" / "postil_expert"
# The most that each may have, in bytes.
LIMITS = {
    "aligner": 3_000_000,
    "encoder": 45_000_000,
    "entailment": 200_000,
    "grader": 200_000,
    "passwords": 400_000,
    "pipeline": 25_000_000,
    "roles": 5_000_000,
    "spaces": 12_000_000,
    "verbs": 3_000_000,
    "walks": 2_000_000,
    "wordnet": 20_000_000,
}


def test_every_card_is_looked_at() -> None:
    assert {path.parent.name for path in RESOURCES.glob("*/card.json")} == set(LIMITS)


@pytest.mark.parametrize(
    "folder", [*(RESOURCES / name for name in LIMITS), CAREFUL, EXPERT], ids=lambda path: path.name
)
def test_every_file_has_the_hash_on_the_card(folder: Path) -> None:
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    found = {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and file.suffix not in (".py", ".pyc") and file.name not in ("card.json", "CARD.md")
    }
    assert found == card["files"]
    assert card["licence"]
    assert card["sources"]
    assert (folder / "CARD.md").read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", LIMITS)
def test_size(name: str) -> None:
    sizes = [file.stat().st_size for file in (RESOURCES / name).rglob("*") if file.is_file()]
    assert 0 < sum(sizes) < LIMITS[name]


@pytest.mark.parametrize(("folder", "limit"), [(CAREFUL, 125_000_000), (EXPERT, 40_000_000)])
def test_size_of_the_companions(folder: Path, limit: int) -> None:
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    assert max(sizes) <= 45_000_000  # what hosts of repositories take
    assert sum(sizes) < limit


def test_no_pickle_ships() -> None:
    shipped = [*RESOURCES.rglob("*"), *PACKAGES.rglob("*")]
    assert not [file for file in shipped if file.suffix in (".pkl", ".pickle", ".joblib")]
