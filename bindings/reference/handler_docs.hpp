// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_API_HANDLER_DOCS_HPP
#define SLUICE_BINDINGS_API_HANDLER_DOCS_HPP

// The docstrings and stub signatures of handler.cpp.

namespace sluice::bindings {

namespace handler_doc {

inline constexpr const char* openapi = R"(openapi_document(base_url: str = "/") -> str
--

The OpenAPI 3.1 document of the reference service, as its server answers GET /openapi.json.

Args:
    base_url: The server's address, such as 'https://api.example.com'.

Returns:
    A JSON object, a str.

Example:
    >>> import json
    >>> sorted(json.loads(sluice.api.openapi_document())["paths"])[0]
    '/analytics')";

inline constexpr const char* token = R"(bearer_token(header: str) -> str | None
--

The token of an Authorization header.

Args:
    header: The header's value, a str.

Returns:
    str, or None if the header is malformed.)";

inline constexpr const char* type =
    R"(Handler(store: EventStore, keys: list[dict[str, Any]], *, docs_url: str = '', base_url: str = '', cors: Iterable[str] = (), behind_proxy: bool = False, strict_parameters: bool = False, ratelimit_fields: bool = False, deadline_ms: int = 1000, storage: str | None = None, on_error: _OnError = 'local', nodes: SupportsIndex = 1, run: _Runner | None = None)
--

Answers requests to GET /events and GET /tags over one store. For any number of threads.

Args:
    store: An EventStore.
    keys: A list of dicts with sha256, workspaceId, plan, permissions, and optional expiresAt
        and limits.
    docs_url: The URL of the documentation of errors, a str; this server by default.
    base_url: The server's address, a str.
    cors: The origins whose pages may read answers, such as 'https://app.example': a list of str;
        '*' for all.
    behind_proxy: True trusts the X-Forwarded-Proto header of a proxy.
    strict_parameters: True makes unknown parameters errors.
    ratelimit_fields: True adds the RateLimit and RateLimit-Policy headers.
    deadline_ms: The milliseconds of CPU time after which a search for events is refused, an int; 0
        for none.
    storage: The URL of the Redis in which requests are counted with all processes that do, as for
        RateLimiter; this process counts for itself by default.
    on_error: The decision while Redis fails, as for RateLimiter.
    nodes: The number of processes that share the limits, as for RateLimiter.
    run: Runs statements of SQL on ClickHouse, which then has all events and tags instead of the
        store: a callable that takes the text and a dict of parameters, for any number of threads,
        and returns the answer as bytes, or None if there is none.

Attributes:
    parameters: The names of the parameters of all routes, a frozenset of str.

Raises:
    ApiError: A key or an origin is invalid.
    TypeError: An argument is of another type, or the keys aren't JSON.)";

inline constexpr const char* handle =
    R"(handle($self, method: str, target: str | bytes, headers: _Headers, now: datetime | None = None, scheme: str = 'https', cancellation: Cancellation | None = None, mount: str = '') -> Response
--

Answers a request that is not resolved yet. Releases the GIL.

Args:
    method: Such as 'GET', a str.
    target: Path and query string, str or bytes.
    headers: A mapping or pairs of str or bytes.
    now: An aware datetime; the present by default.
    scheme: 'https' or 'http'.
    cancellation: A Cancellation that may end a search early, with a response that nobody should
        wait for, or None.
    mount: The path of an application that the handler is mounted in, percent-encoded, a str: it
        stands before the target, and links start with it unless the handler has a base_url.

Returns:
    A Response, whatever the request.)";

inline constexpr const char* replace = R"(replace_keys($self, keys: list[dict[str, Any]]) -> None
--

Replaces the keys.

Requests that are being answered keep theirs, and keys that stay keep what they have used of their
limits. If a key is invalid, all stays as it was.

Args:
    keys: A list of dicts, as for Handler.

Raises:
    ApiError: A key is invalid.
    TypeError: The keys aren't JSON.)";

inline constexpr const char* cors = R"(cors_headers($self, headers: _Headers) -> dict[str, str]
--

Returns the CORS headers for an answer of another program.

Args:
    headers: Those of the request: a mapping or pairs of str or bytes.

Returns:
    The headers to add to the answer: a dict of str by lower-case name.)";

inline constexpr const char* measure = R"(measure($self, /) -> list[tuple[str, str, bool, int]]
--

Returns the metrics of limits, keys and the store.

Returns:
    Tuples of a metric's name, its help, True if it only grows, and its value.)";

inline constexpr const char* id = R"(request_id(headers: _Headers) -> str | None
--

Returns the id of a request from its header X-Request-Id.

Args:
    headers: A mapping or pairs of str or bytes.

Returns:
    str, or None if there is none that a log can repeat.)";

inline constexpr const char* origins = R"(parse_origins(text: str) -> list[str]
--

Reads the origins whose pages may read answers.

Args:
    text: '*' for all, or origins such as 'https://app.example' with commas between them.

Returns:
    A list of str, as for Handler.

Raises:
    ApiError: One isn't an origin as browsers send it.)";

inline constexpr const char* line =
    R"(access_line(form: Literal["text", "json"], time: datetime, client: str, method: str, target: str | bytes, route: str, status: SupportsIndex, size: SupportsIndex, seconds: float, request_id: str) -> str
--

Returns the line of a server's log for a request.

Args:
    form: 'text' or 'json'.
    time: The time at which it came, an aware datetime.
    client: Its address.
    method: Such as 'GET'.
    target: Path and query string.
    route: The label of the request; see ResolvedRequest.
    status: The status of the answer; 0 if there was no answer.
    size: The bytes of the answer's body.
    seconds: The time that it took, a float.
    request_id: Its id.

Returns:
    str, with the line's end.)";

inline constexpr const char* handler_openapi = R"(openapi($self, /) -> dict[str, Any]
--

The OpenAPI 3.1 document of this handler, which is what it answers to GET /openapi.json.

Returns:
    dict, as json.loads returns it.

Example:
    >>> handler = sluice.Handler(sluice.EventStore(), [])
    >>> sorted(handler.openapi()["paths"])[0]
    '/analytics')";

inline constexpr const char* resolve =
    R"(resolve($self, method: str, target: str | bytes, headers: _Headers, scheme: str = 'https', mount: str = '') -> ResolvedRequest
--

Looks up the route and the key of a request, once for all that a server needs of them.

Args:
    method: Such as 'GET', a str.
    target: Path and query string, str or bytes.
    headers: A mapping or pairs of str or bytes.
    scheme: 'https' or 'http'.
    mount: The path of an application that the handler is mounted in, as for handle().

Returns:
    A ResolvedRequest, also for a request that will be refused.)";

inline constexpr const char* resolved = R"(A request whose route and key were looked up.

Made by Handler.resolve(). Its key stays valid for it, even if the handler's keys are replaced.)";

inline constexpr const char* route =
    "The label of the request in logs and metrics: the path of its route, or 'other', a str.";
inline constexpr const char* key_number =
    "The number of the key, an int, 0 without a known key. Servers share their threads by it.";
inline constexpr const char* is_small =
    "True if the answer takes a fraction of a millisecond, so that no other thread is needed.";

inline constexpr const char* handle_resolved =
    R"(handle($self, now: datetime | None = None, cancellation: Cancellation | None = None) -> Response
--

Answers the request, and charges it to the limits of its key. Releases the GIL.

Args:
    now: An aware datetime; the present by default.
    cancellation: A Cancellation that may end a search early, or None.

Returns:
    A Response, whatever the request.)";

}  // namespace handler_doc

}  // namespace sluice::bindings

#endif
