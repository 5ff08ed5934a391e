"""What people copy to run Postil fits together: Containerfile, compose.yaml, deploy/ and the guide."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
from pathlib import Path

import pytest
import typer.main
import yaml

from postil import __version__
from postil.cli.main import app

ROOT = Path(__file__).resolve().parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
OURS = ("web", "worker")
BESIDE = 400  # megabytes of a container that the process that judges leaves to the one that started it
OPERATIONS = (ROOT / "docs" / "operators" / "operations.md").read_text()
_DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")  # ${NAME:-what it is without}


def _steps() -> list[tuple[str, str]]:
    """The steps of the Containerfile: the instruction, and what it is about."""
    text = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines()]
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]


def _last(instruction: str) -> str:
    """What the last such step says: it is the one that counts in the image."""
    return [about for name, about in _steps() if name == instruction][-1]


def _demand_command(arguments: list[str]) -> None:
    """Fail if `postil` would not understand these; nothing is run."""
    group = typer.main.get_command(app)
    context = group.make_context("postil", list(arguments), resilient_parsing=True)
    command, rest = group, [*context._protected_args, *context.args]
    while hasattr(command, "commands"):
        name, *rest = rest
        command = command.commands[name]
    command.make_context(name, rest, parent=context, resilient_parsing=False)


def _postil_commands(text: str) -> list[str]:
    """The `postil` commands that a document shows, as somebody types them."""
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
    typed = [line[2:] for block in blocks for line in block.splitlines() if line.startswith(("$ ", "# "))]
    return [found[1] for line in typed if (found := re.search(r"(?:^|exec web )(postil .*?)( >| &|$)", line))]


def test_the_image_is_built_from_what_exists_and_from_what_is_not_kept_out():
    ignored = (ROOT / ".containerignore").read_text()
    let_in = {line[1:] for line in ignored.splitlines() if line.startswith("!")}
    copied = set()
    for instruction, about in _steps():
        if instruction == "COPY" and not about.startswith("--from"):
            copied |= set(about.split()[:-1])
    assert "*" in ignored.splitlines()
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)
    assert (ROOT / ".dockerignore").read_text() == ignored


def test_the_image_runs_as_a_user_with_a_number_and_starts_postil_without_a_shell():
    user, group = _last("USER").split(":")
    assert int(user) >= 1000
    assert int(group) >= 1000
    assert _last("ENTRYPOINT") == '["postil"]'
    assert _last("STOPSIGNAL") == "SIGTERM"


def test_the_image_has_two_stages_of_one_base_whose_version_is_named():
    bases = [about for name, about in _steps() if name == "FROM"]
    (base,) = [about for name, about in _steps() if name == "ARG" and about.startswith("PYTHON=")]
    assert bases == ["${PYTHON} AS build", "${PYTHON}"]
    assert re.fullmatch(r"PYTHON=docker\.io/library/python:3\.\d+-slim-\w+", base)


def test_libraries_in_the_image_do_not_report_to_their_makers():
    settings = " ".join(about for name, about in _steps() if name == "ENV").split()
    assert "ORT_DISABLE_TELEMETRY=1" in settings
    assert "RAY_USAGE_STATS_ENABLED=0" in settings


@pytest.mark.parametrize("name", OURS)
def test_what_compose_starts_are_commands_of_postil(name):
    command = [_DEFAULT.sub(r"\1", argument) for argument in SERVICES[name]["command"]]
    assert not any("$" in argument for argument in command)
    _demand_command(command)
    with pytest.raises(Exception, match="--no-such-option"):
        _demand_command([*command, "--no-such-option"])


def test_compose_starts_this_version_with_two_workers_that_are_no_web_process():
    assert all(SERVICES[name]["image"] == f"postil:{__version__}" for name in OURS)
    assert _DEFAULT.sub(r"\1", SERVICES["worker"]["deploy"]["replicas"]) == "2"
    assert "--no-worker" in SERVICES["web"]["command"]
    assert "ports" not in SERVICES["worker"]


@pytest.mark.parametrize("name", OURS)
def test_the_process_that_judges_reaches_its_limit_before_the_container_does(name):
    gigabytes = re.fullmatch(r"(\d+)g", SERVICES[name]["deploy"]["resources"]["limits"]["memory"])
    judging = int(SERVICES[name]["environment"]["POSTIL_MEMORY"])
    assert judging + BESIDE <= 1024 * int(gigabytes[1])
    assert f"at most {judging:,} MB (`POSTIL_MEMORY`" in " ".join(OPERATIONS.split())


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_can_do_more_than_it_needs(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
    assert service["restart"] == "unless-stopped"
    assert service["deploy"]["resources"]["limits"]["memory"]
    assert "privileged" not in service


def test_only_the_proxy_that_one_asks_for_is_open_to_the_network():
    for name, service in SERVICES.items():
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:") or service.get("profiles"), name
    assert SERVICES["proxy"]["profiles"] == ["tls"]
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert SERVICES["db"]["networks"] == SERVICES["worker"]["networks"] == ["back"]


def test_the_password_is_nowhere_but_in_files_that_git_does_not_keep():
    text = (ROOT / "compose.yaml").read_text()
    assert not re.search(r"PASSWORD:|://\w+:[^@/]+@", text)
    files = [Path(secret["file"]) for secret in COMPOSE["secrets"].values()]
    assert {file.parent for file in files} == {Path("deploy/secrets")}
    assert "secrets/" in (ROOT / "deploy" / ".gitignore").read_text().splitlines()
    for service in SERVICES.values():
        for secret in service.get("secrets", []):
            assert f"/run/secrets/{secret}" in service["environment"].values()


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_a_new_password_is_the_same_in_both_files_and_is_made_once(tmp_path):
    script = tmp_path / "new-password"
    script.write_bytes((ROOT / "deploy" / "new-password").read_bytes())
    made = subprocess.run(["sh", script], capture_output=True, text=True, check=True)
    folder = tmp_path / "secrets"
    password = (folder / "password").read_text().strip()
    assert re.fullmatch(r"[0-9a-f]{48}", password)
    assert (folder / "service.conf").read_text() == f"[postil]\npassword={password}\n"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert made.stdout == ""
    assert {path.name for path in folder.iterdir()} == {
        Path(s["file"]).name for s in COMPOSE["secrets"].values()
    }
    again = subprocess.run(["sh", script], capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert (folder / "password").read_text().strip() == password


def test_everything_that_compose_names_is_there():
    volumes = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    files = {name for name in volumes if name.startswith(".")}
    assert volumes - files == set(COMPOSE["volumes"])
    assert all((ROOT / name).exists() for name in files)
    assert {name for service in SERVICES.values() for name in service["networks"]} == set(COMPOSE["networks"])
    assert "name web\n" in (ROOT / "deploy" / "Caddyfile").read_text()


@pytest.mark.parametrize("command", dict.fromkeys(_postil_commands(OPERATIONS)))
def test_commands_in_the_documentation_are_commands_of_postil(command):
    _demand_command(shlex.split(command)[1:])


def test_files_that_the_documentation_names_are_there():
    named = set(re.findall(r"\bdeploy/[\w.-]+", OPERATIONS)) - {"deploy/secrets"}
    assert named >= {"deploy/new-password", "deploy/Caddyfile", "deploy/nginx.conf"}
    assert all((ROOT / name).exists() for name in named)
