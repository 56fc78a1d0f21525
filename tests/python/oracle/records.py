# SPDX-License-Identifier: MIT
"""The records of an answer, field by field in their order."""

from typing import Any
from urllib.parse import quote

Record = dict[str, Any]


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


LINK_FIELDS = words(
    "id domain key url trackConversion externalId tenantId programId partnerId archived expiresAt "
    "expiredUrl disabledAt password proxy title description image video rewrite doIndex ios "
    "android geo publicStats tags folderId webhookIds comments shortLink qrCode utm_source "
    "utm_medium utm_campaign utm_term utm_content testVariants testStartedAt testCompletedAt "
    "userId workspaceId clicks leads conversions sales saleAmount lastClicked createdAt updatedAt "
    "tagId projectId"
)
CLICK_FIELDS = words(
    "id timestamp url country city region continent device browser os trigger referer refererUrl "
    "qr ip"
)
CUSTOMER_FIELDS = words("id externalId name email avatar country createdAt")
TAG_FIELDS = words("id name color")
CLICK_TWINS = words("url continent country city device browser os")
LINK_DEFAULTS: Record = {
    **dict.fromkeys(words("trackConversion archived proxy rewrite doIndex publicStats"), False),
    **dict.fromkeys(words("clicks leads conversions sales saleAmount"), 0),
    **dict.fromkeys(words("expiresAt disabledAt testStartedAt testCompletedAt lastClicked"), ""),
    "webhookIds": [],
}
PATH_CHARACTERS = "/:@!$&'()*+,;="  # besides letters, digits and -._~


def tag_record(stored: Record) -> Record:
    return {name: stored[name] for name in TAG_FIELDS if stored.get(name) is not None}


def link_record(stored: Record, workspace: str) -> Record:
    tags = [tag_record(tag) for tag in stored.get("tags") or ()]
    address = f"https://{stored['domain']}"
    if stored["key"] != "_root":
        address += "/" + quote(stored["key"], safe=PATH_CHARACTERS)
    known = stored | {
        "tags": tags,
        "shortLink": address,
        "qrCode": address + "?qr=image",
        "workspaceId": workspace,
        "tagId": tags[0]["id"] if tags else None,
        "projectId": workspace,
    }
    record = {}
    for name in LINK_FIELDS:
        if name in known or name != "testVariants":
            value = known.get(name)
            record[name] = LINK_DEFAULTS.get(name) if value is None else value
    return record


def click_record(stored: Record) -> Record:
    return {name: stored.get(name) for name in CLICK_FIELDS}


def customer_record(stored: Record) -> Record:
    return {name: stored.get(name) for name in CUSTOMER_FIELDS}


def twins(click: Record, link: Record) -> Record:
    return {
        "click_id": click["id"],
        "link_id": link["id"],
        "domain": link["domain"],
        "key": link["key"],
        **{name: click[name] for name in CLICK_TWINS},
        "qr": 1 if click["qr"] else 0,
        "ip": click["ip"],
    }


def click_event(click: Record, link: Record) -> Record:
    return {
        "event": "click",
        "timestamp": click["timestamp"],
        "click": click_record(click),
        "link": link,
        **twins(click, link),
    }


def lead_event(stored: Record, click: Record, link: Record, customer: Record) -> Record:
    return {
        "event": "lead",
        "timestamp": stored["timestamp"],
        "eventId": stored["eventId"],
        "eventName": stored["eventName"],
        "metadata": stored.get("metadata"),
        "click": click_record(click),
        "link": link,
        "customer": customer,
        **twins(click, link),
    }


def sale_event(stored: Record, click: Record, link: Record, customer: Record) -> Record:
    return {
        "event": "sale",
        "timestamp": stored["timestamp"],
        "eventId": stored["eventId"],
        "eventName": stored["eventName"],
        "sale": {
            "amount": stored["amount"],
            "invoiceId": stored.get("invoiceId"),
            "paymentProcessor": stored["paymentProcessor"],
            "currency": stored["currency"].lower(),
        },
        "metadata": stored.get("metadata"),
        "link": link,
        "click": click_record(click),
        "customer": customer,
        "saleAmount": stored["amount"],
        "invoice_id": stored.get("invoiceId") or "",
        "payment_processor": stored["paymentProcessor"],
        **twins(click, link),
    }
