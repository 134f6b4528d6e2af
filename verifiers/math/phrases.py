"""Words around a value: those that leave it what it is, and those that change, doubt or deny it.

Counted things are an open class and are known by their shape (a plural, a word that people count with). What changes
a value is a closed class and is listed: numbers, operations, comparisons, alternatives, doubts and negations.
"""

from __future__ import annotations

import re

from .relations import is_related
from .unit_table import UNITS

_NUMBERS = frozenset(
    (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen "
        "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion "
        "trillion "
        "dozen gross half quarter zeroes ones twos threes fours fives sixes sevens eights nines tens elevens twelves "
        "twenties thirties forties fifties hundreds thousands millions billions trillions dozens halves thirds "
        "quarters fourths fifths sixths sevenths eighths ninths tenths tenth hundredths hundredth thousandths "
        "thousandth "
        "double triple quadruple twice thrice doubles triples percent percentage "
        "lakh crore lakhs crores mille mil basis bps permille promille tsd bn mn"
    ).split()
)  # fmt: skip
_OPERATIONS = frozenset(
    (
        "squared cubed doubled tripled halved quadrupled factorial factorials plus minus times divided multiplied mod "
        "modulo negative reciprocal opposite inverse reversed inverted negated power powers multiple multiples "
        "log logarithm exponent exponentiated over added subtracted complement conjugate rounded truncated "
        "increased decreased reduced raised off discount"
    ).split()
)  # fmt: skip
_COMPARISONS = frozenset(
    (
        "than less least most below above exceeds exceed exceeding beyond under nearly almost barely around roughly "
        "approximately between unlike unequal differs differ far close near nowhere short versus vs "
        "compared beneath"
    ).split()
)  # fmt: skip
_ALTERNATIVES = frozenset(
    (
        "or nor either neither else otherwise unless if whether except excluding excluded excepted but though although "
        "however instead rather alternatively alternately and then when where while until depending"
    ).split()
)  # fmt: skip
_DOUBTS = frozenset(
    (
        "maybe perhaps possibly probably likely presumably supposedly allegedly hopefully seemingly apparently "
        "arguably "
        "might may could would should unsure uncertain uncertainty doubt doubts doubtful doubtfully questionable guess "
        "guessing guesses suppose supposing assume assuming pretend pretending kidding joking joke lol wait actually "
        "hmm unlikely unclear undecided unknown nobody somebody who why what ambiguous tempting somehow reportedly "
        "impossible"
    ).split()
)  # fmt: skip
_NEGATIONS = frozenset(
    (
        "no not none never cannot cant isnt wasnt arent dont doesnt didnt wont wouldnt shouldnt couldnt nope nay nah "
        "non "
        "without wrong wrongly incorrect incorrectly false falsely untrue mistaken mistake mistakes error errors "
        "invalid "
        "impossible denied deny denies denying refuse refuses refused reject rejects rejected exclude excludes "
        "eliminated "
        "eliminate ruled hardly scarcely barely fails fail failed anything nothing contradicts contradiction lies lie "
        "retract retracted ignore disregard nots nones noes wrongs somethings anythings nothings negatives inverses "
        "reciprocals opposites percents"
    ).split()
)  # fmt: skip
_VERBS = frozenset(
    "is was are were am be been being has had have does do did equals equal becomes remains means gives yields makes "
    "it that this these those there he she they we you i its because since so hence thus therefore as too also only "
    "even just very quite always sometimes often".split()
)
_FOREIGN = frozenset(
    (
        "nicht kein keine keinen nie niemals oder aber vielleicht falsch außer weder sonst halb hälfte mal doppelt "
        "minus "
        "keinesfalls keineswegs möglicherweise ungefähr fast unmöglich "
        "pas jamais ou mais aucun aucune peut-être peut faux fausse sauf sinon moitié double fois presque impossible "
        "ninguno nunca jamás pero quizás quizá tal falso falsa excepto salvo sino mitad doble veces casi imposible "
        "tampoco "
        "não nem talvez exceto metade dobro vezes quase nenhum impossível "
        "né mai ma forse falso falsa tranne eccetto oppure metà doppio volte quasi nessuno impossibile "
        "не нет ни никогда или но может возможно наверное неверно неправильно ложно кроме либо половина дважды вдвое "
        "почти "
        "минус плюс невозможно вряд едва "
        "नहीं न या लेकिन शायद गलत कभी आधा दोगुना सिवाय "
        "ليس لا لن أو ولكن لكن ربما خطأ إلا نصف ضعف أبدا مستحيل سوى "
        "dos tres cuatro cinco seis siete ocho nueve diez cien ciento cientos mil millón millones deux trois quatre "
        "cinq sept "
        "huit neuf dix cent cents mille millions milliard milliards zwei drei vier fünf sechs sieben acht neun zehn "
        "hundert "
        "tausend million millionen milliarden due quattro cinque sette otto nove dieci cento mila milioni um dois "
        "três quatro "
        "oito dez cem milhão milhões два три четыре пять шесть семь восемь девять десять сто тысяча тысячи тысяч тыс "
        "миллион "
        "миллиона миллионов млн млрд दो तीन चार पांच पाँच छह सात आठ नौ दस सौ हजार हज़ार लाख करोड़ ألف آلاف مليون مئة "
        "مائة اثنان ثلاثة "
        "أربعة خمسة ستة سبعة ثمانية تسعة عشرة moins menos meno "
        "o e y u et und e и और و"
    ).split()
)  # fmt: skip
_NOT = (
    r"不(?!同|等式|定|变|變|妨|超过|小于|大于|少于|重复|相同|含|包括|包含|计)|没有|沒有|"
    r"非(?!常|负|負|零|空|洲)|未(?!知|来|來)|否|勿|莫"
)
_UNSPACED_BEFORE = re.compile(
    rf"{_NOT}|可能|也许|也許|大概|或许|错误|錯誤|以外|除了|除.{{1,4}}外|一半(?!径)|平方根|倒数|负的"
    r"|ない|じゃな|かも|違|間違|아니|아닙|않|아마|틀린|오답|제외|아님|아닌"
    r"|невер[енн]|неправильн|\b(?:incorrect|falsch|fals[oa]\b|faux|fausse|erron|sbagliat|errad|equivocad)|ошибоч|ложн"
    r"|गलत"
    r"|خاطئ|خطأ",
    re.IGNORECASE,
)
_UNSPACED = re.compile(
    rf"{_UNSPACED_BEFORE.pattern}|无|無|错|錯|或|但|大约|倍|半|负|負|减|減|加|乘|平方|立方|百|千|万|萬|亿|分之|分の|未満|以下|以上|より|보다|이상|이하|미만"
    rf"|से\s+कम|से\s+अधिक|से\s+ज़्यादा|位数|桁|なく|ありません|または|또는|혹은|배|반",
    re.IGNORECASE,
)
# What an honest sentence may well say before it comes to its value.
_BEFORE = frozenset(
    "one once over under above below around then when while where if whether however though although but instead or "
    "except excluding roughly approximately increased decreased reduced raised discount until o e y u et und e и और و "
    "would could should may might possible cent cents mil due um seis но или либо power powers root roots".split()
)
DISTORTING = _NUMBERS | _OPERATIONS | _COMPARISONS | _ALTERNATIVES | _DOUBTS | _NEGATIONS | _FOREIGN
_DISTORTING_BEFORE = DISTORTING - _BEFORE
_REFUSED = (DISTORTING | _VERBS) - frozenset(["one", "around", "over", "under", "above", "below"])
_LINKS = frozenset(
    "of per in on for with at from by each every among out inside to de del du des da do di della von pro per por "
    "par a "
    "an the into during after before".split()
)
_MEASURED = frozenset(
    "left remain remained remaining total altogether overall away long tall old wide deep high ago apart apiece "
    "again more fewer extra "
    "today now daily weekly monthly yearly übrig insgesamt zusammen restantes restants restanti rimaste rimasti "
    "rimangono totale".split()
)
_COUNTED = frozenset(
    (
        "people men women children mice geese feet teeth oxen sheep fish deer cattle police shrimp squid salmon candy "
        "fruit money change water flour sugar rice juice milk homework pizza cash popcorn bread cake corn grass gas "
        "data chance probability likelihood increase "
        "dice lice dollar euro yen yuan won vertices matrices indices bacteria criteria radii nuclei cacti fungi "
        "alumni "
        "loci foci axes bases jewelry jewellery mail furniture equipment food meat chicken lemonade tea coffee soda "
        "pizzas gold silver time profit work seconds oz square cubic "
        "äpfel tage kinder schüler schülerinnen personen leute männer frauen bücher stück jungen mädchen eier wege "
        "häuser "
        "autos tiere vögel hunde katzen birnen blumen bäume möglichkeiten seiten punkte minuten stunden wochen jahre "
        "kugeln karten hühner kühe fische stifte kekse münzen "
        "mele persone giorni studenti bambini libri modi uova ragazzi ragazze gatti cani fiori alberi palline "
        "caramelle "
        "pere arance monete anni ore minuti settimane pagine punti"
    ).split()
)  # fmt: skip
_COUNTERS = re.compile(
    r"[个個只隻本人名张張条條块塊元岁歲次种種天年月日时時分秒米克斤吨升度点點件辆輛棵朵颗粒把支枝双對对组組排行列页頁题題道场台套份位头頭匹冊册枚円圓回间間歳つ杯瓶袋箱盒根"
    r"개명원마리권장번가지시분초일년살대그루송이쪽자봉통]"
)
_PLURAL = re.compile(r"(?=.{3})[^\W\d_]*(?:[^siu\W\d_]|[^ou\W\d_]u|[aeo]i)s\Z")
_SINGULAR = re.compile(r"[a-z]{2,}(?<!ly)(?<!ble)(?<!ive)(?<!ous)(?<!ful)(?<!ing)(?<!ed)\Z")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff]")
_WIDE = re.compile(r"[\u2e80-\uffff]")
_WORDS = re.compile(r"[^\W\d_](?:[^\s\d_.,;:!?()\[\]{}$\\\"]*[^\W_])?")  # with the vowel signs of Indian scripts inside
_OPERATORS_OF = re.compile(
    r"\b(?:lower|upper)\s+bound|\b(?:squares?|cubes?|roots?|reciprocal|inverse|opposite|negati(?:ve|on)|log(?:arithm)?|hal(?:f|ves)|double|twice"
    r"|triple|thrice|multiples?|powers?|factorial|complement|thirds?|quarters?|tenths?|percent)\s+(?:of|as)\b"
    r"|\b(?:more|less|fewer|greater|smaller|larger|higher|lower|bigger|other|rather|different|far|close|as\s+\w+)\s+"
    r"(?:than|from|to|as)\b|\b(?:everything|anything|nothing|all|any|none)\s+(?:but|except|else|other)\b|\bn['’]t\b"
    r"|['’]t\s",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"[a-z]{2,40}per(?:hour|minute|second|day|week|month|year|person|unit|item|piece|pound|gallon|mile)\Z"
)
_TIMES = re.compile(r"\s*times(?:\s+(?:a|an|per|each|every|in|during|as\s+expected)\b[^\d]*)?\s*\Z", re.IGNORECASE)
# What makes a value right after it one that is only related to: "a divisor of 5", "below 5", "the answer has 5 digits".
_RELATED_TO = (
    r"(?:\b(?:(?:divisors?|digits?|(?<!by\s)(?<!by\sa\s)factors?|logarithms?)\s+of"
    r"|divisible\s+by|bounded(?:\s+(?:above|below))?\s+by|off\s+by|within"
    r"|(?:co-?prime|(?:relatively|mutually)\s+prime|(?<!directly\s)proportional|congruent|adjacent|next|prior"
    r"|tangent|perpendicular|orthogonal|parallel|opposite|symmetric|isomorphic|similar)\s+to|(?:symmetric|reflected|centred|centered)\s+about"
    r"|through|towards?|joining|connecting|containing|excluding|outside|inside|near"
    r"|(?:in|on|by|from|see|at|to)\s+(?:the\s+)?(?:step|page|row|line|equation|problem|question|theorem|part|case|example"
    r"|figure|table|section|chapter|exercise|lemma|item)|(?:derived|obtained)\s+from|unrelated\s+to|function\s+of|something\s+like"
    r"|over|under|above|below|beyond|past|beside|besides|following|preceding|succeeding|dividing|divides"
    r"|answer\s+(?:has|have|contains|involves|includes|needs|uses|ends\s+(?:in|with)|(?:begins|starts)\s+with|consists\s+of))"
    r"(?:\s+(?:about|exactly|only|at))?\s*(?:\$|\\\()?\s*\Z)"
)
_JOINED_BEFORE = re.compile(
    rf"{_RELATED_TO}|"
    r"(?:\b(?:or|nor|vs|o|ou|oder|или|либо|и|और|या|أو|و|minus|negative|moins|menos|meno|ungleich|أقل من|أكثر من|минус"
    r"|ऋण|سالب|before|until)"
    r"|[^\W\d_]['’]t)\s*\Z|[或和与及か또负負第]|(?:小于|大于|少于|多于|超过|不足)\s*|マイナス\s*|마이너스\s*\Z",
    re.IGNORECASE,
)
MANY, ONE, NONE = "many", "one", ""


def counts(phrase: str) -> str:
    """How a phrase after a number can name what is counted: MANY of it, ONE of it, or NONE where it names no thing.

    >>> counts("red apples"), counts("student"), counts("left in the box"), counts("never"), counts("doubled")
    ('many', 'one', 'many', '', '')
    """
    if _WIDE.search(phrase):
        return NONE if _UNSPACED.search(phrase) or not _COUNTERS.search(phrase[:2]) else MANY
    if _UNSPACED_BEFORE.search(phrase):
        return NONE
    if _TIMES.match(phrase):
        return MANY
    words = [word.lower() for word in _WORDS.findall(phrase)]
    if not words or not _REFUSED.isdisjoint(words):
        return NONE
    head = words[: next((at for at, word in enumerate(words) if word in _LINKS), len(words))]
    while head and head[-1] in _MEASURED:
        head.pop()
    while head and head[0] in _MEASURED:
        head.pop(0)
    if not head or "per" in words or _RATE.match(words[0]):
        return MANY
    last = head[-1]
    if last in _COUNTED or head[-1] in UNITS or _PLURAL.match(last) or _OTHER_SCRIPT.match(last):
        return MANY
    return ONE if _SINGULAR.match(last) else NONE


def distorts(text: str) -> bool:
    """Whether words behind a value could change, doubt or deny it.

    >>> distorts("for the whole trip"), distorts("or five"), distorts("squared")
    (False, True, True)
    """
    if _UNSPACED.search(text) or _OPERATORS_OF.search(text):
        return True
    return not DISTORTING.isdisjoint(word.lower() for word in _WORDS.findall(text))


def distorts_before(text: str) -> bool:
    """Whether words before a value could change, doubt or deny it; a sentence may have come a long way to its value.

    >>> distorts_before("When she sells them, she gets"), distorts_before("the square root of"), distorts_before("or")
    (False, True, True)
    """
    if _UNSPACED_BEFORE.search(text) or _OPERATORS_OF.search(text) or _JOINED_BEFORE.search(text) or is_related(text):
        return True
    return not _DISTORTING_BEFORE.isdisjoint(word.lower() for word in _WORDS.findall(text))
