"""Which sentences stand for a text: the ones most like all the others, and not like one another.

Nothing here knows where a sentence stands. The sentences are worked through in the order of their own texts, so
that shuffled paragraphs give the same sums to the last bit.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

Vector = Mapping[str, float]

# How much of a text may cost: a sentence beyond these many terms is a list, and the best few are compared in pairs.
MAX_TERMS = 60
MAX_COMPARED = 400
DIVERSITY = 0.45


def vectors(sentences: Sequence[Sequence[str]], weights: Mapping[str, float]) -> list[Vector]:
    """Each sentence's terms as a TF-IDF vector of length 1; `weights` tells terms that count for less than 1."""
    spread = Counter(term for sentence in sentences for term in sorted(set(sentence)))
    # The root: what a text is about stands in many of its sentences, and must not be punished for it as in a search.
    rarity = {term: math.sqrt(math.log(1 + len(sentences) / count)) for term, count in spread.items()}
    return [_unit(sentence, rarity, weights) for sentence in sentences]


def _unit(sentence: Sequence[str], rarity: Mapping[str, float], weights: Mapping[str, float]) -> Vector:
    counts = Counter(sentence)
    raw = {
        term: (1 + math.log(counts[term])) * rarity[term] * weights.get(term, 1.0) for term in sorted(counts)
    }
    if len(raw) > MAX_TERMS:
        raw = dict(sorted(raw.items(), key=lambda item: (-item[1], item[0]))[:MAX_TERMS])
    length = math.sqrt(math.fsum(value * value for value in raw.values()))
    return {term: value / length for term, value in raw.items()} if length else {}


def likeness(one: Vector, other: Vector) -> float:
    """Cosine of two vectors of length 1."""
    if len(other) < len(one):
        one, other = other, one
    return math.fsum(value * other[term] for term, value in one.items() if term in other)


def centralities(all_vectors: Sequence[Vector]) -> list[float]:
    """How like each is to all the others together, 0..1: the sum over all pairs, without going through the pairs."""
    columns: dict[str, list[float]] = {}
    for vector in all_vectors:
        for term, value in vector.items():
            columns.setdefault(term, []).append(value)
    # fsum is exact, whatever the order.
    centre = {term: math.fsum(column) for term, column in columns.items()}
    degrees = [
        math.fsum(value * (centre[term] - value) for term, value in vector.items()) for vector in all_vectors
    ]
    top = max(degrees, default=0.0)
    return [degree / top if top > 0 else 0.0 for degree in degrees]


def pick(scores: Sequence[float], all_vectors: Sequence[Vector], limit: int) -> list[int]:
    """The indices of the best, each as good and as unlike those before it as can be (MMR); equals: the first."""
    left = sorted(range(len(scores)), key=lambda index: (-scores[index], index))[: max(MAX_COMPARED, limit)]
    closest = dict.fromkeys(left, 0.0)
    picked: list[int] = []
    for best in _rounds(scores, closest, min(limit, len(left))):
        picked.append(best)
        for index in closest:
            closest[index] = max(closest[index], likeness(all_vectors[index], all_vectors[best]))
    return picked


def _rounds(scores: Sequence[float], closest: dict[int, float], rounds: int) -> Iterator[int]:
    for _ in range(rounds):
        best = min(
            closest,
            key=lambda index: (
                DIVERSITY * closest[index] - (1 - DIVERSITY) * scores[index],
                index,
            ),
        )
        del closest[best]
        yield best
