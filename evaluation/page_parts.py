"""Style and script of the samples page: what ``page.py`` lays into its one file.

The script builds every element from text nodes: nothing that a model wrote is ever parsed as markup.
"""

STYLE = """
:root { color-scheme: light dark; --line: light-dark(#dadada, #3a3d44); --soft: light-dark(#f4f4f4, #20242b);
        --good: light-dark(#1a7f37, #57c26f); --bad: light-dark(#b3261e, #ff8a80);
        --odd: light-dark(#8a5a00, #e3b341); }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem;
       color: light-dark(#1b1b1b, #e8e8e8); background: light-dark(#ffffff, #16181c); }
h1, p, summary, .sample, .meta { overflow-wrap: anywhere; }
figure { margin: 0; }
svg { width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
td.text { text-align: left; }
.scroll { overflow-x: auto; }
.note { border-left: 4px solid var(--odd); padding-left: .8rem; }
.controls { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .5rem; padding: .6rem 0; z-index: 1;
            background: light-dark(#ffffff, #16181c); border-bottom: 1px solid var(--line); }
input, select { font: inherit; padding: .35rem .5rem; min-width: 0; }
input[type=search] { flex: 1 1 14rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; }
summary { cursor: pointer; padding: .45rem .7rem; display: flex; gap: .7rem; align-items: center; }
summary .prompt { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.inside { padding: .2rem .7rem .7rem; }
.bar { flex: none; width: 4.5rem; height: .7rem; border-radius: 3px; background: var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--good); }
.rate { flex: none; width: 4.2rem; text-align: right; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .6rem; border-radius: 6px;
      margin: .3rem 0; max-height: 28rem; overflow-y: auto; }
.sample { border-top: 1px solid var(--line); padding: .5rem 0; }
.correct { color: var(--good); } .incorrect, .no_answer, .limit_exceeded { color: var(--bad); }
.partial, .error, .bad_reference { color: var(--odd); }
.meta { opacity: .75; font-size: .87rem; }
button { font: inherit; padding: .4rem .8rem; }
"""

SCRIPT = r"""
"use strict";
const byId = id => document.getElementById(id);
const tasks = JSON.parse(byId("tasks").textContent);
const list = byId("list"), query = byId("query"), kind = byId("kind"), verdict = byId("verdict"), order = byId("order");
const STEP = 200;
let limit = STEP;

function make(tag, name, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  for (const child of children) element.append(child instanceof Node ? child : document.createTextNode(child));
  return element;
}
const raw = index => byId("t" + index).textContent;
const samplesOf = index => JSON.parse(raw(index));

const KINDS = {
  all: () => true,
  none: t => t.correct === 0,
  some: t => t.correct > 0 && t.correct < t.n,
  every: t => t.n > 0 && t.correct === t.n,
  outvoted: t => t.correct > 0 && t.votes.length > 0 && t.votes[0].score < 0.5,
  failed: t => t.failures > 0,
  truncated: t => t.truncated > 0,
};
const ORDERS = {
  given: (a, b) => a.index - b.index,
  hardest: (a, b) => a.correct / a.n - b.correct / b.n || a.index - b.index,
  easiest: (a, b) => b.correct / b.n - a.correct / a.n || a.index - b.index,
};

// Samples lie as JSON text: the query is looked for in the form that it has there.
function needle(text) {
  return JSON.stringify(text.toLowerCase()).slice(1, -1).replace(/</g, "\\u003c");
}

function chosen() {
  const wanted = needle(query.value.trim()), mark = verdict.value && '"verdict": "' + verdict.value + '"';
  return tasks
    .filter(t => KINDS[kind.value](t))
    .filter(t => !mark || raw(t.index).includes(mark))
    .filter(t => !wanted || needle(t.prompt + "\n" + t.reference).includes(wanted)
                         || raw(t.index).toLowerCase().includes(wanted))
    .sort(ORDERS[order.value]);
}

function show() {
  const found = chosen();
  byId("count").textContent = found.length + " of " + tasks.length + " tasks";
  list.replaceChildren(...found.slice(0, limit).map(row));
  if (found.length > limit) {
    const more = make("button", "", "Show more");
    more.onclick = () => { limit += STEP; show(); };
    list.append(more);
  }
}

function row(task) {
  const fill = make("i", "");
  fill.style.width = (task.n ? 100 * task.correct / task.n : 0) + "%";
  const details = make("details", "",
    make("summary", "", make("span", "bar", fill), make("span", "rate", task.correct + " / " + task.n),
      make("span", "prompt", task.prompt)));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(inside(task));
  });
  return details;
}

function inside(task) {
  const votes = make("table", "votes", make("tr", "", make("th", "", "votes"), make("th", "", "correct"),
    make("th", "", "answer")));
  for (const vote of task.votes) {
    const answer = make("td", "text", vote.answer);
    votes.append(make("tr", "", make("td", "", String(vote.size)),
      make("td", "", Math.round(100 * vote.score) + " %"), answer));
  }
  if (task.missing) votes.append(make("tr", "", make("td", "", String(task.missing)), make("td", "", "0 %"),
    make("td", "text", "(no answer)")));
  const shown = samplesOf(task.index).filter(s => !verdict.value || s.verdict === verdict.value);
  return make("div", "inside", make("div", "meta", "task " + task.id), make("pre", "", task.prompt),
    make("div", "meta", "reference"), make("pre", "", task.reference), make("div", "scroll", votes),
    ...shown.map(sample));
}

function sample(s) {
  const score = s.score === null ? "no score" : "score " + s.score;
  const facts = [score, s.tokens === null ? "" : s.tokens + " tokens", s.truncated ? "cut at the limit" : ""];
  return make("div", "sample",
    make("div", "", "#" + s.sample + " ", make("b", s.verdict, s.verdict.replace("_", " ")),
      s.answer === null ? "" : "  answer: " + s.answer, make("span", "meta", "  " + facts.filter(Boolean).join(", "))),
    s.reason ? make("div", "meta", s.reason) : "", make("pre", "", s.completion));
}

let timer;
function later() { clearTimeout(timer); timer = setTimeout(() => { limit = STEP; show(); }, 150); }
query.addEventListener("input", later);
for (const control of [kind, verdict, order]) control.addEventListener("change", () => { limit = STEP; show(); });
show();
"""
