#!/usr/bin/env bash
# Runs the ways of docs/install.md on a Debian 12 without the packages that sluice needs, each up to the
# programs that it builds. CMake downloads nothing: Debian's sources of the libraries stand for the pinned
# releases. Expects a root of its own (.ci/bare ways), as it installs the Debian package at the end.
#   without_packages.sh [WAY ...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export SLUICE_ARCHIVES=/var/tmp/sluice-archives CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) LC_ALL=C.UTF-8
ways=("$@")
((${#ways[@]})) || ways=(add_subdirectory fetchcontent find_package precompiled_header exported_library
    compiled pkg_config meson meson_subproject vcpkg one_header debian_package)

# archive PATTERN: where the archive of CMakeLists.txt that matches goes.
archive() {
    local path
    path=$SLUICE_ARCHIVES/$(grep -ohE "$1/(archive|releases)/\S+" "$root/CMakeLists.txt")
    mkdir -p "$(dirname "$path")"
    echo "$path"
}

# tl::expected is one header. Debian's source of it can't be had everywhere, its package can.
pack_expected() {
    mkdir -p expected/include
    apt-get -qq download libexpected-dev
    dpkg -x libexpected-dev_*.deb expected/package
    mv expected/package/usr/include/tl expected/include/
    rm -r expected/package
    cat >expected/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(tl-expected VERSION 1.0.0 LANGUAGES CXX)
add_library(expected INTERFACE)
add_library(tl::expected ALIAS expected)
target_include_directories(expected INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:include>)
install(TARGETS expected EXPORT tl-expected-config)
install(EXPORT tl-expected-config NAMESPACE tl:: DESTINATION lib/cmake/tl-expected)
install(DIRECTORY include/tl DESTINATION include)
END
    tar -czf "$(archive TartanLlama/expected)" expected
}

make_archives() {
    cd "$(mktemp -d)"
    pack_expected
    apt-get -qq source --download-only --tar-only howardhinnant-date simdjson mbedtls
    cp howardhinnant-date_*.orig.tar.* "$(archive HowardHinnant/date)"
    cp simdjson_*.orig.tar.* "$(archive simdjson/simdjson)"
    cp mbedtls_*.orig.tar.* "$(archive Mbed-TLS/mbedtls)"
}

# install PATTERN OPTION...: builds and installs a library as its own documentation says.
install() {
    local built
    built=$(mktemp -d)
    mkdir "$built/source"
    tar -xf "$(archive "$1")" -C "$built/source" --strip-components=1
    cmake -S "$built/source" -B "$built/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$SLUICE_ARCHIVES/installed" "${@:2}" >/dev/null 2>"$built/log" &&
        cmake --build "$built/build" --target install >"$built/log" 2>&1 || { cat "$built/log" && return 1; }
    rm -r "$built"
}

for package in libexpected-dev libhowardhinnant-date-dev libsimdjson-dev libmbedtls-dev; do
    ! dpkg -s "$package" >/dev/null 2>&1 || { echo "$package is installed here" && exit 1; }
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do # of sources too
    [[ ! -f $list ]] || sed -i -e 's/^Types: deb$/Types: deb deb-src/' -e 's/^deb \(.*\)/&\ndeb-src \1/' "$list"
done
apt-get -qq update
apt-get -qq install -y --no-install-recommends cmake dpkg-dev meson ninja-build pkg-config >/dev/null 2>&1
(make_archives)
install TartanLlama/expected
install HowardHinnant/date -DBUILD_TZ_LIB=ON -DUSE_SYSTEM_TZ_DB=ON -DCOMPILE_WITH_C_LOCALE=ON
install simdjson/simdjson
install Mbed-TLS/mbedtls -DENABLE_PROGRAMS=OFF -DENABLE_TESTING=OFF

# try_way WAY: its output goes to a log, and a file tells that it failed.
try_way() {
    local start=$SECONDS outcome=passed
    bash "$here/run.sh" "$1" "/var/tmp/sluice-ways/$1" >"/var/tmp/$1.log" 2>&1 || outcome=failed
    [[ $outcome == passed ]] || touch "/var/tmp/$1.failed"
    echo "install without packages: $1 $outcome in $((SECONDS - start)) s"
}

# As many ways at a time as there are processors, with one each: most have a single large file to compile.
export CMAKE_BUILD_PARALLEL_LEVEL=1
rm -f /var/tmp/*.failed
for way in "${ways[@]}"; do
    [[ $way != debian_package ]] || wait # the others must not find what it installs
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
    try_way "$way" &
done
wait
failed=0
for way in "${ways[@]}"; do
    [[ -f /var/tmp/$way.failed ]] || continue
    failed=1
    echo "== install without packages: $way failed"
    tail -n 40 "/var/tmp/$way.log"
done
exit $failed
