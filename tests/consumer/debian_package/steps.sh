# SPDX-License-Identifier: MIT
# The package goes into an empty root; what it depends on is the machine's.
(cd sluice && bash -euc "$(guide sh)") >install.log
package=sluice/$(guide bash | sed -n 's/^apt-get install //p')
[[ $(dpkg-deb -f "$package" Depends) == "libexpected-dev (>= 1.0), libhowardhinnant-date-dev (>= 3.0)" ]]
if [[ -n ${SLUICE_ARCHIVES:-} ]]; then # whose root is the test's own
    (cd sluice && bash -euc "$(guide bash | sed 's/install/install -qq -y/')")
    way=find_package
    build_with_cmake
    return
fi
mkdir -p debian/var/lib/dpkg/{info,updates}
touch debian/var/lib/dpkg/status
dpkg --root="$PWD/debian" --force-depends --force-not-root --log=/dev/null --install "$package"
(way=find_package && cd sluice && guide cmake) >guide.cmake
CMAKE_PREFIX_PATH=$PWD/debian/usr cmake -B build
cmake --build build --target app
build/app
