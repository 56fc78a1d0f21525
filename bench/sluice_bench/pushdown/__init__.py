# SPDX-License-Identifier: MIT
"""The parts of engines.py: one query, answered by engines that hold the rows."""
