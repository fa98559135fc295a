"""Limits of answers of the gRPC server."""

POLL_BYTES = 3_500 * 1024
"""Jobs in an answer to a poll, within clients' limits; a first job that alone is larger is still sent."""
STREAMED_JOBS = 100
"""Jobs that are leased at once for a stream."""
ANSWER_BYTES = 64 * 1024 * 1024
"""An answer, with the values of a run."""
WARNING_CHARACTERS = 2_000
"""Warnings in the metadata of an answer."""
TOKEN_STREAMS = 50
"""Streams of one token at one time."""
PROCESS_STREAMS = 500
"""Streams of one process at one time."""
ERROR_BYTES = 4_096
"""The details of an error: clients take 8 KiB of metadata in all."""
ERROR_MESSAGE_CHARACTERS = 1_000
"""The message of an error."""
ERROR_FIELD_CHARACTERS = 200
"""The field that an error names."""
CALLS = 2_000
"""Calls and streams at one time; more are refused. Strangers have half (`strangers.py`)."""
CONNECTION_CALLS = 200
"""Calls and streams of one connection; more wait at the client."""
HEALTH_STREAMS = 100
"""Streams of strangers at one time."""
ADDRESS_HEALTH_STREAMS = 20
"""Streams of strangers at one time from one address."""
STRANGERS_CALLS = 1_000
"""Calls of strangers at one time."""
ADDRESS_CALLS = 200
"""Calls of strangers at one time from one address."""
KNOWN_TOKENS = 10_000
"""Tokens that are remembered because a call with them was answered."""
