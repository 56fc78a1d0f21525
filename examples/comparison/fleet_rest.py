# SPDX-License-Identifier: MIT
"""GET /vehicles with Django REST framework and sluice."""

from django.core.wsgi import get_wsgi_application
from django.urls import path
from fleet_models import FUELS, VehicleModel, urlpatterns
from rest_framework.generics import ListAPIView
from rest_framework.serializers import ModelSerializer

import sluice
from sluice.rest_framework import FilterBackend, Pagination


class VehicleSerializer(ModelSerializer):  # type: ignore[misc]
    class Meta:
        model = VehicleModel
        fields = "__all__"


class Vehicles(sluice.ListQuery, model=VehicleModel):
    """Vehicles of a rental."""

    q = sluice.search("plate", "brand")
    depot = sluice.filter()
    fuel = sluice.filter(choices=FUELS)
    brand = sluice.filter()
    seats = sluice.integer(operators=("=", ">=", "<="))
    price = sluice.decimal(operators=(">=", "<="))
    registered = sluice.window(default="all")
    inspected = sluice.date(operators=(">=", "<"))
    uninspected = sluice.is_null(column="inspected")
    available = sluice.boolean()
    equipment = sluice.filter()
    details = sluice.metadata()
    order = sluice.sort("registered", "price", "seats", "inspected", default="-registered")
    page = sluice.page(default=20, maximum=100)


class VehicleList(ListAPIView):  # type: ignore[misc]
    queryset = VehicleModel.objects.all()
    serializer_class = VehicleSerializer
    filter_backends = (FilterBackend.of(Vehicles),)
    pagination_class = Pagination


urlpatterns.append(path("vehicles", VehicleList.as_view()))
app = get_wsgi_application()
