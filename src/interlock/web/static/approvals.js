// Counts down, and brings requests that come and go without touching a form somebody is filling in.
"use strict";
(() => {
  const waiting = document.getElementById("waiting");
  const nothing = document.getElementById("nothing");

  function count() {
    for (const time of waiting.querySelectorAll("time[data-ends]")) {
      const left = Math.max(0, Math.floor((Date.parse(time.dateTime) - Date.now()) / 1000));
      const minutes = Math.floor(left / 60);
      const hours = Math.floor(minutes / 60);
      const two = (number) => String(number).padStart(2, "0");
      time.textContent = hours ? `in ${hours}:${two(minutes % 60)}:${two(left % 60)}` : `in ${minutes}:${two(left % 60)}`;
      time.parentElement.classList.toggle("soon", left < 60);
    }
  }

  async function follow(names) {
    const shown = [...waiting.querySelectorAll("article")];
    for (const article of shown) if (!names.includes(article.id)) article.remove();
    if (names.some((name) => !document.getElementById(name))) {
      const answer = await fetch("/approvals/waiting");
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const article of page.querySelectorAll("article")) {
        if (!document.getElementById(article.id)) waiting.append(document.adoptNode(article));
      }
    }
    nothing.hidden = waiting.querySelector("article") !== null;
    count();
  }

  // Announced once a minute at most by readers: the countdown itself is not part of what is live.
  document.addEventListener("interlock:pending", (event) => follow(event.detail));
  setInterval(count, 1000);
  count();
})();
