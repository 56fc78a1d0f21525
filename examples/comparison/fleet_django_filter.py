# SPDX-License-Identifier: MIT
"""GET /vehicles with Django REST framework and django-filter."""

from django.core.wsgi import get_wsgi_application
from django.urls import path
from django_filters import rest_framework as filters
from fleet_models import FUELS, VehicleModel, urlpatterns
from rest_framework.filters import SearchFilter
from rest_framework.generics import ListAPIView
from rest_framework.pagination import PageNumberPagination
from rest_framework.serializers import ModelSerializer


class VehicleSerializer(ModelSerializer):  # type: ignore[misc]
    class Meta:
        model = VehicleModel
        fields = "__all__"


class TextsFilter(filters.BaseInFilter, filters.CharFilter):  # type: ignore[misc]
    pass


class IdsFilter(filters.BaseInFilter, filters.UUIDFilter):  # type: ignore[misc]
    pass


class FuelsFilter(filters.BaseInFilter, filters.ChoiceFilter):  # type: ignore[misc]
    pass


class VehicleFilter(filters.FilterSet):  # type: ignore[misc]
    depot = IdsFilter(field_name="depot", lookup_expr="in")
    depot_not = IdsFilter(field_name="depot", lookup_expr="in", exclude=True)
    fuel = FuelsFilter(field_name="fuel", lookup_expr="in", choices=[(f, f) for f in FUELS])
    fuel_not = FuelsFilter(
        field_name="fuel", lookup_expr="in", exclude=True, choices=[(f, f) for f in FUELS]
    )
    brand = TextsFilter(field_name="brand", lookup_expr="in")
    brand_not = TextsFilter(field_name="brand", lookup_expr="in", exclude=True)
    seats = filters.NumberFilter()
    seats_min = filters.NumberFilter(field_name="seats", lookup_expr="gte")
    seats_max = filters.NumberFilter(field_name="seats", lookup_expr="lte")
    price_min = filters.NumberFilter(field_name="price", lookup_expr="gte")
    price_max = filters.NumberFilter(field_name="price", lookup_expr="lte")
    registered_after = filters.IsoDateTimeFilter(field_name="registered", lookup_expr="gte")
    registered_before = filters.IsoDateTimeFilter(field_name="registered", lookup_expr="lte")
    inspected_after = filters.DateFilter(field_name="inspected", lookup_expr="gte")
    inspected_before = filters.DateFilter(field_name="inspected", lookup_expr="lt")
    uninspected = filters.BooleanFilter(field_name="inspected", lookup_expr="isnull")
    available = filters.BooleanFilter()
    equipment = TextsFilter(field_name="equipment", lookup_expr="overlap")
    plan = filters.CharFilter(field_name="details__plan")
    order = filters.OrderingFilter(fields=("registered", "price", "seats", "inspected"))


class Pages(PageNumberPagination):  # type: ignore[misc]
    page_size = 20
    max_page_size = 100
    page_size_query_param = "limit"


class VehicleList(ListAPIView):  # type: ignore[misc]
    queryset = VehicleModel.objects.order_by("-registered")
    serializer_class = VehicleSerializer
    filter_backends = (filters.DjangoFilterBackend, SearchFilter)
    filterset_class = VehicleFilter
    search_fields = ("plate", "brand")
    pagination_class = Pages


urlpatterns.append(path("filtered/vehicles", VehicleList.as_view()))
app = get_wsgi_application()
