// Adds decisions to the table as the server tells them; texts are only ever set as text.
"use strict";
(() => {
  const MOST = 200;
  const lines = document.getElementById("lines");
  const state = document.getElementById("state");
  const pause = document.getElementById("pause");
  const missed = document.getElementById("missed");
  const filter = document.getElementById("filter");
  const template = document.getElementById("line");
  const held = [];
  let paused = false;
  let lost = 0;

  function say(word) {
    state.dataset.state = word;
    state.textContent = paused ? `paused, ${held.length} held` : word === "away" ? "not connected" : word;
    if (paused) state.dataset.state = "paused";
  }

  function fits(line) {
    const wanted = new FormData(filter);
    const word = line.decision === "ticket" ? "deny" : line.decision;
    return ["session", "actor", "tool"].every((name) => !wanted.get(name) || wanted.get(name) === line[name])
      && (!wanted.get("decision") || wanted.get("decision") === word);
  }

  // The server writes UTC; people read their own time.
  function local(time) {
    time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour12: false });
  }

  function row(line) {
    const made = template.content.cloneNode(true).firstElementChild;
    const [when, vote, event, call, actor, session, why] = made.children;
    when.firstElementChild.dateTime = line.ts;
    local(when.firstElementChild);
    vote.firstElementChild.textContent = line.decision;
    if (/^[a-z]+$/.test(line.decision)) vote.firstElementChild.classList.add(line.decision);
    event.textContent = line.event;
    call.children[0].textContent = line.tool;
    call.children[1].textContent = line.call;
    actor.textContent = line.actor;
    const opened = session.firstElementChild;
    opened.textContent = line.session_short;
    opened.title = line.session;
    opened.href = `/session?id=${encodeURIComponent(line.session)}`;
    why.children[0].textContent = line.reason;
    why.children[1].textContent = line.hook;
    if (line.approval) why.children[2].textContent = line.approval;
    else why.children[2].remove();
    made.classList.add("new");
    return made;
  }

  function add(line) {
    if (!fits(line)) return;
    lines.prepend(row(line));
    while (lines.children.length > MOST) lines.lastElementChild.remove();
    document.getElementById("nothing").hidden = true;
  }

  lines.querySelectorAll("time").forEach(local);
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Go on" : "Pause";
    if (!paused) held.splice(0).forEach(add);
    say("live");
  });

  function take(line) {
    if (!paused) return add(line);
    held.push(line);
    if (held.length > MOST) held.shift();
    say("paused");
  }

  // What was decided before the page could listen is on the server's page; what comes meanwhile waits for it.
  let early = null;
  async function catchUp() {
    early = [];
    let newest = 0;
    try {
      const answer = await fetch(location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const rows = page.getElementById("lines");
      if (answer.ok && rows && !paused) {
        lines.replaceChildren(...[...rows.children].map((one) => document.adoptNode(one)));
        lines.querySelectorAll("time").forEach(local);
        if (lines.firstElementChild) newest = Date.parse(lines.firstElementChild.dataset.ts);
        document.getElementById("nothing").hidden = lines.firstElementChild !== null;
      }
    } finally {
      const waiting = early;
      early = null;
      waiting.filter((line) => Date.parse(line.ts) > newest).forEach(take);
      say("live");
    }
  }

  const source = new EventSource("/live/events");
  source.addEventListener("error", () => say("away"));
  source.addEventListener("following", (event) => (JSON.parse(event.data) ? catchUp() : say("away")));
  source.addEventListener("decision", (event) => {
    const line = JSON.parse(event.data);
    if (early) early.push(line);
    else take(line);
  });
  source.addEventListener("missed", (event) => {
    lost += JSON.parse(event.data);
    missed.hidden = false;
    missed.textContent = `${lost} decisions came faster than this page could show them; the ledger has them all.`;
  });
})();
