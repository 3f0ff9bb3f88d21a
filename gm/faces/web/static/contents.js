// Marks in a day's list of contents which scene is being read. Without this the list is as it is.
(function () {
  "use strict";
  var watcher = null;
  function mark(link) {
    var list = link.closest(".contents");
    list.querySelectorAll("[aria-current]").forEach(function (other) { other.removeAttribute("aria-current"); });
    link.setAttribute("aria-current", "true");
    // only the list moves, at once and no further than needed: scrollIntoView could move the page as well
    var box = list.parentElement;
    if (getComputedStyle(box).overflowY !== "auto") { return; }
    var shown = box.getBoundingClientRect();
    var place = link.getBoundingClientRect();
    if (place.top < shown.top) { box.scrollTop -= shown.top - place.top; }
    if (place.bottom > shown.bottom) { box.scrollTop += place.bottom - shown.bottom; }
  }
  function watch() {
    if (watcher) { watcher.disconnect(); }
    var links = new Map();
    // a scene is read when it crosses a line in the upper third of the window
    watcher = new IntersectionObserver(function (entries) {
      entries.forEach(function (entry) { if (entry.isIntersecting) { mark(links.get(entry.target)); } });
    }, { rootMargin: "-30% 0px -69% 0px" });
    document.querySelectorAll(".contents a[href^='#']").forEach(function (link) {
      var scene = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (scene) { links.set(scene, link); watcher.observe(scene); }
    });
  }
  document.addEventListener("gm-renewed", watch);
  watch();
})();
