"""What words and LaTeX commands mean: the tables of the lexer and the parser."""

from __future__ import annotations

# Commands that stand for one sign, as (kind of token, sign).
SIGNS: dict[str, tuple[str, str]] = {
    "cdot": ("op", "*"), "times": ("op", "*"), "ast": ("op", "*"), "bullet": ("op", "*"), "cdotp": ("op", "*"),
    "div": ("op", "/"), "pm": ("op", "±"), "mp": ("op", "∓"), "vert": ("op", "|"), "lvert": ("op", "|("),
    "rvert": ("op", ")|"), "lfloor": ("op", "⌊"), "rfloor": ("op", "⌋"), "lceil": ("op", "⌈"), "rceil": ("op", "⌉"),
    "langle": ("op", "⟨"), "rangle": ("op", "⟩"), "lbrace": ("op", "\\{"), "rbrace": ("op", "\\}"), "{": ("op", "\\{"),
    "}": ("op", "\\}"), "lbrack": ("op", "["), "rbrack": ("op", "]"), "|": ("op", "‖"), "Vert": ("op", "‖"),
    "lVert": ("op", "‖"), "rVert": ("op", "‖"), "%": ("op", "%"), "$": ("op", "$"), "_": ("op", "_"),
    "prime": ("op", "'"),
    "colon": ("op", ":"), "infty": ("const", "inf"), "pi": ("const", "pi"), "degree": ("op", "°"),
    "le": ("rel", "<="), "leq": ("rel", "<="), "leqslant": ("rel", "<="), "leqq": ("rel", "<="), "lt": ("rel", "<"),
    "ge": ("rel", ">="), "geq": ("rel", ">="), "geqslant": ("rel", ">="), "geqq": ("rel", ">="), "gt": ("rel", ">"),
    "ne": ("rel", "!="), "neq": ("rel", "!="), "approx": ("rel", "~"), "approxeq": ("rel", "~"), "doteq": ("rel", "~"),
    "simeq": ("rel", "~"), "equiv": ("rel", "≡"), "in": ("rel", "in"), "notin": ("rel", "notin"), "ni": ("rel", "ni"),
    "subset": ("rel", "subset"), "subseteq": ("rel", "subseteq"), "subsetneq": ("rel", "subsetneq"),
    "supset": ("rel", "supset"), "supseteq": ("rel", "supseteq"), "to": ("rel", "to"), "rightarrow": ("rel", "to"),
    "longrightarrow": ("rel", "to"), "mapsto": ("rel", "mapsto"), "Rightarrow": ("rel", "implies"),
    "implies": ("rel", "implies"), "iff": ("rel", "iff"), "Leftrightarrow": ("rel", "iff"), "mid": ("op", "∣"),
    "nmid": ("rel", "nmid"), "parallel": ("rel", "parallel"), "perp": ("rel", "perp"), "sim": ("rel", "sim"),
    "cong": ("rel", "cong"), "propto": ("rel", "propto"), "ll": ("rel", "ll"), "gg": ("rel", "gg"),
    "cup": ("set", "∪"), "bigcup": ("set", "∪"), "cap": ("set", "∩"), "bigcap": ("set", "∩"), "setminus": ("set", "∖"),
    "backslash": ("set", "∖"), "circ": ("bin", "∘"), "oplus": ("bin", "⊕"), "otimes": ("bin", "⊗"),
    "land": ("bin", "∧"),
    "wedge": ("bin", "∧"), "lor": ("bin", "∨"), "vee": ("bin", "∨"), "neg": ("pre", "¬"), "lnot": ("pre", "¬"),
    "nabla": ("pre", "∇"), "partial": ("name", "∂"), "emptyset": ("empty", ""), "varnothing": ("empty", ""),
    "ldots": ("dots", ""), "dots": ("dots", ""), "cdots": ("dots", ""), "dotsc": ("dots", ""), "dotsb": ("dots", ""),
    "angle": ("pre", "∠"), "measuredangle": ("pre", "∠"), "triangle": ("pre", "△"), "Delta": ("name", "Delta"),
}  # fmt: skip

GREEK = frozenset((
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho varrho "
    "sigma varsigma tau upsilon phi varphi chi psi omega Gamma Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega "
    "hbar ell aleph varpi Re Im forall exists Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Rho Tau Chi"
).split())  # fmt: skip
SPELLINGS = {"varepsilon": "epsilon", "varphi": "phi", "vartheta": "theta", "varrho": "rho", "varsigma": "sigma"}

# Spellings of functions; the value is the name under which the evaluators know it.
FUNCTIONS: dict[str, str] = {
    name: name
    for name in (
        "sin cos tan cot sec csc sinh cosh tanh coth sech csch ln log lg exp arcsin arccos arctan arccot "
        "arcsec arccsc arcsinh arccosh arctanh sqrt cbrt abs floor ceil factorial "
        "binomial cis gcd lcm max min det sgn arg zeta gamma "
        "erf conjugate"
    ).split()
} | {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "arsinh": "arcsinh",
    "arcosh": "arccosh", "artanh": "arctanh",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "tg": "tan", "ctg": "cot",
    "cosec": "csc", "Abs": "abs",
    "ceiling": "ceil", "binom": "binomial", "sign": "sgn", "arctg": "arctan", "Log": "log", "root": "sqrt",
    "acot": "arccot",
    "conj": "conjugate", "comb": "binomial", "nCr": "binomial", "perm": "permutations", "nPr": "permutations",
}  # fmt: skip
TRIGONOMETRIC = frozenset(["sin", "cos", "tan", "cot", "sec", "csc", "cis"])
INVERSES = {name: f"arc{name}" for name in ["sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh"]}

CONSTANT_WORDS = {
    "pi": "pi",
    "infinity": "inf",
    "infty": "inf",
    "inf": "inf",
    "oo": "inf",
    "Infinity": "inf",
    "Pi": "pi",
}
FRACTIONS = frozenset(["frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac"])
BINOMIALS = frozenset(["binom", "dbinom", "tbinom"])
BIG = {"sum": "sum", "prod": "prod", "int": "int", "oint": "oint", "iint": "iint", "lim": "lim"}
ACCENTS = {
    "hat": "hat", "widehat": "hat", "vec": "vec", "overrightarrow": "vec", "bar": "bar", "overline": "bar",
    "tilde": "tilde",
    "widetilde": "tilde", "dot": "dot", "ddot": "ddot", "overarc": "arc", "check": "check",
}  # fmt: skip

# Font commands: their argument counts, they do not.
FONTS = frozenset((
    "text mbox textbf textit textrm textsf texttt textnormal mathrm mathbf mathit mathsf mathtt mathnormal "
    "boldsymbol bm pmb operatorname emph underline hbox textup mathop overset underset ensuremath mathcal "
    "mathfrak fbox boxed framebox rm bf it cal mathscr"
).split())  # fmt: skip
SPACING = frozenset((
    "left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr displaystyle textstyle "
    "scriptstyle limits nolimits quad qquad Large large LARGE small normalsize huge Huge hfill thinspace enspace "
    "medspace thickspace nonumber notag centering strut therefore because rm bf it sf tt mathstrut hline"
).split())  # fmt: skip
CONNECTIVES = {
    "and": "and",
    "or": "or",
    "und": "and",
    "et": "and",
    "oder": "or",
    "ou": "or",
    "或": "or",
    "或者": "or",
    "和": "and",
    "且": "and",
    "и": "and",
    "или": "or",
}
CONDITIONS = frozenset("for where with if when such given whenever provided otherwise as".split())
UNKNOWN_FUNCTIONS = frozenset("f Re Im g h F G H O P Q phi psi T J Gamma Theta Omega".split())
# Words that name a function where a bracket follows: a variance, the rank of a matrix, a probability.
APPLIED_WORDS = frozenset(["Var", "Cov", "Pr", "rank", "tr", "dim", "deg", "SD", "ord", "lim", "Area", "area", "dist"])
BRACED = frozenset(["underbrace", "overbrace"])
OF_EVENTS = frozenset(["P", "E", "Pr"])  # their arguments may be events: relations, unions, conditions
ALWAYS_FUNCTIONS = frozenset(["f", "g", "h", "O"])
