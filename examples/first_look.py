# SPDX-License-Identifier: MIT
import sluice

countries = sluice.Filter.parse("-US,CA")  # all but two
print(countries.mask(["FR", "CA", None]))  # [True, False, True]

try:
    sluice.EventsQuery.parse("country=US,-CA")
except sluice.ApiError as error:
    print(error.param, error.rule, error.offset)  # country filter_dash 3
