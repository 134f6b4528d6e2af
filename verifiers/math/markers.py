"""How answers are announced, in many languages; the tables of the extraction."""

from __future__ import annotations

import re

# "The answer is", by language. Whatever follows is taken as the answer.
_ANSWER = (
    r"(?:final|correct|right|best)?\s*(?:answers?|choice|option)"  # English
    r"(?:\s+(?:is|are|would\s+be|will\s+be|to\s+[^.:\n]{0,80}?\s+is))?"
    r"|solutions?(?:\s+sets?)?\s+(?:is|are)"
    r"|respuestas?(?:\s+(?:final|correcta))?(?:\s+(?:es|son|ser[íi]a))?"  # Spanish
    r"|réponses?(?:\s+(?:finale|correcte))?(?:\s+(?:est|sont))?|reponse(?:\s+finale)?(?:\s+est)?"  # French
    r"|antwort(?:\s+(?:ist|lautet))?|lösung(?:\s+(?:ist|lautet))?|ergebnis(?:\s+(?:ist|lautet))?"  # German
    r"|respostas?(?:\s+(?:final|correta|certa))?(?:\s+(?:é|e|são))?"  # Portuguese
    r"|risposta(?:\s+(?:finale|corretta|esatta))?(?:\s+(?:è|e'))?"  # Italian
    r"|ответ(?:ом)?(?:\s+(?:равен|является|будет))?|otvet"  # Russian
    r"|(?:最终|最後|正确|正確|所以|参考)?(?:的)?答案(?:是|为|為|应该是|應該是)?"  # Chinese
    r"|(?:故|应|應)?(?:选择?|選擇?)(?:项|項)?(?=\s*[:：]?\s*[(（]?[A-J])"
    r"|(?:最終的な|最終)?(?:答え|答|解答|正解|回答)(?:は|が)?"  # Japanese
    r"|(?:최종\s*)?(?:정답|답|답변)(?:은|는|이)?"  # Korean
    r"|(?:الإجابة|الاجابة|الجواب|الناتج)(?:\s+(?:النهائية|النهائي|الصحيحة|هي|هو))*"  # Arabic
    r"|(?:अंतिम\s+)?(?:उत्तर|जवाब)(?:\s+है)?"  # Hindi
)
MARKER = re.compile(
    rf"(?<![\w])(?:(?:the|la|le|die|das|il|a|o)\s+)?(?:{_ANSWER})(?!(?<=[A-Za-zÀ-ÿА-я])[A-Za-zÀ-ÿА-я])[\"'*_\s]*(?P<sign>[:：=]|—|–|-(?=\s))?"
    r"|^(?:A|Ans)\s*[:：]|(?<![\w])(?:final|result)\s*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
# A marker in a language with spaces needs a verb or a sign after it, or a formula at once: "the answer" alone is prose
VERB = re.compile(
    r"(?:is|are|be|es|son|ser[íi]a|est|sont|ist|lautet|é|são|è|e'|равен|является|будет|是|为|為|は|が|은|는|이|هي|هو"
    r"|है)[\"'*_\s]*\Z",
    re.I,
)
CONCLUSION = re.compile(
    r"(?<![\w])(?:therefore|thus|hence|so|consequently|finally|in\s+conclusion|we\s+(?:get|find|have"
    r"|obtain)(?:\s+that)?"
    r"|por\s+(?:lo\s+)?tanto|así\s+que|entonces|en\s+conclusión|donc|ainsi|par\s+conséquent|finalement"
    r"|also|daher|somit|folglich|insgesamt|portanto|logo|então|assim|quindi|pertanto|dunque|perciò"
    r"|следовательно|итак|таким\s+образом|значит|поэтому)(?![\w])"
    r"|因此|所以|综上|綜上|结论|結論|于是|故而|したがって|よって|ゆえに|だから|따라서|그러므로|그래서|لذلك|لذا|إذن|इसलिए|अतः|इस\s+प्रकार",
    re.IGNORECASE,
)
# What ends the statement of an answer: a reason, an alternative that is ruled out.
STOP = re.compile(
    r"(?:(?<!\.)(?:[.?]|(?<![)}])!)(?=\s|\Z)(?<!\d\.\d)|[。！？｡।]|\n|<\||,?\s+(?:because|since|as|which|where|so\s+that"
    r"|it\s|not|non|nicht|no\s|weil|porque|parce|car"
    r"|i\.e\.|and\s+not|but|perché|потому|а\s+не)(?![\w])|,\s*(?:it|since|because|as|so)\b|不是|而不|因为|ではな)",
    re.IGNORECASE,
)
COPULA = re.compile(
    r"(?<![\w])(?:is|are|equals?|be|was|becomes|es|son|est|sont|ist|sind|lautet|é|são|è|sono|равно|равен"
    r"|составляет)(?![\w])"
    r"(?:\s+(?:about|approximately|just|exactly|de|of|open|equal\s+to|given\s+by|now|the\s+set|for\s+sure|therefore"
    r"|donc))*\s*[:：]?"
    r"|[=＝]|(?<!\d)[:：]|[:：](?!\s?\d)|是|为|等于|は",
    re.IGNORECASE,
)
_FALSE = r"(?:wrong|incorrect|false|not\s+(?:right|correct|it\b|the\s+answer)|a\s+mistake)"
RETRACTION = re.compile(
    rf"\b(?:this|that|it|which|the\s+(?:above|previous|last)(?:\s+answer)?)(?:\s+(?:is|was)"
    rf"|['’]s)\s+(?:\w+\s+)?{_FALSE}"
    r"|\bno,\s+wait\b|\bi\s+take\s+(?:that|it)\s+back|\bjust\s+kidding"
    r"|i\s+made\s+(?:a|an)\s+(?:\w+\s+)?(?:mistake|error)|(?:scratch|strike)\s+that"
    r"|(?:^|\s)(?:correction|errat(?:um|a)|edit(?=\s*:\s*(?:the\s+answer\s+is\s+)?[-$\\]*\d))\s*:|(?:ignore|disregard)\s+(?:that|this|it\b|the\s+above)"
    r"|\bwait,\s+no\b|(?:^|[.!?\n])\s*oops\b|\b(?:this|that|it)\s+(?:can['’]?t|cannot)\s+be\s+(?:right|correct|true)"
    r"|\bon\s+reflection,|\bmake\s+that\s+[-$\d]"
    r"|\b(?:another|a\s+second)\s+(?:possibility|candidate|(?:possible|valid)\s+(?:answer|value))\b"
    r"|(?:は|が)(?:間違|誤)|(?:은|는|이|가)\s*틀렸|(?:是|为)?错误的|是錯誤的",
    re.IGNORECASE,
)
# What follows a box at once and denies it: "is wrong"; and what stands right before one: "not", "anything but".
DENIED_AFTER = re.compile(
    rf"[\s$*)\].`\"'”]{{0,6}}(?:(?:is|are|was|would\s+be)\s+(?:\w+\s+)?{_FALSE}|was\s+(?:my|our|the)\s+(?:first|initial)\s+guess)",
    re.IGNORECASE,
)
DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot\s+be|anything\s+but|except|other\s+than"
    r"|(?:wrong|incorrect)\s+answer\s+(?:is|was|would\s+be)|(?:mistake|error)\s+(?:is|gives|yields|would\s+be)"
    r"|(?:if|suppose|assume)\s+(?:that\s+)?the\s+answer\s+(?:is|was|were)|(?:wrong|incorrect|a\s+mistake)\s+to\s+(?:say|claim|answer|write))"
    r"|n['’]t)"
    r"[\s:$*]*\Z",
    re.IGNORECASE,
)
# A sentence whose value is said to be false, and one that says what the answer is not.
FALSITY = re.compile(r"\b(?:wrong|incorrect|false|doubt|unlikely)\b|n['’]t\s+(?:think|believe|true)\b", re.IGNORECASE)
NEGATION = re.compile(
    r"\b(?:not|never|cannot|neither|nor|except|other\s+than|excluded|excluding|doubt|unlikely|wrong|incorrect|false"
    r"|nicht|kein\w*|pas|não|nunca|jamás|jamais)\b|\w(?:n['’]t)\b|\bno\s+(?:es|son|wait)\b|\bnon\s+è\b|(?<!\w)(?:не"
    r"|нет)(?!\w)"
    r"|不是|不对|不對|错误|錯誤|ではな|ではあり|아니|아닙|नहीं|ليس",
    re.IGNORECASE,
)
# An answer that is denied where it stands: "4 is wrong", "anything but 4".
DENIAL = re.compile(
    r"(?<!\S)~~[^~\n]+~~|"
    r"\b(?:is|are|was)(?:[\s{}~,]|\\[a-z]+)*+(?:wrong|incorrect)\b|\banything(?:[\s{}~])++(?:but|except|other\s+than)\b"
    r"|ではな|ではあり|아니|아닙|नहीं",
    re.IGNORECASE,
)
# Where the model stopped and the template went on.
SPECIAL = (
    "<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|end_of_text|>", "<end_of_turn>", "</s>",
    "<｜end▁of▁sentence｜>", "<|user|>", "<|return|>",
)  # fmt: skip
# What stands around thinking, in the order in which they are looked for: </think>, <THINK>, [/THINK], </seed:think>.
THINKING = ("think", "thinking", "thought", "reasoning")
THINKING_MARK = re.compile(
    r"(?:[<◁]|(?-i:\[(?=/?THINK\])))\|?(?P<end>/|end_of_)?(?:begin_of_)?(?:seed:)?(?P<name>think|thinking|thought|reasoning)\s*\|?[>\]▷]",
    re.IGNORECASE,
)
# An option that is struck out, or negated by a tilde.
STRUCK = re.compile(
    r"\\(?:[bx]?cancel|sout|st)(?![A-Za-z])|<(?:s|del|strike)>|\A[\s$*]*[~❌✗✘🚫]|[❌✗✘🚫]\s*\Z", re.IGNORECASE
)
# What a text strikes out or comments out: it is not said.
STRICKEN = re.compile(
    r"(?<!\S)~~(?=\S)[^~\n]{1,200}~~(?!\w)|<(del|strike)>[^<]{0,400}</\1>|<!--(?:(?!<!--).){0,2000}?-->",
    re.IGNORECASE | re.DOTALL,
)
