# SPDX-License-Identifier: MIT
"""The command `explore`: a page for queries, and its data sources.

command.py   the start; options.py, its options
app.py       requests: access, routes, threads
pages.py     the files of the page
source.py    the interface of data sources, and the cost limit of an answer
events.py    sources of events: a folder (folder.py), a service (service.py, place.py)
parquet.py   a file: its types (normal.py), its columns (columns.py), its cells as JSON (cells.py)
"""
