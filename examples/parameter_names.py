# SPDX-License-Identifier: MIT
"""Keeps the parameter names of an API that exists."""

from collections.abc import Sequence

import sluice
from sluice.pages import page_headers


class Goods(sluice.ListQuery, names="underscores", ignore_empty=True):
    """Parameters as Django's programs name them."""

    price = sluice.decimal(operators=(">=", "<"))  # price__gte, price__lt
    weight = sluice.real(operators={">=": "weight_from", "<=": "weight_to"})
    status = sluice.texts(name="status__in", column="status")
    others = sluice.texts(name="status__not_in", column="status", exclusion="always")
    tags = sluice.filter(name="tags[]", lists="repeated")  # tags[]=a,b&tags[]=c
    brand = sluice.filter(exclusion="never")
    other_brands = sluice.filter(name="brand!", column="brand", exclusion="always")
    created = sluice.window(
        start="created_after", end="created_before", interval=None, default="all"
    )
    order = sluice.sort("price", "weight", name="ordering", form="colon")  # price:desc,weight
    page = sluice.page(page=None, offset="offset", cursor="after", count=None)


query = Goods.parse("price__gte=10&status__in=new,used&brand!=acme&ordering=price:desc&weight_to=")
print(query.tree()["where"]["all"])
print(query.tree()["order"][0])


class Books(sluice.ListQuery):
    """An order of two parameters, and pages by number."""

    title = sluice.text()
    sort = sluice.sort("title", direction="order", directions=("up", "down"))
    page = sluice.page(page="p", limit="page_size", default=20)


books = Books.parse("sort=title&order=down&p=2")
print(books.sort, books.page.offset)
print(page_headers(books, "/books", 20)["Link"].split(", ")[2])


def by_field(errors: Sequence[sluice.ApiError]) -> tuple[int, object]:
    """Returns the status and the body of errors: an argument of install(), or SLUICE_ERRORS."""
    status = 400 if errors[0].status == 422 else errors[0].status
    return status, {error.param or "detail": [error.message] for error in errors}


print(by_field(Goods.errors("price__gte=ten&after=x"))[1])
