"""The samples page: what it holds, what it lets through, and how it works in a real browser."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from assay.environments.base import Prompt, Task
from assay.errors import InputError
from assay.evaluation import Completion, evaluate
from assay.evaluation.page import write_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOSTILE = (
    "a</script><script>document.title = 'owned'</script>",
    "b<img src=x onerror=\"document.title = 'owned'\">",
    "c<!--<script>",
    'd"}]\u2028\udc80 <b>bold</b> needle in a haystack',
)


class Hostile:
    """Writes what would break a careless page."""

    batch_size = 64
    settings = {"kind": "hostile", "seed": 0, "model": "<script>document.title = 'owned'</script>"}

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        return [Completion(HOSTILE[i % 4] * (1 + i // 4), tokens=i, truncated=i % 5 == 0) for i in range(len(prompts))]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("signs_of_conftest", Path(__file__).parent / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    conftest = module_from_spec(spec)
    spec.loader.exec_module(conftest)
    folder = tmp_path_factory.mktemp("page")
    tasks = [
        Task("say <i>first</i></script>", "ab"),
        Task([{"role": "user", "content": "say second"}], "z"),
        Task("say third", "broken"),
        Task("say fourth", "abcd"),
    ]
    evaluate(conftest.Signs(), Hostile(), samples=8, tasks=tasks, folder=folder, progress=False)
    return write_page(folder)


class Reader(HTMLParser):
    """Collects scripts, tags and what would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [str(v) for k, v in attrs if k in ("src", "href", "xlink:href") and not str(v).startswith("#")]
        if tag == "script":
            self.scripts.append(str(dict(attrs).get("type")))


def test_what_a_model_wrote_is_data_never_markup(page: Path) -> None:
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    assert reader.fetched == []
    assert "img" not in reader.tags
    assert "i" not in reader.tags
    assert reader.scripts == ["application/json"] * 5 + ["None"]


def test_every_sample_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    rows = []
    for index in range(4):
        start = text.index(f'id="t{index}">') + len(f'id="t{index}">')
        rows += json.loads(text[start : text.index("</script>", start)])
    assert len(rows) == 32
    assert {row["completion"] for row in rows} >= set(HOSTILE)


def test_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no evaluation"):
        write_page(tmp_path)


class Browser:
    """Headless Chromium, driven through its debugging pipe."""

    def __init__(self, profile: Path) -> None:
        (inlet, self._out), (self._in, outlet) = os.pipe(), os.pipe()
        # above 9, so that placing them at 3 and 4 overwrites neither
        theirs = [fcntl.fcntl(handle, fcntl.F_DUPFD, 10) for handle in (inlet, outlet)]
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        command = [str(CHROMIUM), *flags, f"--user-data-dir={profile}", "about:blank"]
        placed = ["bash", "-c", f'exec "$@" 3<&{theirs[0]} 4>&{theirs[1]}', "bash", *command]
        self._process = subprocess.Popen(
            placed, pass_fds=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        for handle in (inlet, outlet, *theirs):
            os.close(handle)
        self._number, self._buffer = 0, b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session: str | None = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    _session: str | None = None

    def call(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> Any:
        while b"\0" not in self._buffer:
            chunk = os.read(self._in, 1 << 20)
            assert chunk, "the browser closed its pipe"
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def evaluate(self, script: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, path: Path) -> None:
        self.call("Page.navigate", url=path.as_uri())
        self.evaluate("new Promise(done => { (function wait() { document.readyState === 'complete' && "
                      "document.getElementById('count') ? done() : setTimeout(wait, 20); })(); })")  # fmt: skip

    def close(self) -> None:
        try:
            self._session = None
            self.call("Browser.close")
        finally:
            self._process.wait(timeout=30)
            os.close(self._in)
            os.close(self._out)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    found = Browser(tmp_path / "profile")
    yield found
    found.close()


COUNT = "document.getElementById('count').textContent"


def choose(control: str, value: str) -> str:
    event = "input" if control == "query" else "change"
    return (
        f"new Promise(done => {{ const c = document.getElementById({control!r}); c.value = {json.dumps(value)};"
        f" c.dispatchEvent(new Event({event!r})); setTimeout(() => done({COUNT}), 300); }})"
    )


def test_in_a_browser_it_filters_opens_and_lets_no_script_run(page: Path, browser: Browser, tmp_path: Path) -> None:
    browser.open(page)
    assert browser.evaluate(COUNT) == "4 of 4 tasks"
    assert browser.evaluate(choose("query", "SECOND")) == "1 of 4 tasks"
    assert browser.evaluate(choose("query", "</script><script>")) == "4 of 4 tasks"
    assert browser.evaluate(choose("query", "needle in a haystack")) == "4 of 4 tasks"
    assert browser.evaluate(choose("query", "nowhere to be found")) == "0 of 4 tasks"
    browser.evaluate(choose("query", ""))
    assert browser.evaluate(choose("kind", "failed")) == "1 of 4 tasks"
    assert browser.evaluate(choose("kind", "none")) == "2 of 4 tasks"
    assert browser.evaluate(choose("kind", "every")) == "1 of 4 tasks"
    browser.evaluate(choose("kind", "all"))
    assert browser.evaluate(choose("verdict", "bad_reference")) == "1 of 4 tasks"
    browser.evaluate(choose("verdict", ""))
    browser.evaluate("for (const s of document.querySelectorAll('summary')) s.click()")
    shown = browser.evaluate("new Promise(d => setTimeout(() => d(document.querySelectorAll('.sample').length), 200))")
    assert shown == 32
    assert browser.evaluate("document.querySelectorAll('img, #list script, #list b:not([class])').length") == 0
    assert browser.evaluate("document.title") == "<script>document.title = 'owned'</script> on test/signs-v1"
    assert browser.evaluate("[...document.querySelectorAll('pre')].some(p => p.textContent.includes('<img src=x'))")
    picture = base64.b64decode(browser.call("Page.captureScreenshot")["data"])
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(page: Path, browser: Browser, scheme: str) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.open(page)
    browser.evaluate("for (const s of document.querySelectorAll('summary')) s.click()")
    assert browser.evaluate("new Promise(d => setTimeout(() => d(document.documentElement.scrollWidth), 200))") <= 390
    background = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 28)"}[scheme]
