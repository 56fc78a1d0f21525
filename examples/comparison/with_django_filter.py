# SPDX-License-Identifier: MIT
"""GET /orders with Django REST framework and django-filter."""

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_THROTTLE_RATES": {"anon": "100/minute"},
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    USE_TZ=False,
)
django.setup()

from django_filters import rest_framework as filters  # noqa: E402
from rest_framework.generics import ListAPIView  # noqa: E402
from rest_framework.pagination import PageNumberPagination  # noqa: E402
from rest_framework.serializers import ModelSerializer  # noqa: E402
from rest_framework.throttling import AnonRateThrottle  # noqa: E402
from shop import ORDERS  # noqa: E402


class OrderModel(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    status = models.TextField()
    customer_id = models.TextField(null=True)
    total = models.BigIntegerField()
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        app_label = "shop"


class OrderSerializer(ModelSerializer):  # type: ignore[misc]
    class Meta:
        model = OrderModel
        fields = ("id", "status", "customer_id", "total", "created_at")


class TextInFilter(filters.BaseInFilter, filters.CharFilter):  # type: ignore[misc]
    pass


class OrderFilter(filters.FilterSet):  # type: ignore[misc]
    status = TextInFilter(field_name="status", lookup_expr="in")
    customer = TextInFilter(field_name="customer_id", lookup_expr="in")
    customer_not = TextInFilter(field_name="customer_id", lookup_expr="in", exclude=True)
    total_min = filters.NumberFilter(field_name="total", lookup_expr="gte")
    total_max = filters.NumberFilter(field_name="total", lookup_expr="lte")
    created_after = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="gte")
    created_before = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="lte")
    order = filters.OrderingFilter(fields=("created_at", "total"))


class Pages(PageNumberPagination):  # type: ignore[misc]
    page_size = 20
    max_page_size = 1_000
    page_size_query_param = "limit"


class OrderList(ListAPIView):  # type: ignore[misc]
    queryset = OrderModel.objects.order_by("-created_at")
    serializer_class = OrderSerializer
    filter_backends = (filters.DjangoFilterBackend,)
    filterset_class = OrderFilter
    pagination_class = Pages
    throttle_classes = (AnonRateThrottle,)


with connection.schema_editor() as editor:
    editor.create_model(OrderModel)
OrderModel.objects.bulk_create(OrderModel(**order) for order in ORDERS)

urlpatterns = [path("orders", OrderList.as_view())]
app = get_wsgi_application()
