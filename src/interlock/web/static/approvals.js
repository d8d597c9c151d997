// Counts down, and brings requests that come and go without touching a form somebody is filling in.
"use strict";
(() => {
  const waiting = document.getElementById("waiting");
  const told = document.getElementById("told");
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

  function end(article) {
    article.classList.add("over");
    article.querySelector("form").remove();
    article.querySelector(".left").textContent = "no longer waiting";
  }

  async function follow(names) {
    // What was answered elsewhere stays where it is: nothing may move under a finger that is about to press.
    for (const article of waiting.querySelectorAll("article:not(.over)")) if (!names.includes(article.id)) end(article);
    if (names.some((name) => !document.getElementById(name))) {
      const answer = await fetch("/approvals/waiting");
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const article of page.querySelectorAll("article")) {
        if (document.getElementById(article.id)) continue;
        waiting.append(document.adoptNode(article));
        // Said apart from the list, or a reader would speak with every second of the countdown.
        told.textContent = `${article.id} needs approval`;
      }
    }
    nothing.hidden = waiting.querySelector("article:not(.over)") !== null;
    count();
  }

  document.addEventListener("interlock:pending", (event) => follow(event.detail));
  setInterval(count, 1000);
  count();
})();
