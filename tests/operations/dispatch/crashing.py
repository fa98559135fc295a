"""Statements of dispatch at which no crash is staged: each keeps or deletes samples alone."""

HARMLESS = "keep_dispatch_sample forget_dispatch_samples"
