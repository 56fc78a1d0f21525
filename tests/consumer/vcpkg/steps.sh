# SPDX-License-Identifier: MIT
# vcpkg is in no registry that tests may ask: functions.cmake does what its functions do to headers.
install_dependencies
mkdir third_party
mv sluice third_party/
cmake -P functions.cmake
diff <(find packages -path packages/include -prune -o -type f -print | sort) - <<END
packages/share/pkgconfig/sluice-api.pc
packages/share/pkgconfig/sluice.pc
packages/share/sluice/Findmbedtls.cmake
packages/share/sluice/copyright
packages/share/sluice/sluiceConfig.cmake
packages/share/sluice/sluiceConfigVersion.cmake
packages/share/sluice/sluiceRequirements.cmake
packages/share/sluice/sluiceTargets.cmake
END
mv third_party/sluice sluice
(way=find_package && cd sluice && guide cmake) >guide.cmake
CMAKE_PREFIX_PATH=$PWD/packages:$CMAKE_PREFIX_PATH cmake -B build
cmake --build build --target app
build/app
