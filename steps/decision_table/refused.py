"""The refusal of a document that can't be imported or exported."""


class Refused(ValueError):
    """What of the document has no equivalent, by name: `the hit policy PRIORITY`."""
