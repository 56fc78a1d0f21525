# SPDX-License-Identifier: MIT
"""The parts of compare.py: data, engines, topics of measurements, and their report."""
