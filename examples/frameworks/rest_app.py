# SPDX-License-Identifier: MIT
"""GET /orders with Django REST framework: any WSGI server takes rest_app:application."""

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection, models
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    MIDDLEWARE=["sluice.django.ErrorMiddleware"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    SLUICE_ERRORS="problem",
    USE_TZ=True,
)
django.setup()

from orders import ORDERS, Orders  # noqa: E402
from rest_framework.generics import ListAPIView  # noqa: E402
from rest_framework.serializers import ModelSerializer  # noqa: E402

import sluice.wsgi  # noqa: E402
from sluice.limits import Header  # noqa: E402
from sluice.rest_framework import FilterBackend, Pagination  # noqa: E402


class OrderModel(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    status = models.TextField()
    customer_id = models.TextField()
    total = models.BigIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        app_label = "shop"


class OrderSerializer(ModelSerializer):  # type: ignore[misc]
    class Meta:
        model = OrderModel
        fields = ("id", "status", "customer_id", "total", "created_at")


class OrderList(ListAPIView):  # type: ignore[misc]
    queryset = OrderModel.objects.all()
    serializer_class = OrderSerializer
    filter_backends = (FilterBackend.of(Orders),)
    pagination_class = Pagination


with connection.schema_editor() as editor:
    editor.create_model(OrderModel)
OrderModel.objects.bulk_create(OrderModel(**order) for order in ORDERS)

urlpatterns = [path("orders", OrderList.as_view())]
application = sluice.wsgi.RateLimit(
    WSGIHandler(), sluice.RateLimiter(100, 60), key=Header("X-API-Key"), errors="problem"
)
