"""The readers side by side: what each is, what it needs, and what of that is missing here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec

from postil.errors import PostilError
from postil.language.expert import Asking, expert_companion
from postil.language.model_files import ModelFile
from postil.language.network import CAREFUL, CASCADE, EXPERT, QUICK, SERVER, THOROUGH, companion
from postil.language.server import Connection

RUNTIME = "llama_cpp"
_ANY_MODEL = "any language model, asked over your own network"


@dataclass(frozen=True, slots=True)
class Description:
    """A reader in words; `missing` is empty where it can be used."""

    name: str
    what: str
    needs: str
    missing: str

    def to_dict(self) -> Mapping[str, str]:
        """The description as JSON has it."""
        return asdict(self)


def descriptions() -> list[Description]:
    """All readers, the smallest first."""
    careful = "" if companion() else "the package postil-careful (make wheel builds it)"
    return [
        Description(QUICK, "the small network that ships with Postil", "nothing more", ""),
        Description(CAREFUL, "a network five times the size", "the package postil-careful", careful),
        Description(
            CASCADE, "the careful one reads only what the quick one is unsure of",
            "the package postil-careful", careful,
        ),
        Description(
            EXPERT, "a language model of 1.5 billion weights with Postil's adapter",
            "the packages postil-expert and llama-cpp-python, a file of 1.1 GB, 2 GB of memory",
            "; ".join(missing_of_expert()),
        ),
        Description(
            THOROUGH, "the cascade, and the expert one reads only what the careful one is unsure of",
            "what the careful and the expert one need",
            "; ".join(filter(None, [careful, *missing_of_expert()])),
        ),
        _server(),
    ]  # fmt: skip


def _server() -> Description:
    connection = Connection.known()
    if connection is None:
        missing = "a server, and a person who connects it (postil readers connect URL)"
        return Description(SERVER, _ANY_MODEL, "a server of your own network that runs one", missing)
    return Description(SERVER, f"{_ANY_MODEL}: {connection.model}", f"the server at {connection.address}", "")


def missing_of_expert() -> list[str]:
    """What the expert reader still needs here, with the way to get it."""
    missing = []
    if find_spec(RUNTIME) is None:
        missing.append("the package llama-cpp-python (pip install llama-cpp-python)")
    if expert_companion() is None:
        return ["the package postil-expert (make wheel builds it)", *missing]
    try:
        expert_model().demanded()
    except PostilError as error:
        missing.append(f"its model. {error.hint}")
    return missing


def expert_model() -> ModelFile:
    """The file of the expert reader's model."""
    folder = expert_companion()
    if folder is None:
        raise PostilError(
            "the expert reader needs the package postil-expert, which is not installed.",
            hint="Install its wheel: make wheel builds it.",
        )
    return ModelFile(EXPERT, Asking.read(folder).model)


def demand_expert() -> None:
    """Refuse to use the expert reader where something is missing."""
    missing = missing_of_expert()
    if missing:
        raise PostilError(f"the expert reader needs {missing[0]}", hint="See what each needs: postil readers")
