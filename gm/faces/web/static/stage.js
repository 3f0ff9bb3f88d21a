// Shows who has answered and what is being written, as it goes on; the page itself renews with every other step (live.js).
(function () {
  "use strict";
  document.addEventListener("gm-played", function (event) {
    var answers = document.querySelector("[data-answered]");
    var done = event.detail.answered[0];
    var all = event.detail.answered[1];
    if (answers && all) {
      answers.hidden = false;
      answers.querySelector("progress").max = all;
      answers.querySelector("progress").value = done;
      answers.querySelector("[role=status]").textContent =
        answers.dataset.answered.replace("{done}", done).replace("{n}", all);
    }
    var writing = new Map();
    event.detail.writing.forEach(function (one) { writing.set(one.who, one); });
    document.querySelectorAll("[data-writer]").forEach(function (item) {
      var one = writing.get(item.dataset.writer);
      item.hidden = !one;
      item.querySelector("[data-count]").textContent = one ? one.characters : "";
      item.querySelector("[data-words] bdi").textContent = one ? one.words : "";
    });
  });
})();
