"""List what is in the wheel and in the image, as CycloneDX 1.6: a software bill of materials (SBOM) for each.

    python deploy/sbom.py dist        (make sbom builds the wheel first)

Reads the wheel in the folder and writes two files beside it. Both name the models and data that the wheel
brings, with the licence and the hashes on their cards, and the libraries in deploy/constraints.txt. The
wheel's has every locked version, because the wheel runs on many systems. The image's has the base image,
and those that the Containerfile installs, the careful reader among them; a library that only other systems
need may be among them. The Debian packages of the base image are not listed: only whoever builds the image
knows them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import tomllib
import uuid
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
RESOURCES = "postil/resources/"
CAREFUL = ROOT / "packages" / "careful" / "postil_careful"  # is in the image as well
HTMX = "postil/workbench/pages/static/htmx.min.js"
# Tables and lists; all other resources were learned.
DATA = {"demo", "published", "verbs", "walks", "wordnet", "words"}
SPDX = {"CC BY-SA 4.0": "CC-BY-SA-4.0"}  # where a card names a licence otherwise
EXTRAS = ("serve", "cluster")  # those in the lock
Component = dict[str, Any]


@dataclass(frozen=True)
class Package:
    """A library in the lock."""

    name: str
    version: str
    marker: str  # the systems that get it; empty for all
    parents: frozenset[str]  # the packages that need it

    @property
    def purl(self) -> str:
        """Its name for programs, as in pkg:pypi/numpy@2.4.6."""
        return f"pkg:pypi/{self.name}@{self.version}"


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the wheel is, and the files go")
    folder = parser.parse_args().folder
    version = re.search(r'__version__ = "(.+)"', (ROOT / "postil" / "__init__.py").read_text("utf-8"))
    wheel = folder / f"postil-{version[1] if version else ''}-py3-none-any.whl"
    if not wheel.exists():
        raise SystemExit(f"{wheel} does not exist: run make wheel")
    for name, bill in (("wheel", bill_of_wheel(wheel)), ("image", bill_of_image(wheel))):
        path = folder / f"{wheel.name.removesuffix('-py3-none-any.whl')}-{name}.cdx.json"
        path.write_text(json.dumps(bill, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path}: {len(bill['components'])} components")  # noqa: T201


def bill_of_wheel(wheel: Path) -> dict[str, Any]:
    """The wheel: what is inside, and every locked version of what it needs."""
    project = _project(wheel)
    project["hashes"] = [_hash(hashlib.sha256(wheel.read_bytes()).hexdigest())]
    packages = locked_packages()
    components = [*bundled(wheel), *(_library(package) for package in packages)]
    return _bill(project, components, _dependencies(project, packages, direct_names(EXTRAS)))


def bill_of_image(wheel: Path) -> dict[str, Any]:
    """The image: what is in the wheel, the libraries installed beside it, and the image it is built on."""
    steps = (ROOT / "Containerfile").read_text("utf-8")
    base, extras = (_argument(steps, name) for name in ("PYTHON", "EXTRAS"))
    direct = direct_names(extras.split(","))
    packages = needed_packages(locked_packages(), direct, _environment(base))
    project = _project(wheel) | {"type": "container", "name": "postil (image)"}
    project["bom-ref"] = f"image:postil@{project['version']}"
    del project["purl"]
    name, _, tag = base.partition(":")
    below = {"type": "container", "bom-ref": f"image:{base}", "name": name, "version": tag}
    below["description"] = "The base image. Its Debian packages are not listed here."
    components = [below, *bundled(wheel), _companion(), *(_library(package) for package in packages)]
    dependencies = _dependencies(project, packages, direct)
    dependencies[0]["dependsOn"] += [below["bom-ref"], _companion()["bom-ref"]]
    bill = _bill(project, components, dependencies)
    bill["compositions"] = [{"aggregate": "incomplete", "assemblies": [below["bom-ref"]]}]
    return bill


def locked_packages() -> list[Package]:
    """The libraries in deploy/constraints.txt, as `make lock` writes it."""
    packages = []
    text = (ROOT / "deploy" / "constraints.txt").read_text("utf-8")
    for entry in re.split(r"\n(?=[a-z0-9])", text):
        head = re.match(r"([a-z0-9.-]+)==(\S+)(?: ; ([^\\]+))? \\$", entry, re.M)
        if head is None:
            continue
        reason = re.search(r"# via (.+)", entry)
        parents = reason[1].replace(" (pyproject.toml)", "").split(", ") if reason else ()
        packages.append(Package(head[1], head[2], (head[3] or "").strip(), frozenset(parents)))
    return packages


def direct_names(extras: Iterable[str]) -> set[str]:
    """The libraries that pyproject.toml itself asks for, with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names, waiting = set(), [*project["dependencies"]]
    for extra in extras:
        waiting += project["optional-dependencies"][extra]
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.name == "postil":
            waiting += [
                line for extra in requirement.extras for line in project["optional-dependencies"][extra]
            ]
        else:
            names.add(canonicalize_name(requirement.name))
    return names


def needed_packages(packages: list[Package], direct: set[str], environment: dict[str, str]) -> list[Package]:
    """The packages that a system with these direct ones gets."""
    here = [
        package for package in packages if not package.marker or Marker(package.marker).evaluate(environment)
    ]
    names, size = set(direct), 0
    while len(names) > size:
        size = len(names)
        names |= {package.name for package in here if package.parents & names}
    return [package for package in here if package.name in names]


def bundled(wheel: Path) -> Iterator[Component]:
    """What the wheel brings beside its code: a component for each folder of resources, and htmx."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        hashes = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in names}
        for folder in sorted(
            {name.split("/")[2] for name in names if name.count("/") > 2 and name.startswith(RESOURCES)}
        ):
            start = f"{RESOURCES}{folder}/"
            files = {
                name.removeprefix(start): value for name, value in hashes.items() if name.startswith(start)
            }
            card = json.loads(archive.read(f"{start}card.json")) if "card.json" in files else None
            yield _resource(folder, files, card)
        version = re.search(rb'version:"([\d.]+)"', archive.read(HTMX))
    number = version[1].decode() if version else ""
    yield {
        "type": "library",
        "bom-ref": f"pkg:npm/htmx.org@{number}",
        "name": "htmx.org",
        "version": number,
        "purl": f"pkg:npm/htmx.org@{number}",
        "licenses": [{"license": {"id": "0BSD"}}],
        "components": [_file(HTMX, hashes[HTMX])],
    }


def _companion() -> Component:
    """The careful reader, which is a package of its own."""
    files = {
        file.relative_to(CAREFUL).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in CAREFUL.rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }
    card = json.loads((CAREFUL / "card.json").read_text("utf-8"))
    return _resource("postil_careful", files, card, "packages/careful/")


def _resource(
    folder: str, files: dict[str, str], card: dict[str, Any] | None, above: str = RESOURCES
) -> Component:
    """A folder of resources; what has no card was written for the project."""
    changed = [name for name, value in card["files"].items() if files.get(name) != value] if card else []
    if changed:
        raise SystemExit(f"{above}{folder}: {', '.join(changed)} is not the file on its card")
    component: Component = {
        "type": "data" if folder in DATA else "machine-learning-model",
        "bom-ref": f"{above}{folder}",
        "name": card["name"] if card else folder,
        "licenses": [_licence(card["licence"] if card else "Apache-2.0")],
        "components": [_file(f"{above}{folder}/{name}", value) for name, value in sorted(files.items())],
    }
    if card:
        component["version"] = card["version"]
        component["properties"] = [
            {"name": "postil:source", "value": f"{name} ({licence}): {use}"}
            for name, licence, use in card["sources"]
        ]
    return component


def _library(package: Package) -> Component:
    component: Component = {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "purl": package.purl,
    }
    component |= _installed_licence(package)
    if package.marker:
        component["properties"] = [{"name": "postil:marker", "value": package.marker}]
    return component


def _installed_licence(package: Package) -> Component:
    """The licence as the package itself names it, if this version is installed here; nothing otherwise."""
    try:
        fields = metadata(package.name)
    except PackageNotFoundError:
        return {}
    if fields["Version"] != package.version:
        return {}
    if expression := fields.get("License-Expression"):
        return {"licenses": [{"expression": expression}]}
    names = [
        line.rpartition(" :: ")[2]
        for line in fields.get_all("Classifier", ())
        if line.startswith("License ::")
    ]
    if not names and 0 < len(fields.get("License") or "") < 60:  # others put the whole text there
        names = [fields["License"]]
    return {"licenses": [_licence(name) for name in names]} if names else {}


def _licence(name: str) -> Component:
    identifier = SPDX.get(name, name)
    known = identifier in {*SPDX.values(), "Apache-2.0"}
    return {"license": {"id": identifier} if known else {"name": name}}


def _project(wheel: Path) -> Component:
    version = wheel.name.split("-")[1]
    purl = f"pkg:pypi/postil@{version}"
    return {
        "type": "application",
        "bom-ref": purl,
        "name": "postil",
        "version": version,
        "purl": purl,
        "licenses": [_licence("Apache-2.0")],
    }


def _file(name: str, sha256: str) -> Component:
    return {"type": "file", "bom-ref": name, "name": name, "hashes": [_hash(sha256)]}


def _hash(sha256: str) -> Component:
    return {"alg": "SHA-256", "content": sha256}


def _dependencies(project: Component, packages: list[Package], direct: set[str]) -> list[Component]:
    """Who needs whom, beginning with Postil."""

    def refs(names: Iterable[Package]) -> list[str]:
        return sorted(package.purl for package in names)

    needs = [{"ref": project["bom-ref"], "dependsOn": refs(p for p in packages if p.name in direct)}]
    for package in packages:
        needs.append(
            {"ref": package.purl, "dependsOn": refs(p for p in packages if package.name in p.parents)}
        )
    return needs


def _bill(project: Component, components: list[Component], dependencies: list[Component]) -> dict[str, Any]:
    moment = datetime.fromtimestamp(
        int(os.environ.get("SOURCE_DATE_EPOCH", datetime.now(UTC).timestamp())), UTC
    )
    content = json.dumps([project, components, dependencies])
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "authors": [{"name": "The Postil developers"}],
            "component": project,
        },
        "components": components,
        "dependencies": dependencies,
    }


def _argument(steps: str, name: str) -> str:
    """The value that the Containerfile gives an argument."""
    return re.findall(rf"^ARG {name}=(\S+)", steps, re.M)[0]


def _environment(base: str) -> dict[str, str]:
    """What markers are about, in the image."""
    python = re.findall(r"python:(3\.\d+)", base)[0]
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "sys_platform": "linux",
    }


if __name__ == "__main__":
    main()
