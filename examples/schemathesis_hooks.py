# SPDX-License-Identifier: MIT
"""What the reference service's OpenAPI document says in words, for Schemathesis.

An OpenAPI document has no place for what one parameter needs of another, and a regular expression
none for a checksum or the names of all time zones. Requests that Schemathesis makes valid by the
schemas get what they need here.
"""

from typing import Any

import schemathesis
from schemathesis import Case, HookContext, Response
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.openapi.checks import UnsupportedMethodResponse


@schemathesis.hook
def map_case(context: HookContext, case: Case[Any]) -> Case[Any]:
    """Gives the parameters of a valid request what the words ask for."""
    query = case.query
    if not query or case.meta is None or case.meta.generation.mode.is_negative:
        return case
    query.pop("cursor", None)
    if "key" in query:
        query.setdefault("domain", "acme.example")
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
    """Keeps all failures but two, which are answers that the document has.

    A method that a path lacks is answered 404 here, not 405; and 414 is a refusal too.
    """
    if isinstance(failure, AcceptedNegativeData):
        return response.status_code != 414
    is_told = response.status_code == 404 and response.headers.get("allow") == ["GET, HEAD"]
    return not (isinstance(failure, UnsupportedMethodResponse) and is_told)
