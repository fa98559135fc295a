"""Limits of files: one file, what a person keeps unused, what a step passes on."""

from datetime import timedelta

FILE_BYTES = 10 * 1024 * 1024
"""One file, kept in the database."""
UNUSED_PERIOD = timedelta(days=1)
"""How long an uploaded file waits for a start that uses it."""
PERSON_UNUSED_FILES = 50
"""Uploaded files of one person that no start has used yet."""
PERSON_UNUSED_BYTES = 100 * 1024 * 1024
"""Their bytes together: uploads fill the database."""
TENANT_UNUSED_BYTES = 1024 * 1024 * 1024
"""Bytes of all files of a tenant that no start has used yet."""
RESULT_FILES = 1_000
"""Files that steps of one tree of runs keep, such as answers of services."""
RESULT_BYTES = 1024 * 1024 * 1024
"""Their bytes together: they fill the database."""
LINK_SECONDS = 3_600
"""How long the link to a file in a polled job works; a new poll gives a new one."""
NAMED_FILES = 100
"""Files that one input names or one page describes; the others are not looked up."""
EXPIRED_FILES = 100
"""Expired files that one statement deletes, with their bytes."""
SEARCHED_VALUES = 10_000
"""Values of one job's input and params that are searched for ids of files."""
