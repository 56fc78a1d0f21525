# SPDX-License-Identifier: MIT
"""Hooks for Schemathesis: rules that the service's OpenAPI document states in words.

OpenAPI can't express that one parameter requires another, and a regular expression can't express a
checksum or the names of all time zones. These hooks adjust the requests that Schemathesis generates
as valid.
"""

from typing import Any

import schemathesis
from schemathesis import Case, HookContext, Response
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.openapi.checks import UnsupportedMethodResponse


@schemathesis.hook
def map_case(context: HookContext, case: Case[Any]) -> Case[Any]:
    """Adjusts the parameters of a valid request to the documented rules."""
    query = case.query
    if not query or case.meta is None or case.meta.generation.mode.is_negative:
        return case
    query.pop("cursor", None)
    if "key" in query:
        query.setdefault("domain", "acme.example")
    if case.path == "/links/info":
        case.query = {"linkId": "link_1"}  # one of several ways to name a link
        return case
    if "startingAfter" in query:
        query.pop("endingBefore", None)
    if "startingAfter" in query or "endingBefore" in query:
        query.pop("page", None)
    if "timezone" in query:
        query["timezone"] = "Europe/Berlin"
    if "start" in query:
        query.pop("end", None)
    if "query" in query:
        query["query"] = "metadata['plan']:'pro' AND NOT metadata['seats'] > 3"
    if "query" in query or "saleType" in query:
        query["event"] = "sales"
    return case


@schemathesis.hook
def filter_failure(
    context: HookContext, failure: Failure, case: Case[Any], response: Response
) -> bool:
    """Drops three kinds of failures, whose answers the document describes.

    An unsupported method is answered 404, not 405; 414 is a valid refusal; and empty items of a
    list don't count.
    """
    if isinstance(failure, AcceptedNegativeData):
        return response.status_code != 414 and "maxItems" not in failure.message
    names_allowed = response.status_code == 404 and response.headers.get("allow") == ["GET, HEAD"]
    return not (isinstance(failure, UnsupportedMethodResponse) and names_allowed)
