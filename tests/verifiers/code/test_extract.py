"""The program in a completion."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.verifiers import TestSuite
from assay.verifiers.code.extract import extract, preamble

FIXED = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

F = TestSuite.from_asserts("assert f(1) == 1")
IO = TestSuite.from_stdio([("1", "1")])
PROMPT = 'import math\n\ndef helper(x):\n    return x\n\ndef f(x: int) -> int:\n    """Return x."""\n'
CONTINUED = TestSuite.from_code("assert f(1) == 1", entry_point="f", prompt=PROMPT)
CODE = "def f(x):\n    return x"
METHOD = "class Solution:\n    def f(self, x): return x"


@pytest.mark.parametrize(
    ("completion", "program"),
    [
        (CODE, CODE),
        (f"```python\n{CODE}\n```", f"{CODE}\n"),
        (f"```py\n{CODE}\n```", f"{CODE}\n"),
        (f"```\n{CODE}\n```", f"{CODE}\n"),
        (f"~~~Python\n{CODE}\n~~~", f"{CODE}\n"),
        (f"```{{.python}}\n{CODE}\n```", f"{CODE}\n"),
        (f"````python\n{CODE}\n```\n````", f"{CODE}\n```\n"),
        (f"Here:\n```python\n{CODE}\n```\nIt works.", f"{CODE}\n"),
        (f"Here:\r\n```python\r\n{CODE}\r\n```", f"{CODE}\n"),
        (f"Cut off:\n```python\n{CODE}", CODE),
        (f"```python\ndef f(x): return 0\n```\nBetter:\n```python\n{CODE}\n```", f"{CODE}\n"),
        (f"```python\n{CODE}\n```\nUse it:\n```python\nprint(f(1))\n```", f"{CODE}\n"),
        (f"```bash\npip install f\n```\n```python\n{CODE}\n```\n```text\nf\n```", f"{CODE}\n"),
        (f"<think>```python\ndef f(x): return 0\n```</think>\n```python\n{CODE}\n```", f"{CODE}\n"),
        ("Hm.</think>\n```python\ndef f(x):\n    return x.split('</think>')[-1]\n```",
         "def f(x):\n    return x.split('</think>')[-1]\n"),
        ("<think>a</think>def f(x):\n    return re.sub(r'<think>.*?</think>', '', x)",
         "def f(x):\n    return re.sub(r'<think>.*?</think>', '', x)"),
        ("<think>a</think>\n```python\ndef f(x):  # cut after </think>\n    return x\n```\nDone.",
         "def f(x):  # cut after </think>\n    return x\n"),
        ("```python\ndef f(x):  # cut after </think>\n    return x\n```",
         "def f(x):  # cut after </think>\n    return x\n"),
        (f"So:\n```python\ndef f(x): return 0\n</think>\n```python\n{CODE}\n```", f"{CODE}\n"),
        (f"<think>So:\n```python\ndef f(x): return 0 </think>\n```python\n{CODE}\n```", f"{CODE}\n"),
        (f"<think>one</think> or\n<think>two</think>\n{CODE}", f"\n{CODE}"),
        (f"So:\n```\ndef f(x): return 0\n``` </think>\n{CODE}", f"\n{CODE}"),
        ("<think>I could cut at '</think>' and def f(x): return x", None),
        (f"<answer>\n{CODE}\n</answer>", CODE),
        (f"<answer>def f(x): return 0</answer> no: <answer>```python\n{CODE}\n```</answer>", f"{CODE}\n"),
        (f"<answer>```python\n{CODE}", CODE),
        (f"\ufeff{CODE}", CODE),
        ("def f(x):\n    return '<answer>' + x", "def f(x):\n    return '<answer>' + x"),
        (f"{CODE}\n```", CODE),
        ("```python\nf = lambda x: x\n```\n```python\nprint(f(2))\n```", "f = lambda x: x\n"),
        (f"```python\n{METHOD}\n```\n```python\nprint(1)\n```", f"{METHOD}\n"),
        ("```python\n```\n```python\nf = 1\n```\n```python\n\n```", "f = 1\n"),
        ("", None),
        ("   \n\n", None),
        ("```python\n```", None),
        ("```bash\nls f\n```", None),
        ("<think>def f(x): return x", None),
        ("I cannot do that.", None),
        ("offer of help", None),
    ],
)  # fmt: skip
def test_a_function_is_found(completion: str, program: str | None) -> None:
    found = extract(completion, F)
    assert (found and found.program) == program
    assert found is None or found.sources == (program,)


@pytest.mark.parametrize(
    ("completion", "program"),
    [
        ("print(1)", "print(1)"),
        ("```python\nprint(1)\n```\nor\n```python\nprint(2)\n```", "print(2)\n"),
        ("```cpp\nint main() {}\n```", None),
        ("", None),
    ],
)
def test_a_whole_program_is_found(completion: str, program: str | None) -> None:
    found = extract(completion, IO)
    assert (found and found.program) == program


@pytest.mark.parametrize(
    ("completion", "sources"),
    [
        ("    return x\n", (f"{PROMPT}    return x\n",)),
        ("    return x", (f"{PROMPT}    return x\n",)),
        ("    return x\n```\nThat is all.", (f"{PROMPT}    return x\n",)),
        ("```python\n    return x\n```", (f"{PROMPT}    return x\n\n",)),
        (f"```python\n{CODE}\n```", ("import math\n\ndef helper(x):\n    return x\n\n", f"{CODE}\n")),
        (CODE, ("import math\n\ndef helper(x):\n    return x\n\n", CODE)),
    ],
)
def test_a_completion_continues_the_prompt_or_replaces_its_function(completion: str, sources: tuple[str, ...]) -> None:
    found = extract(completion, CONTINUED)
    assert found is not None
    assert found.sources == sources


def test_a_future_import_may_stay_the_first_line_of_a_whole_answer() -> None:
    found = extract(f"```python\nfrom __future__ import annotations\n{CODE}\n```", CONTINUED)
    assert found is not None
    compile(found.sources[-1], "answer", "exec")


def test_a_preamble_ends_before_the_function() -> None:
    assert preamble(PROMPT, "f") == "import math\n\ndef helper(x):\n    return x\n\n"
    assert preamble("x = 1\n", "f") == "x = 1\n"


@pytest.mark.parametrize(
    ("language", "tag"), [("c", "c"), ("c++", "cpp"), ("javascript", "js"), ("java", "java"), ("python", "python3")]
)
def test_blocks_of_other_languages_do_not_count(language: str, tag: str) -> None:
    text = f"```{tag}\nright\n```\n```rust\nwrong\n```"
    found = extract(text, IO, language)
    assert found is not None
    assert found.program == "right\n"


@FIXED
@given(st.text(alphabet="`~\n\r pythonf<>/answerthink=def():", max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for suite in (F, IO, CONTINUED):
        found = extract(text, suite)
        assert found is None or found.program.strip()


DEEP = "1. Code:\n\n    ```python\n    def f(x):\n        return x\n    ```\n"


@pytest.mark.parametrize(
    "completion",
    [
        DEEP,
        f"Steps:\n{DEEP}\nIt prints\n```\n7\n```\n",
        "- a\n   - b\n\n     ```python\n     def f(x):\n         return x\n     ```\nDone.",
        "10. Code:\n\n\t```python\n\tdef f(x):\n\t    return x\n\t```\n",
        "> ```python\n> def f(x):\n>     return x\n> ```\n",
        ">```python\n>def f(x):\n>    return x\n>```\n> That is it.",
        "- ```python\n  def f(x):\n      return x\n  ```\n",
        "1. ```python\n   def f(x):\n       return x\n   ```\n",
        "```python\n\ufeffdef f(x):\n    return x\n```",
    ],
)
def test_blocks_in_lists_and_quotations_are_out_dented(completion: str) -> None:
    found = extract(completion, F)
    assert found is not None
    assert found.program == f"{CODE}\n"


def test_blank_lines_of_a_quotation_are_blank_lines_of_its_program() -> None:
    found = extract("> ```python\n> def f(x):\n>\n>     return x\n> ```\n", F)
    assert found is not None
    assert found.program == "def f(x):\n\n    return x\n"


@pytest.mark.parametrize("program", [
    'def f(x):\n    """Return x.\n\n    ```python\n    def f(x): return 0\n    ```\n    """\n    return x',
    "def f(x):\n    '''\n    ```\n    f(1)\n    ```\n    and\n    ```\n    f(2)\n    ```\n    '''\n    return x",
])  # fmt: skip
def test_examples_in_the_documentation_of_a_program_are_no_blocks(program: str) -> None:
    block = f"```python\n{program}\n```"
    for completion in (program, block, "> " + block.replace("\n", "\n> ")):
        found = extract(completion, F)
        assert found is not None
        assert found.program.strip() == program


def test_an_indented_fence_within_a_block_of_a_list_does_not_close_it() -> None:
    inner = 'def f(x):\n    """\n    ```\n    f(1)\n    ```\n    """\n    return x\n'
    indented = "".join(f"    {line}\n" for line in inner.splitlines())
    found = extract(f"1. So:\n    ```python\n{indented}    ```\n", F)
    assert found is not None
    assert found.program == inner


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "</think> " * 500_000,
        "```" + " " * 2_000_000 + "`",
        " " * 2_000_000 + "x",
        "> " * 1_000_000,
        "```\n" + "    ```x\n" * 200_000,
        "'''\n" + "    ```\n" * 200_000,
    ],
)
def test_extraction_is_linear(text: str) -> None:  # the square of these lengths would take hours
    assert extract(text, F) is None
