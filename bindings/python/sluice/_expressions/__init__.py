# SPDX-License-Identifier: MIT
"""Conditions as expressions of other libraries, which are imported on demand."""
