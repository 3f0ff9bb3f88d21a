// Opens and closes all of a page's trees at once. Single branches open by themselves, without this.
(function () {
  "use strict";
  var switches = document.querySelector("[data-tree-switches]");
  function all(open) {
    document.querySelectorAll("[data-tree] details").forEach(function (branch) { branch.open = open; });
  }
  if (!switches) { return; }
  switches.hidden = false;
  switches.querySelector("[data-tree-open]").addEventListener("click", function () { all(true); });
  switches.querySelector("[data-tree-close]").addEventListener("click", function () { all(false); });
})();
