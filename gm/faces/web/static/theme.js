// Light, dark, or as the system says: kept in this browser only. Runs before the page is drawn. And rows of entries.
(function () {
  "use strict";
  var root = document.documentElement;
  var kept = null;
  try { kept = localStorage.getItem("gm-theme"); } catch (refused) { kept = null; }
  if (kept === "light" || kept === "dark") { root.dataset.theme = kept; }
  // A row of entries that is wider than the screen begins with the one the page belongs to in sight.
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("nav ul [aria-current]").forEach(function (entry) {
      var row = entry.closest("nav"), at = entry.getBoundingClientRect(), around = row.getBoundingClientRect();
      if (at.right > around.right - 48) { row.scrollLeft += at.left - around.left - (around.width - at.width) / 2; }
    });
  });
  document.addEventListener("click", function (event) {
    var button = event.target instanceof Element ? event.target.closest("[data-theme-switch]") : null;
    if (!button) { return; }
    var isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try { localStorage.setItem("gm-theme", root.dataset.theme); } catch (refused) { /* then only for this page */ }
    document.dispatchEvent(new CustomEvent("gm-theme"));
  });
})();
