// Adds decisions to the table as the server tells them, once a frame; texts are only ever set as text.
"use strict";
(() => {
  const MOST = 200; // rows; what is older is in the ledger
  // Milliseconds between two changes of the page, and after one of many rows: nobody reads faster, and laying it out costs.
  const CALM = 250;
  const BUSY = 500;
  const NEEDS_APPROVAL = "needs approval";
  const STRICT = ["", "allow", "ask", NEEDS_APPROVAL, "deny"]; // a new row says nothing yet
  const lines = document.getElementById("lines");
  const state = document.getElementById("state");
  const pause = document.getElementById("pause");
  const heard = document.getElementById("heard");
  const missed = document.getElementById("missed");
  const nothing = document.getElementById("nothing");
  const filter = document.getElementById("filter");
  const template = document.getElementById("line");
  // The server writes UTC; people read their own time.
  const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const since = clock.format(new Date());
  const waiting = []; // what is to be shown, oldest first; never more than fits
  let wanted = Object.fromEntries(new FormData(filter));
  let connected = "connecting";
  let paused = false;
  let asked = false; // for a frame to come
  let next = 0; // when the page may change again
  // Every decision is counted, whether it is shown or not: `told` by the server, `fit` the filter, `lost` on the way.
  let told = 0;
  let fit = 0;
  let lost = 0;
  let held = 0;
  let dropped = false; // something left the page to make room
  const rows = new Map(); // the row of each call, by its name

  const many = (number) => `${number.toLocaleString("en")} ${number === 1 ? "decision" : "decisions"}`;

  function say() {
    const words = { live: "live", away: "not connected", connecting: "connecting" };
    state.dataset.state = paused && connected === "live" ? "paused" : connected;
    const text = paused && connected === "live" ? `paused, ${held.toLocaleString("en")} held` : words[connected];
    if (state.textContent !== text) state.textContent = text;
    heard.hidden = told === 0;
    heard.dataset.told = told;
    heard.dataset.fit = fit;
    heard.textContent = `${many(told)} since ${since}`
      + (fit < told ? `, ${fit.toLocaleString("en")} match the filter` : "")
      + (dropped ? `; the newest ${MOST} are shown` : "");
  }

  function fits(line) {
    const word = line.decision === NEEDS_APPROVAL ? "deny" : line.decision;
    return ["session", "actor", "tool"].every((name) => !wanted[name] || wanted[name] === line[name])
      && (!wanted.decision || wanted.decision === word);
  }

  function local(time) {
    time.textContent = clock.format(new Date(time.dateTime));
  }

  function link(href, text) {
    const made = document.createElement("a");
    made.href = href;
    made.textContent = text;
    return made;
  }

  // A sentence with the parts in backticks as code, as the server writes it too.
  function ticked(text) {
    const pieces = text.split("`");
    if (pieces.length % 2 === 0) return [text];
    return pieces.map((piece, place) => {
      if (place % 2 === 0) return piece;
      return Object.assign(document.createElement("code"), { textContent: piece });
    });
  }

  // What one hook did, as the server writes it too (the macro `fired`).
  function fired(hook, event) {
    const made = document.createElement("li");
    const by = document.createElement("span");
    by.className = "by";
    by.textContent = hook.hook;
    made.append(by, ` ${hook.did.join(", ")}`);
    hook.evidence.forEach((kept, place) => {
      made.append(place ? ", " : `${hook.did.length ? ", " : ""}captured evidence `, link(kept.path, `#${kept.seq}`));
    });
    if (event) {
      const at = document.createElement("span");
      at.className = "at";
      at.textContent = `at ${event}`;
      made.append(" ", at);
    }
    return made;
  }

  // One event more of the call of a row; its strictest decision is the one that is shown.
  function join(made, line) {
    const [, vote, events, , why] = made.children;
    const list = why.querySelector(".fired");
    const begun = events.firstElementChild?.textContent ?? line.event;
    if (events.firstElementChild) events.append(" ");
    events.append(link(line.path, line.event));
    list.append(...line.hooks.map((hook) => fired(hook, line.event === begun ? "" : line.event)));
    if (line.more) list.append(Object.assign(document.createElement("li"), { textContent: `and ${line.more} more` }));
    made.dataset.ts = line.ts;
    const badge = vote.firstElementChild;
    if (STRICT.indexOf(line.decision) <= STRICT.indexOf(badge.textContent)) return;
    badge.textContent = line.decision;
    badge.className = `vote ${line.decision.replaceAll(" ", "-")}`;
    why.querySelector(".reason").replaceChildren(...ticked(line.reason));
    why.querySelector(".request")?.remove();
    if (line.approval) {
      const request = link(`/approvals#${line.approval}`, line.approval);
      request.className = "request";
      list.before(request);
    }
  }

  function row(line) {
    const made = template.content.firstElementChild.cloneNode(true);
    const [when, , , call, why, actor, session] = made.children;
    why.querySelector(".request").remove();
    when.firstElementChild.dateTime = line.ts;
    local(when.firstElementChild);
    const opened = call.firstElementChild;
    opened.href = line.path;
    opened.children[0].textContent = line.tool;
    opened.children[1].textContent = line.call;
    if (!line.tool && !line.call) opened.remove(); // the event leads there
    actor.textContent = line.actor;
    const whole = session.firstElementChild;
    whole.textContent = line.session_short;
    whole.title = line.session;
    whole.href = line.session_path;
    made.dataset.group = line.group;
    if (line.group) rows.set(line.group, made);
    join(made, line);
    return made;
  }

  function leave(one) {
    if (rows.get(one.dataset.group) === one) rows.delete(one.dataset.group);
    one.remove();
    dropped = true;
  }

  // One change of the page for all that came since the last one.
  function show() {
    asked = false;
    next = performance.now() + (waiting.length > 20 ? BUSY : CALM);
    if (!paused && waiting.length) {
      const calm = waiting.length < 10; // a glow for each of many would be a flicker
      const changed = new Set();
      const made = [];
      for (const line of waiting.splice(0)) {
        const there = line.group ? rows.get(line.group) : undefined;
        if (there) join(there, line);
        else made.unshift(row(line));
        changed.add(there ?? made[0]);
      }
      if (calm) changed.forEach((one) => one.classList.add("new"));
      while (lines.children.length + made.length > MOST && lines.lastElementChild) leave(lines.lastElementChild);
      lines.prepend(...made);
      nothing.hidden = true;
    }
    say();
  }

  function later() {
    if (asked) return;
    asked = true;
    const rest = next - performance.now();
    if (rest > 0 || document.hidden) setTimeout(show, rest); // a page nobody sees has no frames
    else requestAnimationFrame(show);
  }

  function take(line) {
    told += 1;
    if (fits(line)) {
      fit += 1;
      held += paused;
      waiting.push(line);
      if (waiting.length > MOST) {
        waiting.shift();
        dropped = true;
      }
    }
    later();
  }

  function know() {
    rows.clear();
    for (const one of lines.children) if (one.dataset.group) rows.set(one.dataset.group, one);
  }

  filter.addEventListener("input", () => (wanted = Object.fromEntries(new FormData(filter))));
  lines.querySelectorAll("time").forEach(local);
  know();
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    held = 0;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Resume" : "Pause";
    show();
  });

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
        know();
        newest = Math.max(0, ...[...lines.children].map((one) => Date.parse(one.dataset.ts)));
        nothing.hidden = lines.firstElementChild !== null;
      }
    } finally {
      const came = early;
      early = null;
      connected = "live";
      came.filter((line) => Date.parse(line.ts) > newest).forEach(take);
      later();
    }
  }

  function away() {
    connected = "away";
    later();
  }

  const source = new EventSource("/live/events");
  source.addEventListener("error", away);
  source.addEventListener("following", (event) => (JSON.parse(event.data) ? catchUp() : away()));
  source.addEventListener("decision", (event) => {
    const line = JSON.parse(event.data);
    if (early) early.push(line);
    else take(line);
  });
  source.addEventListener("missed", (event) => {
    lost += JSON.parse(event.data);
    missed.hidden = false;
    missed.dataset.lost = lost;
    missed.textContent = `${many(lost)} came faster than this page could take them; the ledger has them all.`;
  });
})();
