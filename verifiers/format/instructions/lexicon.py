"""Closed lists of English words: what counts as a stop word, a pronoun, a conjunction, a verb at the start."""

from __future__ import annotations

_CONJUNCTIONS_TEXT = """
for and nor but or yet so
"""
CONJUNCTIONS = frozenset(_CONJUNCTIONS_TEXT.split())

# Personal, possessive, reflexive; demonstrative, interrogative, relative, reciprocal; indefinite.
_PRONOUNS_TEXT = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves themself thou thee thy thine thyself this that these
those who whom whose which what whoever whomever whichever whatever all another any anybody anyone anything both
each either everybody everyone everything few many more most much neither nobody none nothing one oneself other
others several some somebody someone something such
"""
PRONOUNS = frozenset(_PRONOUNS_TEXT.split())

_STOP_WORDS_TEXT = """
a about above after again against all am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
further had hadn't has hasn't have haven't having he he'd he'll he's her here hers herself him himself his how i
i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just let's me more most mustn't my myself no
nor not now of off on once only or other ought our ours ourselves out over own same shan't she she'd she'll
she's should shouldn't so some such than that that's the their theirs them themselves then there there's these
they they'd they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're
we've were weren't what when where which while who whom why will with won't would wouldn't you you'd you'll
you're you've your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())

# The list that the instruction itself gives.
_PERSON_NAMES_TEXT = """
Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin
Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria
Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan Stella
Jonathan
"""
PERSON_NAMES = tuple(_PERSON_NAMES_TEXT.split())

# Words that stay small in a title: articles, coordinating conjunctions and short prepositions.
_SMALL_IN_TITLES_TEXT = """
a an the and but for nor or so yet as at by down from if in into like near of off on once onto out over past per
than that till to up upon via vs with
"""
SMALL_IN_TITLES = frozenset(_SMALL_IN_TITLES_TEXT.split())

_AUXILIARIES_TEXT = """
be is are am was were being been do does did done doing have has had having can could may might must shall
should will would don't let's let isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't doesn't
didn't haven't hasn't
"""
_AUXILIARIES = frozenset(_AUXILIARIES_TEXT.split())

# Past forms that no rule makes.
_IRREGULAR_TEXT = """
began begun bound bought brought built came caught chose chosen cut drawn drew driven drove fed felt fought
found forgot forgotten gave given gone got gotten grew grown heard held hid hidden kept knew known laid led left
lent lost made meant met paid put ran read risen rode rose said sat saw seen sent set shaken shook shown sold
sought spent spoke spoken stood stuck struck sworn taken taught thought threw thrown told took torn understood
went woke won wore worn written wrote
"""
_IRREGULAR = frozenset(_IRREGULAR_TEXT.split())

# Base forms; their inflections follow from the rules in `_stems`.
_REGULAR_TEXT = """
abandon absorb accelerate accept access accommodate accompany accomplish account accumulate achieve acknowledge
acquire act activate adapt add address adjust admire admit adopt advance advise affirm agree aid aim align
allocate allow alter amplify analyse analyze anchor announce answer anticipate appear apply appoint appreciate
approach approve argue arise arrange arrive articulate ask assemble assert assess assign assist assume assure
attach attack attempt attend attract avoid await awaken balance ban base bask be become beg begin behold believe
bend blend bless boost borrow bound break breathe brew bridge bring broaden browse build burn bury buy calculate
call capture care carry carve cast catch categorise categorize cause celebrate challenge change channel charge
chart check cherish choose cite claim clarify clean clear click climb close collaborate collect combine come
commence commit communicate compare compete compile complete compose comprehend compute concede conceive
concentrate conclude condense conduct configure confirm confront connect conquer consider consist consolidate
construct consult consume contact contain contemplate continue contrast contribute control convert convey cook
coordinate cope copy correct count cover craft create cross cry cultivate cut dance dare deal debate decide
declare decline decode decorate deduce deepen define defend delete deliver delve demand demonstrate deny depend
depict deploy derive describe design desire destroy detail detect determine develop devise devote diagnose
differ differentiate dig direct discard discover discuss display distinguish distribute dive divide do document
doubt draft draw dream drift drink drive drop duplicate earn ease eat edit educate elaborate elevate eliminate
embark embed embody embrace emerge emphasise emphasize employ empower enable encounter encourage end endure
enforce engage enhance enjoy enlist enrich enrol ensure enter envision equip erase escape establish estimate
evaluate evoke examine exceed exchange exclude execute exercise exhibit exist expand expect experience
experiment explain explore expose express extend extract face facilitate factor fade fail fall fear feature feed
feel fetch fight figure fill filter find finish fit fix flip float flow fly focus fold follow forge forget
forgive form formulate foster frame fuel fulfil fulfill gain gather gaze generate get give glance go govern grab
grant grasp greet ground grow guarantee guard guess guide hail handle happen harbour harness hear heed help hide
highlight hire hold honor honour hope hunt hypothesise identify ignite ignore illuminate illustrate imagine
implement imply import improve improvise include incorporate increase indicate induce infer inform inhabit
inhale initiate inject innovate inquire insert inspect inspire install integrate intend interact interpret
introduce invest investigate invite invoke involve isolate iterate join journey judge jump justify keep kick
kill kneel know label lack laugh launch lay lead lean leap learn leave lend leverage lift light limit link list
listen live load locate lock look loosen lose love lower maintain make manage manipulate map march mark master
match matter maximise maximize mean measure meet memorise mention merge mind minimise minimize miss mitigate mix
model modify monitor motivate mourn move multiply name narrate navigate need negotiate note notice nurture obey
observe obtain occur offer open operate optimise optimize order organise organize outline overcome own pack
paint pair participate partner pass pause pay perceive perform permit persist persuade pick picture place plan
plant play plunge point polish ponder pose position possess practice practise praise pray predict prefer prepare
present preserve press prevent print prioritise prioritize proceed process proclaim produce promise promote
propose protect prove provide publish pull purchase pursue push put quantify query question quote raise reach
read realise realize recall receive recognise recognize recommend reconsider record recruit recycle redefine
reduce refer refine reflect refrain refuse regard register reinforce reject rejoice relate relax release rely
remain remember remind remove render repeat replace reply report represent request require rescue research
reserve resist resolve respect respond rest restore restrict result retain rethink retrieve return reveal
reverse review revise revisit rewrite ride rise risk roll rotate run rush sail sample save say scale scan search
secure see seek seem seize select sell send sense separate serve set settle shape share shift shine show shrink
signal simplify simulate sing sit sketch skip sleep slide smile soar solve sort spark speak specify spend spin
split spread stand start state stay steer step stop store strengthen stress stretch strike strive structure
struggle study submit substitute subtract succeed suffer suggest summarise summarize summon supply support
suppose surrender survive suspend sustain swap sweep swim switch synthesise synthesize take talk target teach
tell tend test thank think thrive throw tie touch trace track trade train transcend transfer transform translate
travel treat trigger trust try turn understand undertake unite unleash unlock unravel unveil update upgrade
uphold use utilise utilize validate value vary venture verify view visit visualise visualize wait wake walk
wander want warn watch weave welcome win wish witness wonder work worry wrap write yield
"""
_REGULAR = frozenset(_REGULAR_TEXT.split())


def is_verb(word: str) -> bool:
    """Whether a word is a form of a verb in the list: base, -s, -ing, past, or an auxiliary.

    Many of these are nouns as well ("plan", "study"): a word is given the benefit of the doubt.

    >>> is_verb("Imagine"), is_verb("running"), is_verb("studied"), is_verb("the")
    (True, True, True, False)
    """
    form = word.casefold().replace("’", "'")
    if form in _REGULAR or form in _AUXILIARIES or form in _IRREGULAR:
        return True
    return any(stem in _REGULAR for stem in _stems(form))


def _stems(form: str) -> list[str]:
    """What an inflected form may come from."""
    stems: list[str] = []
    for ending in ("ing", "ed", "es", "s"):
        if form.endswith(ending) and len(form) > len(ending) + 1:
            stem = form[: -len(ending)]
            stems += [stem, f"{stem}e"]
            if stem.endswith("i"):
                stems.append(f"{stem[:-1]}y")
            if len(stem) > 2 and stem[-1] == stem[-2]:
                stems.append(stem[:-1])
    return stems
