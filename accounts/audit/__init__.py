"""The audit log: who changed which setting, and who was refused what."""

from accounts.audit.records import change, change_by_command, change_by_server, record, record_unasked
from accounts.audit.values import CHANGED, digest_of, fields_of

__all__ = [
    "CHANGED",
    "change",
    "change_by_command",
    "change_by_server",
    "digest_of",
    "fields_of",
    "record",
    "record_unasked",
]
