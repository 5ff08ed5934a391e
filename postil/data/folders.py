"""Where a person's own files are by default: the folders that each system has for data and for settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def data_folder(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Where Postil keeps what this user has made or downloaded."""
    return _user_folder(platform, environment, "XDG_DATA_HOME", Path(".local", "share"))


def config_folder(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Where Postil keeps what this user has chosen."""
    return _user_folder(platform, environment, "XDG_CONFIG_HOME", Path(".config"))


def _user_folder(platform: str, environment: Mapping[str, str], variable: str, usual: Path) -> Path:
    home = Path.home()
    if platform == "win32":
        return _named(environment.get("LOCALAPPDATA"), home / "AppData" / "Local") / "Postil"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "Postil"
    return _named(environment.get(variable), home / usual) / "postil"


def _named(folder: str | None, otherwise: Path) -> Path:
    """The folder that the environment names; a relative one depends on the current folder, and is ignored."""
    return Path(folder) if folder and Path(folder).is_absolute() else otherwise
