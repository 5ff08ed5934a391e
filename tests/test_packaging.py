"""What pyproject.toml promises the build: the paths it names exist, and the version is the package's own."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import postil

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HATCH = PROJECT["tool"]["hatch"]
# The rule by which hatch finds a version when none is configured.
VERSION = re.compile(r"""^(?:__version__|VERSION)(?: ?: ?str)? *= *(["'])v?(?P<version>.+?)\1""", re.M | re.I)


def test_every_path_named_in_pyproject_exists() -> None:
    paths = [HATCH["version"]["path"], PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]]
    for target in (HATCH["build"], *HATCH["build"]["targets"].values()):
        paths += [*target.get("packages", ()), *target.get("include", ()), *target.get("force-include", ())]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_hatch_finds_the_version_of_the_package() -> None:
    match = VERSION.search((ROOT / HATCH["version"]["path"]).read_text(encoding="utf-8"))
    assert match is not None
    assert match["version"] == postil.__version__


def test_the_command_is_an_existing_function() -> None:
    module, _, function = PROJECT["project"]["scripts"]["postil"].partition(":")
    assert callable(getattr(import_module(module), function))
