"""Connects to a Ray cluster, or makes one on this computer, and asks its nodes whether they judge alike."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from postil import __version__
from postil.batch.manifests import model_signature
from postil.errors import MissingDataError, PostilError

_STORE = 100_000_000  # bytes of shared memory on a cluster of our own: next to nothing goes through it
_PATIENCE = 120.0  # seconds in which every node must have answered
_SAME = "Every node needs the same Python, Ray, Postil and model as the computer that gives the work."


@contextmanager
def connected(address: str | None, workers: int | None, model: str | None) -> Iterator[Any]:
    """Ray, connected to a cluster that judges as this computer does.

    A cluster that was made here ends here, any other is only left; and a connection that the program which
    calls has made itself stays.
    """
    ray = _import()
    if ray.is_initialized():
        check_nodes(ray, model)
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    own: dict[str, Any] = {}
    if address is None:
        cores = max(workers or 0, os.cpu_count() or 1)
        own = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": _STORE}
    try:
        _demand_listener(address)
        with _hushed():
            ray.init(address or "local", **own, **quiet)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        raise _unreachable(address, error) from error
    try:
        if address is not None:
            check_nodes(ray, model)
        yield ray
    finally:
        ray.shutdown()


def _demand_listener(address: str | None) -> None:
    """Fail where nobody listens at a host and port: Ray itself would ask for many minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except OSError as error:
            raise ConnectionError from error


def _import() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    # What Ray's processes have to say goes into its own files, not between the lines of a command.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise MissingDataError(
            f"the engine ray needs packages that are not installed ({error.name}).",
            hint="Install them with: pip install 'postil[cluster]'",
        ) from error
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    return ray


@contextmanager
def _hushed() -> Iterator[None]:
    """Inside, nothing is written to the error stream: Ray's core tells there which settings it has read."""
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _unreachable(address: str | None, error: Exception) -> PostilError:
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    if address is None:
        return PostilError(f"Ray could not be started on this computer: {said}")
    if isinstance(error, ConnectionError):
        hint = "Start one with `ray start --head`. One with a token needs RAY_AUTH_MODE=token here, too."
        return PostilError(f"there is no Ray cluster at {address!r}.", hint=hint)
    return PostilError(f"the Ray cluster at {address!r} cannot be used: {said}")


def check_nodes(ray: Any, model: str | None) -> None:
    """Refuse a cluster of which a node has another Postil or another model than this computer, or none."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # Defined here so that Ray sends it as it is: a node without Postil can run it, too.
    def equipment() -> tuple[str, str]:
        try:
            from postil import __version__ as version
            from postil.batch import manifests
        except ImportError:
            return "", ""
        try:
            return version, manifests.model_signature(model)
        except OSError:
            return version, ""

    ask = ray.remote(num_cpus=0, max_retries=0)(equipment)
    asked = {}
    for node in ray.nodes():
        if node["Alive"]:
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked[ask.options(scheduling_strategy=there).remote()] = node["NodeManagerAddress"]
    ready, late = ray.wait(list(asked), num_returns=len(asked), timeout=_PATIENCE)
    if late:
        raise PostilError(f"the cluster's node {asked[late[0]]} does not answer.", hint=_SAME)
    try:
        found = {asked[one]: ray.get(one) for one in ready}
    except ray.exceptions.RayError as error:
        why = f"a node of the cluster cannot run Postil ({type(error).__name__})."
        raise PostilError(why, hint=_SAME) from error
    compare_nodes(found, (__version__, model_signature(model)))


def compare_nodes(found: Mapping[str, tuple[str, str]], here: tuple[str, str]) -> None:
    """Refuse a node whose version or model is not the one of this computer."""
    for address, there in found.items():
        if there == here:
            continue
        version, model = there
        if not version:
            has = "has no Postil with the extra `cluster`"
        elif version != here[0]:
            has = f"has Postil {version}, and this computer {here[0]}"
        else:
            has = "has another model than this computer" if model else "has no model at that place"
        raise PostilError(f"the cluster's node {address} {has}.", hint=_SAME)
