// Adds decisions to the table as the server tells them, once a frame; texts are only ever set as text.
"use strict";
(() => {
  const MOST = 200; // rows; what is older is in the ledger
  // Milliseconds between two changes of the page, and after one of many rows: nobody reads faster, and laying it out costs.
  const CALM = 250;
  const BUSY = 500;
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
      + (fit < told ? `, ${fit.toLocaleString("en")} fit the filter` : "")
      + (fit > MOST ? `; the newest ${MOST} are shown` : "");
  }

  function fits(line) {
    const word = line.decision === "ticket" ? "deny" : line.decision;
    return ["session", "actor", "tool"].every((name) => !wanted[name] || wanted[name] === line[name])
      && (!wanted.decision || wanted.decision === word);
  }

  function local(time) {
    time.textContent = clock.format(new Date(time.dateTime));
  }

  function row(line) {
    const made = template.content.firstElementChild.cloneNode(true);
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
    opened.href = line.session_path;
    why.children[0].textContent = line.reason;
    why.children[1].textContent = line.hook;
    if (line.approval) why.children[2].textContent = line.approval;
    else why.children[2].remove();
    return made;
  }

  // One change of the page for all that came since the last one.
  function show() {
    asked = false;
    next = performance.now() + (waiting.length > 20 ? BUSY : CALM);
    if (!paused && waiting.length) {
      const calm = waiting.length < 10; // a glow for each of many would be a flicker
      const made = waiting.splice(0).reverse().map(row);
      if (calm) made.forEach((one) => one.classList.add("new"));
      while (lines.children.length + made.length > MOST && lines.lastElementChild) lines.lastElementChild.remove();
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
      if (waiting.length > MOST) waiting.shift();
    }
    later();
  }

  filter.addEventListener("input", () => (wanted = Object.fromEntries(new FormData(filter))));
  lines.querySelectorAll("time").forEach(local);
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    held = 0;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Go on" : "Pause";
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
        if (lines.firstElementChild) newest = Date.parse(lines.firstElementChild.dataset.ts);
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
