# SPDX-License-Identifier: MIT
"""An application of Django: only models of installed ones know relations to many."""
