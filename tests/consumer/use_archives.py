# SPDX-License-Identifier: MIT
"""use_archives.py FOLDER CMAKELISTS: has CMake take what it would download from a folder.

The folder's files are named as in the addresses that CMakeLists.txt has, without the host. They are
of the releases that Debian has the sources of, so their hashes take the place of the pinned ones.
"""

import hashlib
import re
import sys
from pathlib import Path

folder, lists = Path(sys.argv[1]), Path(sys.argv[2])
text = lists.read_text(encoding="utf-8").replace("https://github.com/", f"file://{folder}/")
archive = re.compile(r"([\w.-]+/[\w.-]+/(?:archive|releases)/\S+)(\s+)[0-9a-f]{64}\b")
paths = {match[1]: folder / match[1] for match in archive.finditer(text)}
for path in paths.values():
    if not path.is_file():
        sys.exit(f"use_archives.py: no {path}")
hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in paths.items()}
lists.write_text(archive.sub(lambda m: m[1] + m[2] + hashes[m[1]], text), encoding="utf-8")
