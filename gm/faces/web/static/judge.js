// Judging by keys: 1, 2 and 3 press the buttons, unless somebody writes.
(function () {
  "use strict";
  document.addEventListener("keydown", function (event) {
    var typing = event.target instanceof Element && event.target.closest("input, select, textarea, [contenteditable]");
    if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) { return; }
    document.querySelectorAll("button[data-key]").forEach(function (button) {
      if (button.dataset.key === event.key) { button.click(); }
    });
  });
})();
