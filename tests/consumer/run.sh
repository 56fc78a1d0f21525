#!/usr/bin/env bash
# Follows the section of docs/install.md on one way to install, as it stands, in a folder of its own.
#   run.sh WAY SCRATCH
# A section is named after its way, and the way's folder has the rest of the project that uses it:
# its steps.sh runs in a copy of the folder, with a clone of this repository beside it.
# Where SLUICE_ARCHIVES is set, by without_packages.sh, its archives stand for those that CMake would
# download, and what they install for packages of the machine's.
set -euo pipefail
way=$1 scratch=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# guide LANGUAGE: the section's code in that language.
guide() {
    awk -v way="$way" -v fence="\`\`\`$1" '
        /^##+ / { name = tolower($0); gsub(/^#+ /, "", name); gsub(/[ -]/, "_", name) }
        $0 == "```" { code = 0 }
        code { print }
        name == way && $0 == fence { code = found = 1 }
        END { exit !found }' "$root/docs/install.md"
}

# A repository with the files of this one as they are now, except those that git ignores: other tests write them.
make_clone() {
    git init -q sluice
    git -C "$root" --git-dir="$PWD/sluice/.git" --work-tree=. add -A
    git -C sluice checkout-index --all
    [[ -z ${SLUICE_ARCHIVES:-} ]] || python3 "$here/use_archives.py" "$SLUICE_ARCHIVES" sluice/CMakeLists.txt
    git -C sluice -c user.name=sluice -c user.email=sluice@example.com commit -q -a -m "All files"
}

# The guide's first way, which others build on. What sluice needs may be installed after it.
install_package() {
    (way=find_package && cd sluice && bash -euc "$(guide sh)") >install.log
    install_dependencies
}
install_dependencies() { [[ -z ${SLUICE_ARCHIVES:-} ]] || cp -r "$SLUICE_ARCHIVES/installed/." "$HOME/.local"; }

# Builds and runs the two programs of a CMake project.
build_with_cmake() {
    guide cmake >guide.cmake
    cmake -B build "$@" && cmake --build build && build/app && build/service
}

rm -rf "$scratch"
mkdir -p "$scratch/home"
cp -r "$here/$way/." "$here"/{app.cpp,service.cpp,consumer.cmake} "$scratch"
cd "$scratch"
export HOME=$PWD/home CMAKE_GENERATOR=Ninja CMAKE_PREFIX_PATH=$PWD/home/.local
export PKG_CONFIG_PATH=$HOME/.local/share/pkgconfig:$HOME/.local/lib/pkgconfig
# The guide's address of the repository is that of the clone.
git config --global url."file://$PWD/sluice".insteadOf https://example.com/sluice.git
git config --global protocol.file.allow always
git config --global init.defaultBranch main
make_clone
source ./steps.sh
