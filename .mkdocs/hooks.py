# SPDX-License-Identifier: MIT
"""Adds what the site has beside docs/: pages of the top level, linked files, generated pages.

.ci/docs has filled the folders of what is generated before.
"""

import posixpath
import re
from pathlib import Path

from grammars import diagrams_of
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build/docs"
ADDED = {"": OUT / "generated", "cpp": OUT / "cpp/html", "typescript-reference": OUT / "typescript"}
ADDED |= {"playground": OUT / "playground"}
ADDED |= {folder: ROOT / ".mkdocs" / folder for folder in ("reference", "style")}
TOP_LEVEL = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
TOP_LEVEL |= {"SECURITY.md": "security.md", "README.md": "index.md"}
LINK = re.compile(r"(?<=\]\()(?!\w+:|[#/])([^)#\s]+)")
GRAMMAR = re.compile(r"^```\n([a-z-]+ +=.*?)^```$", re.DOTALL | re.MULTILINE)
DRAWN = re.compile(r"^<!-- grammar above as diagrams -->$", re.MULTILINE)


def source_of(page: File) -> str:
    """Returns the place of a page's Markdown, counted from the top level."""
    for source, place in TOP_LEVEL.items():
        if page.src_uri == place and place != "index.md":
            return source
    return f"docs/{page.src_uri}"


def place_of(target: str) -> str:
    """Returns the site's place of a path in the repository."""
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return TOP_LEVEL.get(target, f"files/{target}")


def targets_of(page: File) -> dict[str, str]:
    """The relative links of a page, each with the path that it means."""
    source = source_of(page)
    return {
        link: posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
        for link in LINK.findall(page.content_string)
    }


def add_tree(files: Files, config: MkDocsConfig, folder: Path, place: str) -> None:
    """Adds all files below a folder of the generated ones."""
    for path in sorted(entry for entry in folder.rglob("*") if entry.is_file()):
        uri = posixpath.join(place, path.relative_to(folder).as_posix())
        files.append(File.generated(config, uri, abs_src_path=str(path)))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what isn't in docs/."""
    for source, place in TOP_LEVEL.items():
        if place != "index.md":
            files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    for place, folder in ADDED.items():
        add_tree(files, config, folder, place)
    for page in list(files.documentation_pages()):
        for target in targets_of(page).values():
            place = place_of(target)
            is_new = place.startswith("files/") and files.get_file_from_path(place) is None
            if is_new and (ROOT / target).is_file():
                files.append(File.generated(config, place, abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links of the repository into links of the site, and draws grammars."""
    places = {link: place_of(target) for link, target in targets_of(page.file).items()}
    folder = posixpath.dirname(page.file.src_uri)

    def to_site(link: re.Match[str]) -> str:
        place = places.get(link[1])
        return posixpath.relpath(place, folder or ".") if place else link[1]

    return LINK.sub(to_site, draw(markdown))


def draw(markdown: str) -> str:
    """Replaces each mark for diagrams by those of the grammar before it."""

    def diagrams(mark: re.Match[str]) -> str:
        return diagrams_of(GRAMMAR.findall(markdown[: mark.start()])[-1])

    return DRAWN.sub(diagrams, markdown)
