"""Whether an English word acts as a noun where it stands, told by its ending and its neighbours; no lexicon."""

import re

from handoff_text.stopwords import words

# After these a word that ends a phrase is a noun.
BEFORE = words(
    """
    a about above across after against all along among an another any at before behind below beneath between both by
    despite during each either every few for from her his in into its many my near no on onto our over per several
    since some the their these this those through toward towards under until upon via what with within without your of
    """
)
# Before these, too ...
AFTER = words(
    """
    are can could did does had has have is may might must of shall should that was were which who whose will would
    """
)
# ... unless one of these makes it a verb.
SUBJECTS = words(
    "can could did do does don't he i it may might must not shall she should that they to we who will would you"
)
MODALS = words("can can't could couldn't don't doesn't may might must not shall should will won't would")
SURELY = re.compile(r".{2,}(?:tion|sion|ment|ness|ity|ism|ship|ance|ence|logy|ist|ists|tions|ments|ities)$")
NEVER = re.compile(r"(?:ically|[^e]ed)$")
SUPERLATIVE = re.compile(r".{3,}est$")
NO_SUPERLATIVES = words(
    """
    arrest conquest contest digest forest guest harvest interest invest manifest protest rainforest request tempest
    """
)
ADVERB = re.compile(r".{3,}ly$")
NO_ADVERBS = words(
    "ally anomaly assembly belly bully butterfly family italy jelly july monopoly rally reply supply"
)

# Most nouns have such evidence in half of their places, verbs and adjectives hardly any.
EVIDENCE, AGAINST = 2.0, -1.0


def is_adverb(word: str) -> bool:
    """Whether an English word in lower case is surely an adverb: those part phrases."""
    return bool(ADVERB.match(word)) and word not in NO_ADVERBS


def is_superlative(word: str) -> bool:
    """Whether an English word in lower case is surely a superlative."""
    return bool(SUPERLATIVE.match(word)) and word not in NO_SUPERLATIVES


def evidence(before: str, word: str, after: str, ends_phrase: bool) -> float | None:
    """How much speaks for a noun, or against one; None where one can't tell, since another word of the phrase follows.

    `before` and `after` are the words around the phrase, in lower case, empty at a comma or the like.
    """
    if NEVER.search(word) or is_superlative(word) or before in MODALS:
        return AGAINST
    if SURELY.match(word):
        return EVIDENCE
    if not ends_phrase:
        return None
    is_noun = before in BEFORE or (after in AFTER and before not in SUBJECTS)
    return EVIDENCE if is_noun else 0.0
