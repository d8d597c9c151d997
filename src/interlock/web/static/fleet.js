// Brings the agents as they change, and counts how long each has been as it is.
"use strict";
(() => {
  const agents = document.getElementById("agents");
  const units = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];
  let held = null;

  function age(time) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(time.dateTime)) / 1000));
    const [unit, size] = units.find(([, size]) => seconds >= size) ?? ["s", 1];
    return `${Math.floor(seconds / size)}${unit}`;
  }

  function count() {
    for (const time of agents.querySelectorAll("time[data-since]")) time.textContent = `for ${age(time)}`;
    for (const time of agents.querySelectorAll("time[data-ago]")) time.textContent = `${age(time)} ago`;
  }

  function show() {
    // Nothing may move under a finger that is about to press.
    if (held === null || agents.contains(document.activeElement)) return;
    const page = new DOMParser().parseFromString(held, "text/html");
    agents.replaceChildren(...[...page.body.childNodes].map((node) => document.adoptNode(node)));
    held = null;
    count();
  }

  new EventSource(`/fleet/events${location.search}`).addEventListener("fleet", (event) => {
    held = JSON.parse(event.data);
    show();
  });
  agents.addEventListener("focusout", () => setTimeout(show));
  setInterval(count, 1000);
  count();
})();
