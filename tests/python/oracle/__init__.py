# SPDX-License-Identifier: MIT
"""A naive reading of the reference documentation: events and tags row by row, in plain Python.

It knows valid requests only and shares nothing with the library: dicts, zoneinfo, decimal and
urllib do the work.
"""

from oracle.answers import FILTERS, Oracle
from oracle.expression import Number

__all__ = ["FILTERS", "Number", "Oracle"]
