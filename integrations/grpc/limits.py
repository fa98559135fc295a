"""Limits of answers of the gRPC server."""

POLL_BYTES = 3_500 * 1024
"""Jobs in an answer to a poll, within clients' limits; a first job that alone is larger is still sent."""
STREAMED_JOBS = 100
"""Jobs that are leased at once for a stream."""
ANSWER_BYTES = 64 * 1024 * 1024
"""An answer, with the values of a run."""
WARNING_CHARACTERS = 2_000
"""Warnings in the metadata of an answer."""
