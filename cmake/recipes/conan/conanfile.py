"""Conan 2 recipe of libtilewright, for a copy of the source tree:

    conan create cmake/recipes/conan

It packages both libraries, the headers, the profiles and tilewright's own CMake and pkg-config files. A project uses the generators
CMakeToolchain and CMakeDeps, and find_package(tilewright) with the target tilewright::runtime or tilewright::runtime_static.
"""
import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

TOP = pathlib.Path(__file__).resolve().parents[3]


class Tilewright(ConanFile):
    name = "tilewright"
    description = "Tuned matrix multiplication and neural networks on OpenCL devices"
    license = "Apache-2.0"
    topics = ("opencl", "gemm", "blas", "neural-network")
    settings = "os", "compiler", "build_type", "arch"
    default_options = {"fmt/*:header_only": True}

    def set_version(self):
        header = (TOP / "runtime" / "include" / "tilewright" / "tilewright.h").read_text()
        self.version = ".".join(re.findall(r"^#define TW_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header, re.MULTILINE))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "profiles/*", "codelets/*", "runtime/*", "docs/examples/*"):
            copy(self, pattern, str(TOP), self.export_sources_folder)

    def requirements(self):
        self.requires("opencl-headers/2023.12.14", transitive_headers=True)
        self.requires("opencl-icd-loader/2023.12.14", transitive_headers=True, transitive_libs=True)
        # Compiled in.
        for reference in ("opencl-clhpp-headers/2023.12.14", "fmt/10.2.1", "nlohmann_json/3.11.3", "protozero/1.7.1",
                          "xxhash/0.8.2"):
            self.requires(reference, visible=False)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TILEWRIGHT_BUILD_TUNER"] = False
        toolchain.cache_variables["TILEWRIGHT_BUILD_TESTS"] = False
        toolchain.cache_variables["TILEWRIGHT_WERROR"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="tilewright_installed")

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(pathlib.Path(self.package_folder) / "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package has its own CMake configuration.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/tilewright")
