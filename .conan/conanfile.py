# SPDX-License-Identifier: MIT
"""The Conan recipe of sluice: `conan create .conan`."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class Sluice(ConanFile):
    """Headers alone: installed by CMake, and found by its own CMake package."""

    name = "sluice"
    description = "Filters, parameters, pages, rate limits and error envelopes for list APIs"
    license = "MIT"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    # Else date downloads a database of its own while a program runs.
    default_options = {"date/*:use_system_tz_db": True}  # noqa: RUF012

    def set_version(self) -> None:
        """The version is CMake's."""
        text = Path(self.recipe_folder, "..", "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"VERSION (\d+\.\d+\.\d+)$", text, re.MULTILINE)[1]

    def export_sources(self) -> None:
        """Declares the requirements of an install."""
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*"):
            copy(self, pattern, Path(self.recipe_folder).parent, self.export_sources_folder)

    def requirements(self) -> None:
        """Declares the requirements of the headers."""
        self.requires("tl-expected/[>=1.0 <2]")
        self.requires("date/[>=3.0 <4]")
        self.requires("simdjson/[>=3.0]")
        self.requires("mbedtls/[>=2.28 <4]")

    def validate(self) -> None:
        """The headers are C++20."""
        check_min_cppstd(self, 20)

    def layout(self) -> None:
        """Builds beside the sources."""
        cmake_layout(self)

    def generate(self) -> None:
        """Settings for CMake."""
        CMakeToolchain(self).generate()

    def package(self) -> None:
        """Installs."""
        cmake = CMake(self)
        cmake.configure()
        cmake.install()
        rmdir(self, str(Path(self.package_folder, "share", "pkgconfig")))

    def package_id(self) -> None:
        """Headers are the same for all compilers."""
        self.info.clear()

    def package_info(self) -> None:
        """The CMake package is sluice's own, with both targets."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/sluice"]
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
