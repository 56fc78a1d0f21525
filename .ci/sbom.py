# SPDX-License-Identifier: MIT
"""Prints what the packages of sluice consist of: CycloneDX, as JSON.

python .ci/sbom.py                    as CMake fetches it
python .ci/sbom.py date=3.0.1 ...     with other versions that a build has in it
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
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
    r"sluice_dependency\(\s*\S+\s+(\S+)\s+([\w-]+)/(\w+)/(?:archive/refs/tags|releases/download)"
    r"/(v|mbedtls-)(\d+(?:\.\d+)*)(?:\.tar\.gz|/\S+\.tar\.bz2)\s+(\w{64})\)"
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


def fetched_libraries(versions: dict[str, str]) -> Iterator[Component]:
    """Yields those that CMake fetches for the headers and the module, in its version or another."""
    for path in LISTS:
        for pin in PINNED.finditer((ROOT / path).read_text(encoding="utf-8")):
            name, owner, repository, tag, pinned, sha256 = pin.groups()
            version = versions.get(name, pinned)
            place = PackageURL("github", owner, repository, f"{tag}{version}")
            digest = HashType(alg=HashAlgorithm.SHA_256, content=sha256)
            yield component(name, version, place, hashes=[] if name in versions else [digest])


def libraries_of_page() -> Iterator[Component]:
    """Yields those that the explorer's page has beside it, in the package sluice-explorer."""
    lock = json.loads((ROOT / "bindings/explorer/package-lock.json").read_text(encoding="utf-8"))
    for path, package in lock["packages"].items():
        if name := path.removeprefix("node_modules/"):
            version = package["version"]
            yield component(name, version, PackageURL("npm", None, name, version))


def requirement(text: str) -> Component:
    """Returns a package that pip installs beside it, in a version of its choice."""
    [name] = re.findall(r"^[\w-]+", text)
    return component(name, None, PackageURL("pypi", None, name), f"any of {text}")


def component(
    name: str,
    version: str | None,
    place: PackageURL,
    description: str | None = None,
    hashes: Iterable[HashType] = (),
) -> Component:
    """Returns a library, referred to by its place, with its licence."""
    return Component(
        name=name,
        version=version,
        purl=place,
        type=ComponentType.LIBRARY,
        bom_ref=str(place),
        description=description,
        hashes=hashes,
        licenses=[LicenseFactory().make_from_string(LICENSES.get(name, "MIT"))],
        scope=ComponentScope.REQUIRED,
    )


def make_bom(versions: dict[str, str], at: datetime) -> Bom:
    """Returns the bill of the version that CMake has."""
    [version] = re.findall(
        r"^    VERSION (\S+)$", (ROOT / LISTS[0]).read_text(encoding="utf-8"), re.MULTILINE
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    place = PackageURL("pypi", None, "sluice", version)
    whole = component("sluice", version, place, project["description"])
    parts = [*fetched_libraries(versions), *map(requirement, project["dependencies"])]
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
