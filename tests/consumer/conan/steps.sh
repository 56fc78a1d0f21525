# SPDX-License-Identifier: MIT
# What the machine has installed stands for the packages that Conan would fetch.
conan profile detect
profile=$(conan profile path default)
sed -i 's/^compiler.cppstd=.*/compiler.cppstd=20/' "$profile"
printf '%s\n' '[platform_requires]' tl-expected/1.0 date/3.0 simdjson/3.0 mbedtls/2.28 \
    '[conf]' tools.cmake.cmaketoolchain:generator=Ninja >>"$profile"
(cd sluice && bash -euc "$(guide sh)")
guide ini >conanfile.txt
conan install . --output-folder generated
way=find_package
build_with_cmake -DCMAKE_TOOLCHAIN_FILE=generated/conan_toolchain.cmake -DCMAKE_BUILD_TYPE=Release
