"""What can be done with a text, without a network and without a model that is loaded at run time."""

from handoff_text.clean import TEXT_CLEAN
from handoff_text.keywords import TEXT_KEYWORDS
from handoff_text.summarize import TEXT_SUMMARIZE
from handoff_text.tag import TEXT_TAG
from handoff_text.translate import TEXT_TRANSLATE

STEP_TYPES = (TEXT_CLEAN, TEXT_SUMMARIZE, TEXT_KEYWORDS, TEXT_TAG, TEXT_TRANSLATE)
"""In the order in which they are shown."""
