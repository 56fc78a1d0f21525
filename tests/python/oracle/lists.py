# SPDX-License-Identifier: MIT
"""The lists of links, domains, customers and folders, by plain loops over their files."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from oracle.records import CUSTOMER_FIELDS, Record, link_record, words
from oracle.request import Request, ascii_lower

Fold = Callable[[str], str]

FOLDER_FIELDS = words("id name description type accessLevel createdAt updatedAt")
DOMAIN_FIELDS = words(
    "id slug verified primary archived placeholder expiredUrl notFoundUrl logo createdAt updatedAt "
    "registeredDomain"
)
DOMAIN_DEFAULTS = dict.fromkeys(words("verified primary archived"), False)
GROUPS: dict[str, Callable[[Record], list[str | None]]] = {
    "domain": lambda link: [link["domain"]],
    "tagId": lambda link: sorted({tag["id"] for tag in link.get("tags") or ()}) or [None],
    "userId": lambda link: [link.get("userId")],
    "folderId": lambda link: [link.get("folderId")],
}


def read(file: Path) -> list[Record]:
    if not file.exists():
        return []
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def items(request: Request, name: str) -> set[str]:
    """The items of a list, by its name and by that with brackets."""
    texts = request.all(name) + request.all(name + "[]")
    return {item for text in texts for item in text.split(",") if item}


def has_text(row: Record, names: Iterable[str], part: str, fold: Fold) -> bool:
    return any(part in fold(row[name]) for name in names if row.get(name) is not None)


def paged(rows: list[Record], request: Request, most: int) -> list[Record]:
    """The page of rows in their order, beside a record or by its number."""
    size = request.number("pageSize", most)
    after, before = request.get("startingAfter"), request.get("endingBefore")
    begin = (request.number("page", 1) - 1) * size
    if not after and not before:
        return rows[begin : begin + size]
    place = next((at for at, row in enumerate(rows) if row["id"] == (after or before)), None)
    if place is None:
        return []
    return rows[place + 1 : place + 1 + size] if after else rows[max(0, place - size) : place]


class Lists:
    """Answers requests over the records of a folder."""

    def __init__(self, folder: Path, fold: Fold, workspace: str = "ws_default") -> None:
        self.fold, self.workspace = fold, workspace
        self.links = read(folder / "links.ndjson")
        self.customers = read(folder / "customers.ndjson")
        self.folders = read(folder / "folders.ndjson")
        self.domains = read(folder / "domains.ndjson")
        self.of_links: dict[str, set[str]] = {}
        for event in read(folder / "leads.ndjson") + read(folder / "sales.ndjson"):
            self.of_links.setdefault(event["linkId"], set()).add(event["customerId"])

    def taken_links(self, request: Request) -> list[Record]:
        tags = items(request, "tagIds") or {request.get("tagId")} - {""}
        names = {ascii_lower(name) for name in items(request, "tagNames")}
        part = self.fold(request.get("search"))
        taken = []
        for link in self.links:
            tagged = link.get("tags") or []
            wrong = [
                request.get(name) and link.get(name) != request.get(name)
                for name in ("folderId", "userId", "tenantId")
            ]
            domain = ascii_lower(request.get("domain"))
            wrong += [
                domain and ascii_lower(link["domain"]) != domain,
                tags and not any(tag["id"] in tags for tag in tagged),
                names and not any(ascii_lower(tag["name"]) in names for tag in tagged),
                not has_text(link, ("key", "url"), part, self.fold),
                link.get("archived") and not request.flag("showArchived"),
                request.flag("withTags") and not tagged,
            ]
            if not any(wrong):
                taken.append(link)
        return taken

    def shown_link(self, link: Record) -> Record:
        return link_record(link, self.workspace)

    def link_page(self, query: str) -> list[Record]:
        request = Request(query)
        place = request.get("startingAfter") or request.get("endingBefore")
        rows = self.taken_links(request)
        kept = {link["id"] for link in rows}
        rows += [link for link in self.links if link["id"] == place and place not in kept]
        rows.sort(key=lambda link: (link["createdAt"], link["id"]), reverse=True)
        return [self.shown_link(link) for link in paged(rows, request, 100)]

    def links_count(self, query: str) -> int | list[Record]:
        request = Request(query)
        group = request.get("groupBy")
        links = self.taken_links(request)
        if not group:
            return len(links)
        counts: dict[str | None, int] = {}
        for link in links:
            for value in GROUPS[group](link):
                counts[value] = counts.get(value, 0) + 1
        order = sorted(
            counts.items(), key=lambda item: (-item[1], item[0] is not None, str(item[0]).encode())
        )
        return [{group: value, "_count": count} for value, count in order]

    def link_info(self, query: str) -> Record | None:
        request = Request(query)
        for link in self.links:
            wanted = {
                "id": request.get("linkId"),
                "externalId": request.get("externalId").removeprefix("ext_"),
                "key": request.get("key"),
            }
            is_same = all(not value or link.get(name) == value for name, value in wanted.items())
            domain = ascii_lower(request.get("domain"))
            if is_same and domain in ("", ascii_lower(link["domain"])):
                return self.shown_link(link)
        return None

    def domain_page(self, query: str) -> list[Record]:
        request = Request(query)
        rows: list[Record] = [
            {name: row.get(name, DOMAIN_DEFAULTS.get(name)) for name in DOMAIN_FIELDS}
            for row in self.domains
        ]
        known = {ascii_lower(row["slug"]) for row in rows}
        times: dict[str, list[str]] = {}
        for link in self.links:
            times.setdefault(ascii_lower(link["domain"]), []).append(link["createdAt"])
        for slug, at in times.items():
            if slug not in known:
                row = dict.fromkeys(DOMAIN_FIELDS) | DOMAIN_DEFAULTS
                row |= {"id": f"dom_{slug}", "slug": slug}
                rows.append(row | {"createdAt": min(at), "updatedAt": max(at)})
        part = self.fold(request.get("search"))
        rows = [row for row in rows if has_text(row, ("slug",), part, self.fold)]
        rows = [row for row in rows if request.flag("archived") or not row["archived"]]
        rows.sort(key=lambda row: (row["createdAt"], row["id"]), reverse=True)
        return paged(rows, request, 50)

    def customer_page(self, query: str) -> list[Record]:
        request = Request(query)
        part, place = self.fold(request.get("search")), request.get("startingAfter")
        place = place or request.get("endingBefore")
        names = ("id", "externalId", "name", "email")
        link_id, country = request.get("linkId"), ascii_lower(request.get("country"))
        rows = []
        for row in self.customers:
            same = all(
                not request.get(name) or row.get(name) == request.get(name)
                for name in ("email", "externalId")
            )
            same = same and (not country or ascii_lower(row.get("country") or "") == country)
            same = same and (not link_id or row["id"] in self.of_links.get(link_id, ()))
            if (same and has_text(row, names, part, self.fold)) or row["id"] == place:
                rows.append({name: row.get(name) for name in CUSTOMER_FIELDS})
        ascending = request.get("sortOrder") == "asc"
        rows.sort(key=lambda row: (row["createdAt"], row["id"]), reverse=not ascending)
        return paged(rows, request, 100)

    def folder_page(self, query: str) -> list[Record]:
        request = Request(query)
        part = self.fold(request.get("search"))
        rows: list[Record] = [
            {name: row.get(name) for name in FOLDER_FIELDS} | {"type": row.get("type", "default")}
            for row in self.folders
        ]
        rows = [row for row in rows if has_text(row, ("name",), part, self.fold)]
        rows.sort(key=lambda row: (row["name"].encode(), row["id"]))
        return paged(rows, request, 50)
