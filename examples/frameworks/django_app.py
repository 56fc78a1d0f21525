# SPDX-License-Identifier: MIT
"""GET /orders with Django: any WSGI server takes django_app:application."""

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"],
    MIDDLEWARE=["sluice.django.ErrorMiddleware"],
    ROOT_URLCONF=__name__,
    SLUICE_ERRORS="problem",
)
django.setup()

from orders import Orders, connect, find  # noqa: E402

import sluice.django  # noqa: E402
import sluice.wsgi  # noqa: E402
from sluice.limits import Header  # noqa: E402
from sluice.pages import page_headers  # noqa: E402

connection = connect()


def list_orders(request: HttpRequest) -> HttpResponse:
    query = sluice.django.read(Orders, request)
    page = find(connection, query)
    headers = page_headers(query, request.path, len(page.rows), ends=page.ends, total=page.total)
    return JsonResponse(page.rows, safe=False, headers=headers)


urlpatterns = [path("orders", list_orders)]
application = sluice.wsgi.RateLimit(
    WSGIHandler(), sluice.RateLimiter(100, 60), key=Header("X-API-Key"), errors="problem"
)
