"""Statements of telemetry at which no crash is staged: they count what happened."""

HARMLESS = "settle_telemetry lock_telemetry count_telemetry forget_telemetry"
