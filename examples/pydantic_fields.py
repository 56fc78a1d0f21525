# SPDX-License-Identifier: MIT
"""Values as fields of pydantic and parameters of FastAPI."""

from typing import Annotated

from fastapi import FastAPI, Query
from pydantic import BaseModel, ValidationError

import sluice


class Report(BaseModel):
    country: sluice.Filter
    since: sluice.TimeExpression = sluice.TimeExpression.parse("7 days ago")


report = Report.model_validate_json('{"country": "-US,CA"}')
print("FR" in report.country, report.model_dump_json())
try:
    Report.model_validate({"country": "US,-CA"})
except ValidationError as error:
    print(error.errors()[0]["type"], "-", error.errors()[0]["msg"])

app = FastAPI()


@app.get("/countries")
def countries(country: Annotated[sluice.Filter, Query()]) -> list[str]:
    return [code for code in ("CA", "FR", "US") if code in country]


[parameter] = app.openapi()["paths"]["/countries"]["get"]["parameters"]
print(parameter["name"], parameter["schema"]["type"], "-", parameter["schema"]["description"])
