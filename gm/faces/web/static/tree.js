// Opens and closes all of a page's trees at once. Single branches open by themselves, without this.
(function () {
  "use strict";
  function offer() {
    document.querySelectorAll("[data-tree-switches]").forEach(function (switches) { switches.hidden = false; });
  }
  document.addEventListener("click", function (event) {
    var button = event.target instanceof Element ? event.target.closest("[data-tree-open], [data-tree-close]") : null;
    if (!button) { return; }
    var open = button.hasAttribute("data-tree-open");
    document.querySelectorAll("[data-tree] details").forEach(function (branch) { branch.open = open; });
  });
  document.addEventListener("gm-renewed", offer);
  offer();
})();
