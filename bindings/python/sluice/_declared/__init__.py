# SPDX-License-Identifier: MIT
"""Endpoints that Python declares: a class whose attributes are the parameters.

parameter.py    what an attribute of such a class is
arguments.py    arguments of the functions below, and what is wrong with some
conditions.py   conditions on rows: filter, decimal, uuid ...
lists.py        window, sort, page
values.py       what attributes of a query are
rule.py         rules of a program's own
list_query.py   the class itself
"""
