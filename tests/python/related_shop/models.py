# SPDX-License-Identifier: MIT
"""Orders with customers and items."""

from django.db import models


class DjangoRegion(models.Model):  # type: ignore[misc]
    name = models.TextField()


class DjangoCustomer(models.Model):  # type: ignore[misc]
    country = models.TextField(null=True)
    since = models.DateField()
    token = models.UUIDField()
    region = models.ForeignKey(DjangoRegion, models.CASCADE, null=True)


class DjangoOrder(models.Model):  # type: ignore[misc]
    customer = models.ForeignKey(DjangoCustomer, models.CASCADE, null=True)


class DjangoItem(models.Model):  # type: ignore[misc]
    order = models.ForeignKey(DjangoOrder, models.CASCADE, related_name="items")
    sku = models.TextField()
    count = models.IntegerField()
    weight = models.FloatField()
