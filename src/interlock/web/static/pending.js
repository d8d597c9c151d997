// How many requests wait: in the navigation, in the tab's title, by a sound; told to the page as `interlock:pending`.
"use strict";
(() => {
  const badge = document.getElementById("pending");
  const button = document.getElementById("sound");
  const title = document.title;
  let known = null;
  let audio = null;

  const wanted = () => localStorage.getItem("sound") === "on";

  function beep() {
    if (!wanted()) return;
    audio = audio || new AudioContext();
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = 660;
    volume.gain.setValueAtTime(0.15, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.4);
  }

  function tell(names, first) {
    const fresh = known !== null && names.some((name) => !known.includes(name));
    known = names;
    badge.firstChild.data = String(names.length);
    badge.hidden = names.length === 0;
    document.title = names.length ? `(${names.length}) ${title}` : title;
    // Of several open pages the one that listens to the server is heard; the others only show it.
    if (fresh && first) beep();
    document.dispatchEvent(new CustomEvent("interlock:pending", { detail: names }));
  }

  button.hidden = false;
  const show = () => button.setAttribute("aria-pressed", String(wanted()));
  show();
  button.addEventListener("click", () => {
    localStorage.setItem("sound", wanted() ? "off" : "on");
    show();
    beep();
  });

  // A browser has few connections to one server: of all open pages one listens, and tells the others.
  const channel = new BroadcastChannel("interlock-pending");
  channel.addEventListener("message", (message) => {
    if (message.data !== "who") tell(message.data, false);
    else if (source && known) channel.postMessage(known);
  });
  let source = null;
  function listen() {
    source = new EventSource("/pending/events");
    source.addEventListener("pending", (event) => {
      const names = JSON.parse(event.data);
      tell(names, true);
      channel.postMessage(names);
    });
    return new Promise(() => {}); // for as long as this page is open
  }
  channel.postMessage("who");
  if (navigator.locks) navigator.locks.request("interlock-pending", listen);
  else listen();
})();
