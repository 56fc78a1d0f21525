# SPDX-License-Identifier: MIT
"""A query's conditions in the terms of other libraries, which are imported only when asked for."""
