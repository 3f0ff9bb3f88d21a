// Shows what is being written, while it is written; the page itself renews with every other step (live.js).
(function () {
  "use strict";
  document.addEventListener("gm-played", function (event) {
    var writing = {};
    event.detail.writing.forEach(function (one) { writing[one.who] = one; });
    document.querySelectorAll("[data-writer]").forEach(function (item) {
      var one = writing[item.dataset.writer];
      item.hidden = !one;
      item.querySelector("[data-count]").textContent = one ? one.characters : "";
      item.querySelector("[data-words] bdi").textContent = one ? one.words : "";
    });
  });
})();
