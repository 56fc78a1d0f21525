# SPDX-License-Identifier: MIT
"""Writes what the site takes from the package itself: generate.py FOLDER.

The page of errors as a server gives it, the OpenAPI document, and ReDoc to read it with.
"""

import json
import re
import sys
from pathlib import Path

import sluice

ROOT = Path(__file__).resolve().parents[1]
REDOC = ROOT / "tests/linters/node_modules/redoc/bundles/redoc.standalone.js"
LOGO = "https://cdn.redoc.ly/redoc/logo-mini.svg"  # the one thing that it would load from elsewhere
ERRORS = """\
# Every code and rule

Each code and each rule, with an input that breaks it, its message and the fix. `doc_url` of an
error leads to its code, here or on the server: both servers have this page as
`/api-reference/errors`. [Errors](../reference/errors.md) describes their common parts.

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


def error_sections(page: str) -> str:
    """The codes and rules of a server's page of errors."""
    found = re.search(r"<section>.*</section>", page, re.DOTALL)
    if found is None:
        raise ValueError("the page of errors: expected a section for each code")
    return found[0]


def main(folder: Path) -> None:
    """Writes all files."""
    handler = sluice.Handler(sluice.EventStore(), [])
    page = handler.handle("GET", "/api-reference/errors", {}).body.decode()
    redoc = REDOC.read_text(encoding="utf-8").replace(LOGO, "data:,")
    files = {
        "api-reference/errors.md": ERRORS.format(sections=error_sections(page)),
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
