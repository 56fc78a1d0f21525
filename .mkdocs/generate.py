# SPDX-License-Identifier: MIT
"""Writes what the site takes from the package itself: generate.py FOLDER.

The page of errors, the OpenAPI document, and ReDoc to read it with.
"""

import json
import sys
from pathlib import Path

from errors import Errors

import sluice

ROOT = Path(__file__).resolve().parents[1]
REDOC = ROOT / "tests/linters/node_modules/redoc/bundles/redoc.standalone.js"
LOGO = "https://cdn.redoc.ly/redoc/logo-mini.svg"  # the one thing that it would load from elsewhere
ERRORS = """\
# Every code and rule

Each code and each rule, with an input that breaks it, its message and the fix. `doc_url` of an
error leads to its code, here or on the server: servers have codes and rules without examples as
`/api-reference/errors`. [Errors](../reference/errors.md) describes their common parts. Requests
are shown before they are percent-encoded.

<div class="errors">
{sections}
</div>
"""
HTTP = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GET /events and GET /tags</title>
</head>
<body>
<div id="reference"></div>
<script src="redoc.standalone.js"></script>
<script>Redoc.init("openapi.json", {}, document.getElementById("reference"));</script>
</body>
</html>
"""


def main(folder: Path) -> None:
    """Writes all files."""
    handler = sluice.Handler(sluice.EventStore(), [])
    redoc = REDOC.read_text(encoding="utf-8").replace(LOGO, "data:,")
    files = {
        "api-reference/errors.md": ERRORS.format(sections=Errors().sections()),
        "http-reference/index.html": HTTP,
        "http-reference/openapi.json": json.dumps(handler.openapi()),
        "http-reference/redoc.standalone.js": redoc,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
