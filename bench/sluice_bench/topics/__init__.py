# SPDX-License-Identifier: MIT
"""One module a topic; each has cells(context)."""
