# SPDX-License-Identifier: MIT
"""The command `explore`: a page for queries, and what it asks for rows.

command.py   the start; options.py, its options
app.py       requests: who may ask, which route, on which thread
pages.py     the files of the page
source.py    what a source of rows can do, and how much an answer may cost
events.py    sources of events: a folder (folder.py), a service (service.py, place.py)
parquet.py   a file: its types (normal.py), its columns (columns.py), its cells as JSON (cells.py)
"""
