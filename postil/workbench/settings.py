"""The settings of the workbench: which database, where it listens, for whom, and its limits."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from postil.data.folders import data_folder

# Megabytes; with all models loaded, a process that judges has 450 to 600, with the careful reader up to 800.
MEMORY = 1536
_FILE = "workbench.db"


def default_database(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Where the workbench keeps its file by default: the user's own data folder."""
    return data_folder(platform, environment) / _FILE


@dataclass(frozen=True, slots=True)
class Settings:
    """How the workbench runs.

    The database is a file, or the address of a PostgreSQL database. `local` is for one person on this
    computer, without accounts. `address` is what people type into their browsers, if that is not the port on
    this computer: behind a proxy with TLS it begins with https. The limits are those of one upload, and of
    how much one person, or one address from which nobody is logged in, may ask for; from one address
    may come `login_per_minute` logins. `monitor` names the networks from which metrics may be read; where it
    is empty, only this computer may. `memory` is for each process that judges, in megabytes; 0 means without
    limit.
    """

    database: Path | str = field(default_factory=default_database)
    host: str = "127.0.0.1"
    port: int = 8400
    local: bool = True
    address: str = ""
    most_bytes: int = 25 * 1024 * 1024
    most_answers: int = 20_000
    person_per_minute: int = 600
    stranger_per_minute: int = 240  # a whole school may come from one address
    login_per_minute: int = 120
    monitor: str = ""
    memory: int = MEMORY
