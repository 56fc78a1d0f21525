# SPDX-License-Identifier: MIT
"""Endpoints declared in Python: a class whose attributes are the parameters.

parameter.py    the attributes of such a class
arguments.py    the arguments of the functions below, and their validation
conditions.py   conditions on rows: filter, decimal, uuid ...
expressions.py  conditions and orders in the grammars of guidelines
guidelines.py   the whole set of parameters of a guideline
groups.py       group_by, measures, facets
lists.py        window, sort, page
values.py       values of a query's attributes
rule.py         custom rules
list_query.py   the class itself
"""
