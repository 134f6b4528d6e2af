"""IFBench: the instructions about every word, and about words in given places."""

from __future__ import annotations

import itertools
from collections import Counter
from string import ascii_lowercase

from ..units import sentences, words
from .constraint import Checks, at_least
from .lexicon import is_verb
from .syllables import syllable_counts

WORDS = Checks()
_VOWELS = frozenset("aeiou")
_LONGEST_PALINDROME = 100


@WORDS.named("words:alphabet")
def alphabet(text: str) -> str:
    """Each word starts with the letter after that of the word before; A comes after Z."""
    found = words(text)
    if len(found) < 2:
        return f"{len(found)} words, expected at least two"
    initials = [word[0].lower() for word in found]
    for index, (first, second) in enumerate(itertools.pairwise(initials)):
        if first not in ascii_lowercase:
            return f"{found[index]!r} starts with no letter of the alphabet"
        wanted = ascii_lowercase[(ascii_lowercase.index(first) + 1) % 26]
        if second != wanted:
            return f"{found[index + 1]!r} comes after {found[index]!r}, expected one with {wanted}"
    return ""


@WORDS.named("words:consonants")
def consonants(text: str) -> str:
    """Each word has two consonants in a row."""
    return _every(text, _has_cluster, "has no consonant cluster")


@WORDS.named("words:prime_lengths")
def prime_lengths(text: str) -> str:
    """Each word has a prime number of letters and digits."""
    return _every(text, lambda word: _is_prime(sum(map(str.isalnum, word))), "has no prime length")


@WORDS.named("words:repeats")
def repeats(text: str, *, small_n: int) -> str:
    """No word more than so many times, case ignored."""
    counts = Counter(word.casefold() for word in words(text))
    if not counts:
        return "there is no word"
    word, count = counts.most_common(1)[0]
    return "" if count <= small_n else f"{word!r} stands there {count} times, expected at most {small_n}"


@WORDS.named("words:no_consecutive")
def no_consecutive(text: str) -> str:
    """No two words in a row with the same first letter."""
    found = words(text)
    if len(found) < 2:
        return f"{len(found)} words, expected at least two"
    for first, second in itertools.pairwise(found):
        if first[0].casefold() == second[0].casefold():
            return f"{first!r} and {second!r} start alike"
    return ""


@WORDS.named("words:odd_even_syllables")
def odd_even_syllables(text: str) -> str:
    """Words with odd and with even numbers of syllables alternate; a word spoken in two ways may be either."""
    found = words(text)
    if len(found) < 2:
        return f"{len(found)} words, expected at least two"
    parities = [{count % 2 for count in syllable_counts(word)} for word in found]
    failures = []
    for start in (0, 1):
        failures.append(next((i for i, parity in enumerate(parities) if (i + start) % 2 not in parity), None))
    if None in failures:
        return ""
    index = max(failure for failure in failures if failure is not None)
    return f"the alternation of odd and even syllables breaks at word {index + 1}, {found[index]!r}"


@WORDS.named("words:palindrome")
def palindrome(text: str) -> str:
    """At least ten different palindromes of one word, of five letters or more and not of one letter alone."""
    found = {
        word
        for word in (word.casefold() for word in words(text) if 5 <= len(word) <= _LONGEST_PALINDROME)
        if word.isalpha() and word == word[::-1] and len(set(word)) > 1
    }
    return at_least(len(found), 10, "different palindromes of five letters or more")


@WORDS.named("words:vowel")
def vowel(text: str) -> str:
    """At most three of the vowels a, e, i, o, u in the whole text, and one at least."""
    found = sorted(_VOWELS & set(text.lower()))
    if not found or not words(text):
        return "there is no vowel"
    return "" if len(found) <= 3 else f"{len(found)} kinds of vowels ({', '.join(found)}), expected three"


@WORDS.named("words:start_verb")
def start_verb(text: str) -> str:
    """The first word is a verb, of the list in ``lexicon``, in any of its forms."""
    first = next(iter(words(text)), "")
    return "" if first and is_verb(first) else f"it begins with {first!r}, which is not among the verbs known"


@WORDS.named("words:words_position")
def words_position(text: str, *, keyword: str) -> str:
    """The second word and the second to last word are the keyword."""
    found = [word.casefold() for word in words(text)]
    if len(found) < 3:
        return f"{len(found)} words, expected at least three"
    wanted = keyword.strip().casefold()
    return (
        ""
        if found[1] == found[-2] == wanted
        else f"the words there are {found[1]!r} and {found[-2]!r}, expected {wanted!r}"
    )


@WORDS.named("words:keywords_specific_position")
def keywords_specific_position(text: str, *, keyword: str, n: int, m: int) -> str:
    """The m-th word of the n-th sentence is the keyword."""
    found = sentences(text)
    if not 1 <= n <= len(found):
        return f"{len(found)} sentences, so there is no sentence {n}"
    spoken = words(found[n - 1])
    if not 1 <= m <= len(spoken):
        return f"sentence {n} has {len(spoken)} words, so no word {m}"
    same = spoken[m - 1].casefold() == keyword.strip().casefold()
    return "" if same else f"word {m} of sentence {n} is {spoken[m - 1]!r}, expected {keyword!r}"


@WORDS.named("words:last_first")
def last_first(text: str) -> str:
    """The last word of each sentence is the first word of the next."""
    found = [spoken for spoken in map(words, sentences(text)) if spoken]
    if len(found) < 2:
        return f"{len(found)} sentences, expected at least two"
    for before, after in itertools.pairwise(found):
        if before[-1].casefold() != after[0].casefold():
            return f"a sentence ends with {before[-1]!r} and the next begins with {after[0]!r}"
    return ""


@WORDS.named("words:paragraph_last_first")
def paragraph_last_first(text: str) -> str:
    """Each paragraph, one a line, ends with the word that it begins with; none is that word alone."""
    found = [spoken for spoken in map(words, text.splitlines()) if spoken]
    if not found:
        return "there is no word"
    for spoken in found:
        if len(spoken) < 2 or spoken[0].casefold() != spoken[-1].casefold():
            return f"a paragraph begins with {spoken[0]!r} and ends with {spoken[-1]!r}"
    return ""


def _every(text: str, holds: object, why: str) -> str:
    found = words(text)
    if not found:
        return "there is no word"
    assert callable(holds)
    wrong = next((word for word in dict.fromkeys(found) if not holds(word)), None)
    return "" if wrong is None else f"{wrong[:60]!r} {why}"


def _has_cluster(word: str) -> bool:
    """Whether two letters in a row are no vowels (y is a consonant)."""
    plain = [character.isalpha() and character not in _VOWELS for character in word.lower()]
    return any(first and second for first, second in itertools.pairwise(plain))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
