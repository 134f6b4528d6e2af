"""What makes a value right behind it one that is only related to, in other languages than English.

"mindestens 25", "supérieur à 25", "un múltiplo de 25", "корень из 25" and "至少25" are not 25.
"""

from __future__ import annotations

import re

_GERMAN = (
    r"mindestens|höchstens|maximal|minimal|wenigstens|(?:mehr|weniger|größer|kleiner|höher|niedriger|kürzer|länger)\s+als"
    r"|größer(?:\s+oder)?\s+gleich|kleiner(?:\s+oder)?\s+gleich|(?:über|unter|zwischen|nahe(?:\s+bei)?)"
    r"|(?:teiler|vielfaches|hälfte|doppelte|kehrwert|quadrat|logarithmus)\s+von|wurzel\s+(?:aus|von)|teilbar\s+durch"
    r"|so\s+\w+\s+wie|groß\s+wie"
)
_FRENCH = (
    r"(?:supérieure?|inférieure?|égale?\s+ou\s+\w+)s?(?:\s+ou\s+égale?s?)?\s+à|(?:au|du)\s+(?:moins|plus|minimum|maximum)"
    r"|(?:plus|moins|près)\s+(?:grande?\s+|petite?\s+)?(?:de|que|d['’])|(?:diviseur|multiple|racine(?:\s+(?:carrée|cubique))?"
    r"|carré|inverse|opposé|moitié|double|logarithme)\s+de|divisible\s+par|entre"
)
_SPANISH = (
    r"al\s+menos|como\s+(?:máximo|mínimo|mucho)|a\s+lo\s+sumo|(?:más|menos|cerca)\s+de|(?:mayor|menor|superior|inferior)(?:es)?"
    r"(?:\s+o\s+igual(?:es)?)?\s+(?:que|a)|(?:divisor|múltiplo|ra[íi]z(?:\s+(?:cuadrada|cúbica))?|cuadrado|inverso|opuesto"
    r"|mitad|doble|logaritmo)\s+de|divisible\s+(?:por|entre)|entre"
)
_PORTUGUESE = (
    r"pelo\s+menos|no\s+(?:máximo|mínimo)|(?:mais|menos|perto)\s+(?:de|do\s+que)|(?:maior|menor)(?:es)?(?:\s+ou\s+igua(?:l|is))?"
    r"\s+(?:do\s+)?(?:que|a)|(?:raiz(?:\s+(?:quadrada|cúbica))?|metade|dobro|quadrado|inverso|oposto)\s+de|divisível\s+por"
)
_ITALIAN = (
    r"almeno|al\s+(?:massimo|minimo)|(?:più|meno|vicino)\s+(?:di|a)|(?:maggiore|minore|superiore|inferiore)(?:\s+o\s+uguale)?"
    r"\s+(?:di|a)|(?:divisore|multiplo|radice(?:\s+(?:quadrata|cubica))?|quadrato|reciproco|opposto|metà|doppio)\s+di"
    r"|divisibile\s+per"
)
_RUSSIAN = (
    r"(?:не\s+)?(?:больше|меньше|более|менее|выше|ниже)(?:,?\s+чем)?|(?:как\s+)?минимум|максимум|по\s+крайней\s+мере"
    r"|кратн\w+|делител\w+(?:\s+числа)?|делится\s+на|корень(?:\s+\w+)?\s+из|квадрат(?:\s+числа)?|половина\s+от"
    r"|логарифм(?:\s+числа)?|близко\s+к"
)
_CHINESE = (
    "至少|至多|最多|最少|大于|大於|小于|小於|多于|少于|高于|低于|超过|超過|不到|不足|不少于|不超过|接近|根号|根號|百分之|"
    "以上|以下|少なくとも|多くとも|最小|√"
)
_RELATED = re.compile(
    rf"(?:(?<!\w)(?:{_GERMAN}|{_FRENCH}|{_SPANISH}|{_PORTUGUESE}|{_ITALIAN}|{_RUSSIAN})"
    rf"(?:\s+(?:der|die|das|dem|le|la|el|los|o|a|il|zahl|nombre|número|numero|числа))*|(?:{_CHINESE})(?:是|为|為|等于)?)"
    r"\s*(?:\$|\\\()?\s*\Z",
    re.IGNORECASE,
)
REACH = 60  # characters before a value


def is_related(lead: str) -> bool:
    """Whether the words right before a value make it a bound, a divisor, a root, in a language that is not English.

    >>> is_related("Die Antwort ist mindestens "), is_related("La respuesta es "), is_related("答案至少是")
    (True, False, True)
    """
    return _RELATED.search(lead[-REACH:]) is not None
