# SPDX-License-Identifier: MIT
"""The page of errors: the server's, with an example of each rule that breaks it when it is read."""

import html
import json
import re
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import chdir
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import sluice

PAGE = "/api-reference/errors"
NOW = datetime(2026, 8, 21, 2, 30, 15, tzinfo=UTC)
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
# A code or a rule on the server's page: the level of its heading, its name, and its text.
ENTRY = re.compile(r'<h([23]) id="[a-z-]+">(?:\d+ )?<code>(\w+)</code></h\1>\n<p>(.*)</p>\n')
REQUEST = re.compile(
    r"(?P<method>\w+) (?:(?P<scheme>\w+)://[^/]+)?(?P<target>[^,]+)"
    r"(?:, (?P<header>[\w-]+): (?P<value>.*))?"
)
KEYS = {
    "KEY": {
        "plan": "business",
        "permissions": ["analytics.read", "links.read", "tags.read"],
    },
    "KEY_OF_PRO_PLAN": {"plan": "pro", "permissions": ["analytics.read", "tags.read"]},
    "KEY_OF_ANALYTICS": {"plan": "business", "permissions": ["analytics.read"]},
}
TAGS = [sluice.Column("id"), sluice.Column("name"), sluice.Column("createdAt", "time")]
WITH_JSON = [*TAGS, sluice.Column("data", "json", is_nullable=True)]
SHIPMENTS = [
    sluice.Column("city"),
    sluice.Column("paid", "boolean"),
    sluice.Column("lines", "records", columns=[sluice.Column("sku")]),
]


class Orders(sluice.ListQuery):
    """The parameters of GET /orders, an endpoint of a program."""

    shop = sluice.text(required=True)
    customer = sluice.uuid()
    total = sluice.decimal()
    created = sluice.window()
    order = sluice.sort("created", "total", name="sortBy")


class ServerError(Exception):
    """The message of an answer that is an error."""


def load(**files: str) -> None:
    """Loads records, a file of lines each, whose bytes are written as characters of Latin-1."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for kind in ("customers", "links", "clicks", "leads", "sales", "tags"):
            Path(f"{kind}.ndjson").write_bytes(files.get(kind, "").encode("latin-1"))
        sluice.EventStore.load(".")


def sample_store() -> sluice.EventStore:
    """Returns a store with an event."""
    with tempfile.TemporaryDirectory() as folder:
        sluice.write_sample(folder, 1, now=NOW)
        return sluice.EventStore.load(folder)


def from_tree(where: dict[str, Any]) -> sluice.ListQuery:
    """Returns a list query of tags with a condition."""
    return sluice.ListQuery.from_tree({"where": where}, TAGS)


def nested(depth: int) -> dict[str, Any]:
    """Returns a condition in nested groups, which are `all` and `any` in turn."""
    condition: dict[str, Any] = {"column": "id", "any_of": ["tag_1"]}
    for level in range(depth):
        condition = {("all", "any")[level % 2]: [{"column": "name", "any_of": ["new"]}, condition]}
    return condition


def send(
    requests: str, *, run: Callable[..., bytes | None] | None = None, stops: bool = False
) -> None:
    """Sends requests, one a line, to a server with an event."""
    keys = [
        {"sha256": sha256(token.encode()).hexdigest(), "workspaceId": "ws_default", **fields}
        for token, fields in KEYS.items()
    ]
    handler = sluice.Handler(sample_store(), keys, run=run)
    cancellation = sluice.Cancellation()
    if stops:
        cancellation.cancel()
    for line in requests.splitlines():
        line_match = REQUEST.fullmatch(line)
        if line_match is None:
            raise ValueError(f"{line}: expected a request, such as GET /tags, Accept: */*")
        method, scheme, target, header, value = line_match.groups()
        headers = {header: value} if header else {}
        answer = handler.handle(method, target, headers, NOW, scheme or "https", cancellation)
        if answer.status >= 400:
            raise ServerError(json.loads(answer.body)["error"]["message"])


class Source(NamedTuple):
    """A reader of inputs."""

    shown: str  # an input's text on the page, with {} for it
    read: Callable[[str], object] | None  # raises the input's error; None without a Python binding


SOURCES = {
    "events": Source("GET /events?{}", lambda text: sluice.EventsQuery.parse(text, NOW, True)),
    "tags": Source("GET /tags?{}", lambda text: sluice.TagsQuery.parse(text, True)),
    "orders": Source("GET /orders?{}", lambda text: Orders.parse(text, NOW)),
    "tag_file": Source("tags.ndjson: {}", lambda text: load(tags=text)),
    "leads": Source("leads.ndjson: {}", lambda text: load(leads=text)),
    "load": Source('EventStore.load("{}")', sluice.EventStore.load),
    "sample": Source('write_sample("{}")', lambda text: sluice.write_sample(text, 1, now=NOW)),
    "where": Source(
        'a list query as JSON: {{"where":{}}}', lambda text: from_tree(json.loads(text))
    ),
    "bulk_size": Source("check_bulk_size({})", lambda text: sluice.check_bulk_size(int(text))),
    "key_size": Source(
        "the cursor of a tag whose id has {} bytes",
        lambda text: sluice.TagsQuery.parse("").cursor_beside(["new", "x" * int(text)]),
    ),
    "nested": Source("a list query of {} nested groups", lambda text: from_tree(nested(int(text)))),
    "nested_sql": Source(
        "SQL for SQLite of {} nested groups",
        lambda text: from_tree(nested(int(text))).to_sql("sqlite", "tags"),
    ),
    "tested_sql": Source(
        'SQL for SQLite of {{"where":{}}}',
        lambda text: sluice.ListQuery.from_tree({"where": json.loads(text)}, WITH_JSON).to_sql(
            "sqlite", "tags"
        ),
    ),
    "odata": Source(
        "$filter={}", lambda text: sluice.grammars.parse_expression("odata", text, SHIPMENTS)
    ),
    "rsql": Source(
        'as RSQL: {{"where":{}}}',
        lambda text: sluice.grammars.write_expression(
            "rsql", {"where": json.loads(text)}, SHIPMENTS
        ),
    ),
    "sql": Source(
        "GET /tags?{}, as SQL for SQLite",
        lambda text: sluice.TagsQuery.parse(text).to_sql("sqlite", "tags"),
    ),
    "table": Source(
        'sluice.sql.ddl(schema, "sqlite", "{}")',
        lambda text: sluice.sql.ddl(TAGS, "sqlite", text),
    ),
    "requests": Source("{}", send),
    "without_clickhouse": Source(
        "{}, while ClickHouse is down",
        lambda text: send(text, run=lambda *_: None),
    ),
    "stopping": Source("{}, while the server stops", lambda text: send(text, stops=True)),
    "none": Source("{}", None),
}


class Errors:
    """Codes and rules, as a server has them."""

    def __init__(self) -> None:
        """Reads the server's page."""
        handler = sluice.Handler(sluice.EventStore(), [])
        self.page = handler.handle("GET", PAGE, {}).body.decode()
        headings = [
            (level, name, html.unescape(text)) for level, name, text in ENTRY.findall(self.page)
        ]
        self.codes = {name: text for level, name, text in headings if level == "2"}
        self.rules = {name: text for level, name, text in headings if level == "3"}

    def refusal(self, rule: str, text: str) -> tuple[str, str] | None:
        """Returns the rule that an input of a rule's example breaks, and the message."""
        read = SOURCES[TABLE["rules"][rule]["source"]].read
        if read is None:
            return rule, self.rules[rule]
        try:
            read(text)
        except sluice.ApiError as error:
            return error.rule, error.message
        except ServerError as error:
            [broken] = (name for name, words in self.rules.items() if words == str(error))
            return broken, str(error)
        return None

    def message(self, rule: str) -> str:
        """Returns the message of a rule's example.

        Raises:
            ValueError: The example doesn't break the rule.
        """
        refusal = self.refusal(rule, input_of(TABLE["rules"][rule]))
        if refusal is None or refusal[0] != rule:
            raise ValueError(f"the example of {rule}: expected to break it, got {refusal}")
        return refusal[1]

    def details_of_rule(self, rule: str) -> str:
        """Returns the example, the message and the fix of a rule, as HTML."""
        example = TABLE["rules"][rule]
        shown = SOURCES[example["source"]].shown
        wrong = example["wrong"]
        if "more" in example:
            wrong += f"{example['more']} ... ({example['times']:,} times)"
        fix = escape(example["fix"])
        if "right" in example:
            fix += f"<br/><code>{escape(shown.format(example['right']))}</code>"
        return details(
            Example=f"<code>{escape(shown.format(wrong))}</code>",
            Message=f"<samp>{escape(self.message(rule))}</samp>",
            Fix=fix,
        )

    def details_of_code(self, code: str, rule: str | None) -> str:
        """Returns an error body of a code, of one of its rules if it has any, and its fix."""
        message = self.codes[code] if rule is None else self.message(rule)
        body = f"<code>{escape(sluice.error_body(code, message))}</code>"
        return details(Example=body, Fix=escape(TABLE["codes"][code]))

    def sections(self) -> str:
        """Returns the page's sections, a code each, with all examples."""
        [sections] = re.findall(r"<section>.*</section>", self.page, re.DOTALL)
        entries = ENTRY.findall(sections)
        after = [*entries[1:], ("2", "", "")]
        first_rules = {
            name: following if level == "3" else None
            for (_, name, _), (level, following, _) in zip(entries, after, strict=True)
        }

        def with_details(entry: re.Match[str]) -> str:
            level, name, _ = entry.groups()
            if level == "3":
                return entry[0] + self.details_of_rule(name)
            return entry[0] + self.details_of_code(name, first_rules[name])

        return ENTRY.sub(with_details, str(sections))


def input_of(example: dict[str, Any]) -> str:
    """Returns the whole input that breaks a rule."""
    return str(example["wrong"] + example.get("more", "") * example.get("times", 0))


def escape(text: str) -> str:
    """Returns a text as HTML on one line, with characters beyond ASCII in hexadecimal."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return html.escape(plain, quote=False).replace("\n", "<br/>")


def details(**terms: str) -> str:
    """Returns a list of terms and their texts."""
    items = (f"<dt>{term}</dt>\n<dd>{text}</dd>\n" for term, text in terms.items())
    return f"<dl>\n{''.join(items)}</dl>\n"
