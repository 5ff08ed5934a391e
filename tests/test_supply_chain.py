"""What Postil is made of is known: the lock is complete and in use, and so are the bills of materials."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from postil import __version__

ROOT = Path(__file__).resolve().parents[1]
LOCK = (ROOT / "deploy" / "constraints.txt").read_text(encoding="utf-8")
DEPLOYED = ("serve", "tables", "cluster")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


sbom = _load(ROOT / "deploy" / "sbom.py")


def _locked(environment: dict[str, str]) -> dict[str, str]:
    """The locked version of every library, on such a system."""
    packages = [p for p in sbom.locked_packages() if not p.marker or Marker(p.marker).evaluate(environment)]
    versions = {package.name: package.version for package in packages}
    assert len(versions) == len(packages), "two versions for one system"
    return versions


def _requirements(name: str) -> list[Requirement]:
    """What an installed library needs on this system, without its extras."""
    requirements = [Requirement(line) for line in distribution(name).requires or ()]
    return [r for r in requirements if not r.marker or r.marker.evaluate({"extra": ""})]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_every_library_that_is_deployed_is_locked_in_a_version_that_postil_accepts(python):
    environment = default_environment() | {"python_version": python, "python_full_version": f"{python}.0"}
    versions = _locked(environment)
    project = sbom.tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [line for extra in DEPLOYED for line in project["optional-dependencies"][extra]]
    for requirement in map(Requirement, [*project["dependencies"], *lines]):
        if requirement.name != "postil":
            assert versions[canonicalize_name(requirement.name)] in requirement.specifier, requirement.name
    assert sbom.direct_names(DEPLOYED) == sbom.direct_names(sbom.EXTRAS) <= versions.keys()


def test_the_lock_has_a_hash_and_a_reason_for_every_library_and_names_no_server():
    packages = sbom.locked_packages()
    entries = re.findall(r"^[^\s#].*==.*$", LOCK, re.M)
    assert len(packages) == len(entries) > 80
    names = {package.name for package in packages} | {"postil"}
    assert all(package.parents and package.parents <= names for package in packages)
    hashed = re.findall(r"^\S+==.* \\\n    --hash=sha256:[0-9a-f]{64}\b", LOCK, re.M)
    assert len(hashed) == len(packages)
    assert "://" not in LOCK


def test_the_lock_is_complete():
    """What a locked library needs is locked as well, in a version that it accepts."""
    versions = _locked(default_environment())
    for name in versions:
        try:
            requirements = _requirements(name)
        except PackageNotFoundError:  # needed by other extras of a library than those in use
            continue
        for requirement in requirements:
            assert versions[canonicalize_name(requirement.name)] in requirement.specifier, (name, requirement)


def test_these_tests_run_with_the_locked_versions():
    versions = _locked(default_environment())
    different = {
        name: (version(name), versions[name])
        for name in sbom.direct_names(DEPLOYED)
        if version(name) != versions[name]
    }
    assert different == {}, (
        "installed and locked versions differ: remove .venv/.installed-dev and run make test"
    )


def test_pip_is_new_enough_to_check_hashes_wherever_it_installs():
    (makefile,) = re.findall(r"^INSTALLERS := '(.*?)' '(.*?)'$", (ROOT / "Makefile").read_text(), re.M)
    (image,) = re.findall(r"pip install --upgrade '(.*?)'", (ROOT / "Containerfile").read_text())
    assert makefile[0] == image == "pip>=26.3"
    for requirement in map(Requirement, makefile):
        assert version(requirement.name) in requirement.specifier, "run make: .venv has an old installer"
    recipes = (ROOT / "Makefile").read_text() + (ROOT / "Containerfile").read_text()
    assert recipes.count("--no-require-hashes") == recipes.count("--constraint ") == 2


@pytest.mark.parametrize("tampered", [False, True])
def test_a_library_with_another_hash_than_the_locked_one_is_not_installed(tmp_path, tampered):
    wheel = tmp_path / "leaf-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("leaf.py", "")
        archive.writestr("leaf-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: leaf\nVersion: 1.0\n")
        archive.writestr(
            "leaf-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("leaf-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256(b"other" if tampered else wheel.read_bytes()).hexdigest()
    lock = tmp_path / "lock.txt"
    lock.write_text(f"leaf==1.0 --hash=sha256:{digest}\n")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--isolated",
        "--disable-pip-version-check",
        "--dry-run",
    ]
    command += ["--no-index", "--find-links", tmp_path, "--no-require-hashes", "--constraint", lock, "leaf"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == int(tampered), done.stderr
    assert ("DO NOT MATCH THE HASHES" in done.stderr) == tampered


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The package as a wheel holds it."""
    path = tmp_path_factory.mktemp("dist") / f"postil-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted((ROOT / "postil").rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(ROOT).as_posix())
    return path


@pytest.fixture(scope="module")
def bills(wheel) -> dict[str, dict[str, Any]]:
    return {"wheel": sbom.bill_of_wheel(wheel), "image": sbom.bill_of_image(wheel)}


@pytest.mark.parametrize("name", ["wheel", "image"])
def test_a_bill_is_valid_cyclonedx(bills, name):
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(bills[name])) is None
    broken = copy.deepcopy(bills[name])
    broken["components"][0]["type"] = "thing"
    assert validator.validate_str(json.dumps(broken)) is not None


@pytest.mark.parametrize("name", ["wheel", "image"])
def test_a_bill_names_every_resource_with_its_licence_and_the_hash_of_every_file(bills, name):
    components = {component["bom-ref"]: component for component in bills[name]["components"]}
    folders = [path for path in (ROOT / "postil" / "resources").iterdir() if path.is_dir()]
    for folder in (path for path in folders if path.name != "__pycache__"):
        component = components[folder.relative_to(ROOT).as_posix()]
        hashes = {file["name"]: file["hashes"][0]["content"] for file in component["components"]}
        for file in (path for path in folder.rglob("*") if path.is_file()):
            assert hashes[file.relative_to(ROOT).as_posix()] == hashlib.sha256(file.read_bytes()).hexdigest()
        card = folder / "card.json"
        licence = json.loads(card.read_text())["licence"] if card.exists() else "Apache-2.0"
        (named,) = component["licenses"]
        assert licence in (
            named["license"].get("name"),
            named["license"].get("id", "").replace("CC-BY-SA-", "CC BY-SA "),
        )
    (htmx,) = (component for component in components.values() if component["name"] == "htmx.org")
    assert re.fullmatch(r"\d+\.\d+\.\d+", htmx["version"])


def test_the_wheels_bill_names_every_locked_library_and_the_wheels_hash(bills, wheel):
    purls = {component.get("purl") for component in bills["wheel"]["components"]}
    assert {package.purl for package in sbom.locked_packages()} <= purls
    (digest,) = bills["wheel"]["metadata"]["component"]["hashes"]
    assert digest["content"] == hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_the_careful_reader_is_in_the_images_bill(bills):
    (careful,) = (c for c in bills["image"]["components"] if c["bom-ref"].endswith("postil_careful"))
    hashes = {file["name"]: file["hashes"][0]["content"] for file in careful["components"]}
    folder = ROOT / "packages" / "careful" / "postil_careful"
    network = hashlib.sha256((folder / "pairs.onnx").read_bytes()).hexdigest()
    assert hashes["packages/careful/postil_careful/pairs.onnx"] == network
    assert careful["bom-ref"] in bills["image"]["dependencies"][0]["dependsOn"]


def test_the_images_bill_names_its_libraries_in_one_version_and_its_base(bills):
    bill = bills["image"]
    names = [c["name"] for c in bill["components"] if c.get("purl", "").startswith("pkg:pypi/")]
    assert len(names) == len(set(names))
    assert sbom.direct_names(["serve", "tables"]) <= set(names)
    assert not {"ray", "colorama"} & set(names)  # for a cluster, and for Windows
    base = next(component for component in bill["components"] if component["type"] == "container")
    assert f"ARG PYTHON={base['name']}:{base['version']}\n" in (ROOT / "Containerfile").read_text()
    assert bill["compositions"] == [{"aggregate": "incomplete", "assemblies": [base["bom-ref"]]}]


@pytest.mark.parametrize("name", ["wheel", "image"])
def test_every_library_in_a_bill_is_needed_by_something_in_it(bills, name):
    bill = bills[name]
    refs = {component["bom-ref"] for component in bill["components"]}
    needed = {ref for entry in bill["dependencies"] for ref in entry["dependsOn"]}
    libraries = {ref for ref in refs if ref.startswith("pkg:pypi/")}
    assert libraries <= needed <= refs


def test_most_libraries_have_the_licence_that_they_name_themselves(bills):
    libraries = [c for c in bills["wheel"]["components"] if c.get("purl", "").startswith("pkg:pypi/")]
    licences = {library["name"]: library["licenses"] for library in libraries if "licenses" in library}
    assert licences["fastapi"] == [{"expression": "MIT"}]
    assert len(licences) > 0.9 * len(libraries)


def test_a_file_that_is_not_the_one_on_its_card_stops_the_bill(tmp_path, wheel):
    changed = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            if name.startswith("postil/resources/grader/") or name == sbom.HTMX:
                target.writestr(name, source.read(name) + (b" " if name.endswith("stack.json") else b""))
    with pytest.raises(SystemExit, match=r"stack\.json is not the file on its card"):
        list(sbom.bundled(changed))


def test_the_same_wheel_has_the_same_bill(wheel, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    assert sbom.bill_of_wheel(wheel) == sbom.bill_of_wheel(wheel)
    assert sbom.bill_of_wheel(wheel)["metadata"]["timestamp"] == "2027-01-15T08:00:00Z"
