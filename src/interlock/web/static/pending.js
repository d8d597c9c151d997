// How many requests wait: in the navigation, in the tab's title, by a sound; told to the page as `interlock:pending`.
// It is also the one that notices when the dashboard is gone, or the login is.
"use strict";
(() => {
  const badge = document.getElementById("pending");
  const button = document.getElementById("sound");
  const lost = document.getElementById("lost");
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

  const ENDED = ["This login has ended. Run ", "interlock ui", " and open the link it prints."];
  const gone = () => [`The dashboard has not answered since ${new Date().toLocaleTimeString([], { hour12: false })}; what you see is from then. `
    + "If it does not come back by itself, run ", "interlock ui", " for a new link."];

  function showLost(words) {
    lost.hidden = words === null;
    if (words === null) return lost.replaceChildren();
    const code = document.createElement("code");
    code.textContent = words[1];
    lost.replaceChildren(words[0], code, words[2]);
  }

  // On a phone the navigation is wider than the screen: show where this page stands in it.
  document.querySelector(".top nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

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
    if (message.data === "who") {
      if (source && known) channel.postMessage({ names: known, words });
    } else {
      showLost(message.data.words);
      tell(message.data.names, false);
    }
  });
  let source = null;
  let words = null; // what is said of a dashboard that is lost
  let doubt = null; // a stream that ends may be back at once
  function say(now) {
    clearTimeout(doubt);
    doubt = null;
    words = now;
    showLost(words);
    channel.postMessage({ names: known ?? [], words });
  }

  async function ended() {
    try {
      const answer = await fetch("/approvals/waiting", { method: "HEAD" });
      return answer.status === 401;
    } catch {
      return false;
    }
  }

  function open() {
    source = new EventSource("/pending/events");
    source.addEventListener("open", () => (words || doubt) && say(null));
    source.addEventListener("pending", (event) => {
      const names = JSON.parse(event.data);
      tell(names, true);
      channel.postMessage({ names, words });
    });
    source.addEventListener("error", async () => {
      const closed = source.readyState === EventSource.CLOSED;
      if (closed && (await ended())) return say(ENDED);
      if (!words) doubt = doubt ?? setTimeout(say, 3000, gone());
      if (closed) setTimeout(open, 5000); // a browser tries again by itself only where nobody answered
    });
  }

  function listen() {
    open();
    return new Promise(() => {}); // for as long as this page is open
  }
  channel.postMessage("who");
  if (navigator.locks) navigator.locks.request("interlock-pending", listen);
  else listen();
})();
