"""What requests may take of a process that answers many (docs/security.md, "Requests"): `ceilings` ends one that
computes for too long, `admission` refuses callers who ask for more than their share.
"""
