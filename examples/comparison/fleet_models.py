# SPDX-License-Identifier: MIT
"""The vehicles of fleet.py as a model of Django, with the settings of its programs."""

import os
from typing import Any

import django
import sqlalchemy as sa
from django.conf import settings

PLACE = sa.make_url(os.environ["FLEET"])
DATABASE: dict[str, Any] = {"ENGINE": "django.db.backends.postgresql", "CONN_MAX_AGE": None}
DATABASE |= {"NAME": PLACE.database, "USER": PLACE.username, "HOST": f"{PLACE.query['host']}"}
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": DATABASE},
    MIDDLEWARE=["sluice.django.ErrorMiddleware"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    SLUICE_ERRORS="problem",
    USE_TZ=True,
    TIME_ZONE="UTC",
)
django.setup()

from django.contrib.postgres.fields import ArrayField  # noqa: E402
from django.db import models  # noqa: E402
from django.urls import URLPattern  # noqa: E402

urlpatterns: list[URLPattern] = []  # each program adds its own
FUELS = ("petrol", "diesel", "electric")


class VehicleModel(models.Model):  # type: ignore[misc]
    id = models.UUIDField(primary_key=True)
    plate = models.TextField()
    depot = models.UUIDField()
    fuel = models.CharField(max_length=8, choices=[(fuel, fuel) for fuel in FUELS])
    brand = models.TextField(null=True)
    seats = models.IntegerField()
    price = models.DecimalField(max_digits=10, decimal_places=2)
    registered = models.DateTimeField()
    inspected = models.DateField(null=True)
    available = models.BooleanField()
    equipment = ArrayField(models.TextField())
    details = models.JSONField(null=True)

    class Meta:
        app_label = "fleet"
        db_table = "vehicles"
        managed = False
