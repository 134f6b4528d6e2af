"""IFBench (Pyatkin et al. 2025, https://arxiv.org/abs/2507.02833): the instructions that count."""

from __future__ import annotations

import re
from collections import Counter

from ..units import sentences, terminator, words
from .constraint import Checks, at_least, compare
from .keywords import occurrences
from .lexicon import CONJUNCTIONS, PERSON_NAMES, PRONOUNS, STOP_WORDS

COUNTS = Checks()
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)|(?<=[^\w.,][.,])\d+(?:[.,]\d+)*(?!\w)")
_INTERROBANG = re.compile(r"\?!|!\?|‽")
_STANDARD = ".,!?;:"
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f々ー]+\Z")
_TIMES = (1, 2, 3, 5, 7)
_MARGIN = 2.0  # percentage points, as the instruction says


@COUNTS.named("count:word_count_range")
def word_count_range(text: str, *, min_words: int, max_words: int) -> str:
    """Between so many and so many words, both included."""
    count = len(words(text))
    return "" if min_words <= count <= max_words else f"{count} words, expected {min_words} to {max_words}"


@COUNTS.named("count:unique_word_count")
def unique_word_count(text: str, *, N: int) -> str:  # noqa: N803 - the data set's name
    """At least so many different words, case ignored."""
    return at_least(len({word.casefold() for word in words(text)}), N, "unique words")


@COUNTS.named("count:numbers")
def numbers(text: str, *, N: int) -> str:  # noqa: N803
    """Exactly so many numbers in digits; ``3.14`` and ``1,000`` are one each, digits inside a word are none."""
    return compare(len(_NUMBER.findall(text)), "exactly", N, "numbers")


@COUNTS.named("count:conjunctions")
def conjunctions(text: str, *, small_n: int) -> str:
    """At least so many different coordinating conjunctions (for, and, nor, but, or, yet, so)."""
    found = CONJUNCTIONS & {word.casefold() for word in words(text)}
    return at_least(len(found), small_n, "different coordinating conjunctions")


@COUNTS.named("count:person_names")
def person_names(text: str, *, N: int) -> str:  # noqa: N803
    """At least so many different names of the list that the instruction gives, spelled with a capital."""
    spoken = {word.removesuffix("'s").removesuffix("’s") for word in words(text)}
    return at_least(len(spoken & set(PERSON_NAMES)), N, "different names of the list")


@COUNTS.named("count:pronouns")
def pronouns(text: str, *, N: int) -> str:  # noqa: N803
    """At least so many pronouns, of the closed list of English ones; "I'm" and "it's" hold one each."""
    bare = (word.casefold().replace("’", "'").partition("'")[0] for word in words(text))
    return at_least(sum(word in PRONOUNS for word in bare), N, "pronouns")


@COUNTS.named("count:punctuation")
def punctuation(text: str) -> str:
    """Each of ``. , ! ? ; :`` and an interrobang (``?!``, ``!?`` or ``‽``), which counts for no other mark."""
    rest, bangs = _INTERROBANG.subn(" ", text)
    missing = [mark for mark in _STANDARD if mark not in rest] + ([] if bangs else ["?!"])
    return f"missing: {' '.join(missing)}" if missing else ""


@COUNTS.named("count:words_japanese")
def words_japanese(text: str, *, N: int) -> str:  # noqa: N803
    """Every N-th word, counted at white space, is in Japanese script."""
    tokens = words(text)
    if len(tokens) < N:
        return f"{len(tokens)} words, so there is no word {N}"
    wrong = [index for index in range(N - 1, len(tokens), N) if not _JAPANESE.match(tokens[index])]
    return f"word {wrong[0] + 1} is {tokens[wrong[0]]!r}, not Japanese" if wrong else ""


@COUNTS.named("count:keywords_multiple")
def keywords_multiple(text: str, *, keyword1: str, keyword2: str, keyword3: str, keyword4: str, keyword5: str) -> str:
    """Five keywords exactly 1, 2, 3, 5 and 7 times, as whole words."""
    for keyword, times in zip((keyword1, keyword2, keyword3, keyword4, keyword5), _TIMES, strict=True):
        if why := compare(occurrences(text, keyword), "exactly", times, f"times {keyword!r}"):
            return why
    return ""


@COUNTS.named("ratio:stop_words")
def stop_words(text: str, *, percentage: int) -> str:
    """Stop words are at most so many percent of all words."""
    found = [word.casefold().replace("’", "'") for word in words(text)]
    if not found:
        return "there is no word"
    share = 100.0 * sum(word in STOP_WORDS for word in found) / len(found)
    return "" if share <= percentage else f"{share:.1f}% stop words, expected at most {percentage}%"


@COUNTS.named("ratio:sentence_type")
def sentence_type(text: str) -> str:
    """Twice as many declarative as interrogative sentences, by the mark at their end."""
    kinds = _kinds(text)
    if kinds["?"] and kinds["."] == 2 * kinds["?"]:
        return ""
    return f"{kinds['.']} declarative to {kinds['?']} interrogative sentences, expected 2:1"


@COUNTS.named("ratio:sentence_balance")
def sentence_balance(text: str) -> str:
    """As many declarative as interrogative as exclamatory sentences, by the mark at their end."""
    kinds = _kinds(text)
    balanced = kinds["."] == kinds["?"] == kinds["!"] > 0
    return (
        "" if balanced else f"{kinds['.']} declarative, {kinds['?']} interrogative, {kinds['!']} exclamatory sentences"
    )


@COUNTS.named("ratio:sentence_words")
def sentence_words(text: str) -> str:
    """Three sentences of the same number of characters (white space made single), no word in two places."""
    found = sentences(text)
    if len(found) != 3:
        return f"{len(found)} sentences, expected three"
    lengths = [len(sentence) for sentence in found]
    if len(set(lengths)) > 1:
        return f"the sentences have {lengths} characters"
    twice = [word for word, count in Counter(word.casefold() for word in words(text)).items() if count > 1]
    return f"used twice: {twice[0]}" if twice else ""


@COUNTS.named("ratio:overlap")
def overlap(text: str, *, reference_text: str, percentage: int) -> str:
    """The share of the text's different character trigrams that the reference has, within two points."""
    mine, theirs = _trigrams(text), _trigrams(reference_text)
    if not mine:
        return "the text is too short for a trigram"
    share = 100.0 * len(mine & theirs) / len(mine)
    close = abs(share - percentage) <= _MARGIN
    return "" if close else f"a trigram overlap of {share:.1f}%, expected {percentage}% ± 2"


def _kinds(text: str) -> Counter[str]:
    """How many sentences end in ``.``, ``?`` and ``!``; those that end in ``?!`` or nothing are of no kind."""
    kinds: Counter[str] = Counter()
    for sentence in sentences(text):
        marks = set(terminator(sentence).translate(str.maketrans("。！？…", ".!?.")))
        if len(marks) == 1:
            kinds[marks.pop()] += 1
    return kinds


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}
