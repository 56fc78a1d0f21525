# SPDX-License-Identifier: MIT
"""Orders with customers and items; sales of test_orm_plans.py, whose tables are SQLAlchemy's."""

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


class DjangoBuyer(models.Model):  # type: ignore[misc]
    country = models.CharField(max_length=40)

    class Meta:
        managed = False
        db_table = "buyers"


class DjangoSale(models.Model):  # type: ignore[misc]
    number = models.IntegerField(primary_key=True)
    created = models.DateTimeField()
    name = models.CharField(max_length=40)
    code = models.CharField(max_length=40, db_collation="C")  # or that of MariaDB
    token = models.UUIDField()
    day = models.DateField()
    weight = models.FloatField()
    note = models.CharField(max_length=40, null=True)
    label = models.TextField(null=True)
    buyer = models.ForeignKey(DjangoBuyer, models.DO_NOTHING, related_name="sales")

    class Meta:
        managed = False
        db_table = "sales"
