# SPDX-License-Identifier: MIT
"""What a server measures, as Prometheus reads it."""

import asyncio
from collections.abc import Iterator

import prometheus_client as prometheus
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from sluice._answers import Answer, send_answer
from sluice._sluice import request_metrics, route_label
from sluice.api import Handler
from sluice.asgi import Receive, Scope, Send


class Metrics:
    """Counts requests, and shows that and what the handler counts as the application /metrics.

    The values of labels are bounded: a path that is no route's is `other`.
    """

    def __init__(self, handler: Handler) -> None:
        """Makes metrics that are all zero."""
        prometheus.disable_created_metrics()  # type: ignore[no-untyped-call]
        counted, timed, bounds = request_metrics()
        self._registry = prometheus.CollectorRegistry()
        self._requests = prometheus.Counter(
            *counted, labelnames=("route", "status"), registry=self._registry
        )
        self._seconds = prometheus.Histogram(
            *timed, labelnames=("route",), buckets=bounds, registry=self._registry
        )
        self._registry.register(_HandlerMetrics(handler))

    def count(self, path: str, status: int, seconds: float) -> None:
        """Counts a request."""
        route = route_label(path)
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request of Prometheus."""
        if scope["path"] != "/metrics" or scope["method"] not in ("GET", "HEAD"):
            text, status, kind = b"expected GET /metrics\n", 404, "text/plain; charset=utf-8"
        else:
            text = await asyncio.to_thread(prometheus.generate_latest, self._registry)
            status, kind = 200, CONTENT_TYPE_PLAIN_0_0_4
        size = str(len(text)).encode()
        headers = [(b"content-type", kind.encode()), (b"content-length", size)]
        body = b"" if scope["method"] == "HEAD" else text
        await send_answer(send, Answer(status, headers, body))


class _HandlerMetrics(Collector):
    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def collect(self) -> Iterator[Metric]:
        for name, what, is_counter, value in self._handler.measure():
            family = CounterMetricFamily if is_counter else GaugeMetricFamily
            yield family(name, what, value=value)
