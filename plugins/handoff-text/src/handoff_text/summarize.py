"""text.summarize: the sentences that stand for the whole text, in its order. Extractive, without an LLM."""

from collections.abc import Sequence

from pydantic import Field

from handoff.steps import Json, Params, StepContext, StepType, WholeNumber
from handoff_text import by_llm, centrality, tokens
from handoff_text.language import Language, detect, general_stems, stems
from handoff_text.sentences import Sentence, sentences_of
from handoff_text.source import LLM_HELP, LLM_TITLE, TextInput, TextOutput
from handoff_text.stopwords import words

GENERAL_WEIGHT = 0.3
# Content words of a sentence that says something, and of one that is still read at once.
ENOUGH, PLENTY, STRICTNESS = 8, 20, 0.8

# A sentence that opens like this leans on the one before it, which is probably not in the summary.
LEANING = words(
    """
    accordingly also and because besides both but consequently conversely each either finally furthermore hence here
    he her his however instead it its likewise meanwhile moreover nevertheless nonetheless nor or otherwise second she
    similarly so some such that their them then there therefore these they third this those thus which yet
    aber allerdings also auch außerdem da dabei dadurch dafür dagegen daher dahinter damit danach dann daran darauf
    daraus darin darüber darum davon davor dazu dazwischen denn dennoch derselbe deshalb deswegen dies diese diesem
    diesen dieser dieses doch dort ebenso er erstens es ferner hier hierbei hierzu ihm ihn ihnen ihr ihre ihrem ihren
    ihrer indes jedoch jene jenem jenen jener jenes oder schließlich sein seine seinem seinen seiner sie so solch
    solche solchen solcher somit sondern sonst trotzdem und vielmehr zudem zweitens
    """
)
# These lean wherever they stand near the beginning.
LINKING = words(
    "however therefore thus hence such this these those also deshalb daher jedoch dagegen darum diese dieser"
)
LEANS, LINKS, ASKS, QUOTES = 0.55, 0.85, 0.5, 0.7


class SummarizeParams(Params):
    """How long the summary is."""

    sentences: WholeNumber = Field(
        3, ge=1, le=50, title="Sentences", description="How many sentences the summary has."
    )
    llm: bool = Field(False, title=LLM_TITLE, description=LLM_HELP)


class Summary(TextOutput):
    """`sentences`: how many there are; fewer than asked for if the text has no more."""

    sentences: int


def run(context: StepContext) -> Json:
    """`{text, sentences}`. Raises StepError where a language model is asked and doesn't help."""
    params: SummarizeParams = context.params
    if params.llm:
        sentences = by_llm.summary(context, context.input.text, params.sentences)
    else:
        sentences = summarize(context.input.text, params.sentences)
    return {"text": " ".join(sentences), "sentences": len(sentences)}


def summarize(text: str, limit: int) -> list[str]:
    """The most central sentences in the order of the text; with its paragraphs shuffled, the same ones."""
    counts = tokens.count(text)
    language = detect(counts)
    in_order = _candidates(sentences_of(text, language))
    if len(in_order) <= limit:
        return in_order
    # From here on the sentences are in the order of their own texts: where they stood can play no part.
    ordered = sorted(in_order)
    stem_of = stems({word: n for word, n in counts.items() if word not in language.stop}, language)
    terms = [_terms(sentence, language, stem_of) for sentence in ordered]
    weights = dict.fromkeys(general_stems(language), GENERAL_WEIGHT)
    vectors = centrality.vectors(terms, weights)
    scores = [
        central * _worth(sentence, len(sentence_terms))
        for central, sentence, sentence_terms in zip(
            centrality.centralities(vectors), ordered, terms, strict=True
        )
    ]
    best = {ordered[index] for index in centrality.pick(scores, vectors, limit)}
    return [sentence for sentence in in_order if sentence in best]


def _candidates(sentences: Sequence[Sentence]) -> list[str]:
    """Whole sentences, each once; lines and headings only where there is nothing else."""
    whole = [sentence.text for sentence in sentences if sentence.is_whole]
    return list(dict.fromkeys(whole or [sentence.text for sentence in sentences]))


def _terms(sentence: str, language: Language, stem_of: dict[str, str]) -> list[str]:
    lower = map(tokens.normal, tokens.words_of(sentence))
    return [stem_of[word] for word in lower if word not in language.stop and tokens.is_content(word)]


def _worth(sentence: str, terms: int) -> float:
    """What the form of a sentence says: too short, too long, leaning on others, a question or a quotation."""
    worth: float = min(1.0, terms / ENOUGH, PLENTY / max(terms, 1)) ** STRICTNESS
    opening = [tokens.normal(word) for word in tokens.WORD.findall(sentence[:80])[:6]]
    if opening and opening[0] in LEANING:
        worth *= LEANS
    elif any(word in LINKING for word in opening):
        worth *= LINKS
    if sentence.rstrip("\"'»«”“’)")[-1:] in "?？؟":
        worth *= ASKS
    if sentence[0] in "\"'„“”«»‚‘「":
        worth *= QUOTES
    return worth


TEXT_SUMMARIZE = StepType(
    name="text.summarize",
    kind="inline",
    title="Summarize",
    help="Shortens the text to its most representative sentences.",
    keywords="shorten abstract digest tl;dr extract",
    icon="align-left",
    group="text",
    example={
        "params": {"sentences": 1},
        "input": {
            "text": "Peat stores carbon as long as it is wet. Somebody opened a window. "
            "Drained peat gives its carbon off. Wet peat keeps carbon, and drained peat loses it."
        },
    },
    params_model=SummarizeParams,
    input_model=TextInput,
    output_model=Summary,
    run=run,
    rewrites_text=True,
    variant=by_llm.variant,
)
