# SPDX-License-Identifier: MIT
"""The parameters of GET /events as users of other libraries would declare them."""
