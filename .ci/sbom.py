# SPDX-License-Identifier: MIT
"""Prints what the packages of sluice consist of: CycloneDX, as JSON.

python .ci/sbom.py                    as CMake fetches it
python .ci/sbom.py date=3.0.1 ...     with other versions that a build has in it
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).parent.parent
LISTS = ("CMakeLists.txt", "bindings/CMakeLists.txt")
PINNED = re.compile(
    r"sluice_dependency\(\s*\S+\s+(?P<name>\S+)\s+(?P<owner>[\w-]+)/(?P<repository>\w+)"
    r"/(?:archive/refs/tags|releases/download)/(?P<tag>v|mbedtls-)(?P<version>\d+(?:\.\d+)*)"
    r"(?:\.tar\.gz|/\S+\.tar\.bz2)\s+(?P<sha256>\w{64})\)"
)
LICENSES = {
    "date": "MIT",
    "mbedtls": "Apache-2.0 OR GPL-2.0-or-later",
    "pybind11": "BSD-3-Clause",
    "regular-table": "Apache-2.0",
    "shtab": "MPL-2.0",
    "simdjson": "Apache-2.0",
    "tl-expected": "CC0-1.0",
    "tqdm": "MPL-2.0 AND MIT",
}


class Pinned(NamedTuple):
    """A library that CMake fetches where it isn't installed."""

    name: str
    owner: str
    repository: str
    tag: str
    version: str
    sha256: str


def pinned_libraries() -> Iterator[Pinned]:
    """Returns the components that the headers and the Python module need."""
    for path in LISTS:
        for pin in PINNED.finditer((ROOT / path).read_text(encoding="utf-8")):
            yield Pinned(**pin.groupdict())


def library(pinned: Pinned, version: str | None) -> Component:
    """A library that is in the Python module, in its pinned version or another."""
    used = version or pinned.version
    hashes = [] if version else [HashType(alg=HashAlgorithm.SHA_256, content=pinned.sha256)]
    place = PackageURL("github", pinned.owner, pinned.repository, f"{pinned.tag}{used}")
    return component(pinned.name, used, place, ComponentType.LIBRARY, hashes=hashes)


def libraries_of_page() -> Iterator[Component]:
    """Returns the components beside the explorer's page, in the package sluice-explorer."""
    lock = json.loads((ROOT / "bindings/explorer/package-lock.json").read_text(encoding="utf-8"))
    for path, package in lock["packages"].items():
        if name := path.removeprefix("node_modules/"):
            place = PackageURL("npm", None, name, package["version"])
            yield component(name, package["version"], place, ComponentType.LIBRARY)


def requirement(text: str) -> Component:
    """A package that pip installs beside it, in a version of its choice."""
    [name] = re.findall(r"^[\w-]+", text)
    place = PackageURL("pypi", None, name)
    return component(name, None, place, ComponentType.LIBRARY, description=f"any of {text}")


def component(
    name: str,
    version: str | None,
    place: PackageURL | None,
    kind: ComponentType,
    description: str | None = None,
    hashes: list[HashType] | None = None,
) -> Component:
    """A part, referred to by its place, with its licence."""
    return Component(
        name=name,
        version=version,
        purl=place,
        type=kind,
        bom_ref=str(place or name),
        description=description,
        hashes=hashes,
        licenses=[LicenseFactory().make_from_string(LICENSES.get(name, "MIT"))],
        scope=ComponentScope.REQUIRED,
    )


def make_bom(versions: dict[str, str], at: datetime) -> Bom:
    """The bill of the version that CMake has."""
    [version] = re.findall(
        r"^    VERSION (\S+)$", (ROOT / LISTS[0]).read_text(encoding="utf-8"), re.MULTILINE
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    place = PackageURL("pypi", None, "sluice", version)
    whole = component("sluice", version, place, ComponentType.LIBRARY, project["description"])
    parts = [library(pinned, versions.get(pinned.name)) for pinned in pinned_libraries()]
    parts += [requirement(text) for text in project["dependencies"]]
    parts += libraries_of_page()
    bom = Bom(
        serial_number=uuid5(NAMESPACE_URL, f"{place} {sorted(versions.items())}"),
        metadata=BomMetaData(component=whole, timestamp=at),
        components=parts,
    )
    bom.register_dependency(whole, parts)
    return bom


if __name__ == "__main__":
    arguments = dict(word.split("=", 1) for word in sys.argv[1:])
    print(JsonV1Dot6(make_bom(arguments, datetime.now(UTC))).output_as_string(indent=2))
