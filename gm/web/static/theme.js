// Light, dark, or as the system says: kept in this browser only. Runs before the page is drawn.
(function () {
  "use strict";
  var root = document.documentElement;
  var kept = null;
  try { kept = localStorage.getItem("gm-theme"); } catch (refused) { kept = null; }
  if (kept === "light" || kept === "dark") { root.dataset.theme = kept; }
  document.addEventListener("click", function (event) {
    var button = event.target instanceof Element ? event.target.closest("[data-theme-switch]") : null;
    if (!button) { return; }
    var isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try { localStorage.setItem("gm-theme", root.dataset.theme); } catch (refused) { /* then only for this page */ }
    document.dispatchEvent(new CustomEvent("gm-theme"));
  });
})();
