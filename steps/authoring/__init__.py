"""Definitions as code: workflows written in Python, and definitions printed as that Python (R-006)."""
