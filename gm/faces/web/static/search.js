// Search in a published site, without a server: search-data.js brings what there is to find, MiniSearch finds it.
(function () {
  "use strict";
  var form = document.querySelector("[data-search]");
  var found = window.gmFound;
  if (!form || !found || !window.MiniSearch) { return; }
  var words = JSON.parse(document.getElementById("search-words").textContent);
  var count = document.querySelector("[data-search-count]");
  var list = document.querySelector("[data-search-found]");
  var more = document.querySelector("[data-search-more]");
  var number = new Intl.NumberFormat(words.language);
  var AT_ONCE = 50, MOST_OTHERS = 12, COLOURS = 12, LONG = 8, LEAST = 4;
  var WORD = /[\p{L}\p{N}]+(?:[&'’-][\p{L}\p{N}]+)*/gu;
  var hits = [], shown = 0, index = null;

  // Umlauts lose their dots, however they are spelled, so that Turm, Türme and Tuerme begin alike.
  function fold(text) {
    return text.normalize("NFC").toLowerCase().replace(/ß/g, "ss").normalize("NFD").replace(/\p{M}/gu, "")
      .replace(/([aou])e/g, "$1");
  }
  function split(text) { return text.match(WORD) || []; }
  // A long word is found by its last parts too: Knochenturm under Turm.
  function parts(word) {
    var plain = fold(word), terms = [plain];
    if (plain.length >= LONG) {
      for (var at = LEAST - 1; at <= plain.length - LEAST; at += 1) { terms.push(plain.slice(at)); }
    }
    return terms;
  }
  function make() {
    var made = new window.MiniSearch({ fields: ["text", "tags", "id"], tokenize: split, processTerm: parts });
    made.addAll(found.memories.map(function (row, place) {
      return { id: place, text: row[8], tags: row[7].join(" ") + " " + row[1] };
    }));
    return made;
  }
  function look(text) {
    index = index || make();
    return index.search(text, {
      combineWith: "AND", prefix: true, processTerm: fold, boost: { tags: 1.5 },
      fuzzy: function (term) { return term.length > 5 ? 0.15 : false; }
    });
  }

  function say(key, values) {
    return Object.keys(values).reduce(function (text, name) { return text.replace("{" + name + "}", values[name]); }, words[key]);
  }
  function element(name, className, text) {
    var made = document.createElement(name);
    if (className) { made.className = className; }
    if (text !== undefined) { made.textContent = text; }
    return made;
  }
  // Marks the words that were found; every piece is text, never markup.
  function marked(text, terms) {
    var whole = element("bdi"), at = 0, match;
    WORD.lastIndex = 0;
    while (terms.length && (match = WORD.exec(text)) !== null) {
      var plain = fold(match[0]);
      if (terms.some(function (term) { return plain.indexOf(term) >= 0; })) {
        whole.append(text.slice(at, match.index), element("mark", "", match[0]));
        at = match.index + match[0].length;
      }
    }
    whole.append(text.slice(at));
    return whole;
  }
  function row(hit) {
    var memory = found.memories[hit.place], agent = found.agents[memory[0]];
    var item = element("li", "memory of agent-" + ((agent.number - 1) % COLOURS + 1));
    var meta = element("div", "meta"), said = element("div", "said"), text = element("p", "text"), under = element("div", "under");
    var link = element("a", "id", memory[1]);
    link.href = memory[2];
    meta.append(element("span", "who agent-" + ((agent.number - 1) % COLOURS + 1), agent.name));
    meta.append(element("span", "when", [
      memory[3] ? say("frame.day", { day: memory[3] }) : "", memory[4] ? say("memories.scene", { n: memory[4] }) : ""
    ].filter(Boolean).join(", ")));
    meta.append(element("span", "kind", words["memory_type." + memory[5]]), element("span", "weight", memory[6] + "/10"));
    text.append(marked(memory[8], hit.terms));
    under.append(link);
    memory[7].forEach(function (tag) {
      var chip = element("a", "tag", tag);
      chip.href = "#" + new URLSearchParams({ tag: tag });
      under.append(chip);
    });
    said.append(text, under);
    item.append(meta, said);
    return item;
  }
  function show() {
    list.append.apply(list, hits.slice(shown, shown + AT_ONCE).map(row));
    shown = Math.min(hits.length, shown + AT_ONCE);
    more.hidden = shown >= hits.length;
    document.querySelector("[data-search-found-title]").hidden = !hits.length;
  }
  // Pieces of work by their titles, days by what is said of them: pairs of address and text, and a name before it.
  function showOthers(where, all, text) {
    var wanted = split(text).map(fold), into = document.querySelector("[data-search-" + where + "]");
    into.replaceChildren();
    (wanted.length ? all : []).forEach(function (one) {
      var plain = fold(one.text);
      if (into.children.length >= MOST_OTHERS || !wanted.every(function (word) { return plain.indexOf(word) >= 0; })) { return; }
      var item = element("li"), link = element("a", "", one.name);
      link.href = one.path;
      item.append(link);
      (one.name ? item : link).append(one.name ? " " : "", marked(one.text, wanted));
      into.append(item);
    });
    document.querySelector("[data-search-" + where + "-title]").hidden = !into.children.length;
  }
  function fits(place, wanted) {
    var memory = found.memories[place];
    return (!wanted.agent || found.agents[memory[0]].id === wanted.agent) && (!wanted.type || memory[5] === wanted.type) &&
      memory[6] >= Number(wanted.least || 1) && (!wanted.tag || memory[7].indexOf(wanted.tag.toLowerCase().trim()) >= 0);
  }
  function run() {
    var wanted = Object.fromEntries(new FormData(form)), text = wanted.q.trim();
    var asks = Boolean(text || wanted.agent || wanted.type || wanted.tag || Number(wanted.least) > 1);
    if (text) {
      hits = look(text).map(function (hit) { return { place: hit.id, terms: hit.terms }; });
    } else {
      hits = asks ? found.memories.map(function (_, place) { return { place: place, terms: [] }; }) : [];
    }
    hits = hits.filter(function (hit) { return fits(hit.place, wanted); });
    shown = 0;
    list.replaceChildren();
    showOthers("people", found.people.map(function (one) { return { name: "", path: one[1], text: one[0] }; }), text);
    showOthers("scenes", found.scenes.map(function (one) {
      return { name: say("frame.day", { day: one[0] }), path: one[1], text: one[2] + " · " + one[3] };
    }), text);
    showOthers("pieces", found.pieces.map(function (one) { return { name: "", path: one[1], text: one[0] }; }), text);
    showOthers("days", found.days.map(function (one) {
      return { name: say("frame.day", { day: one[0] }), path: one[1], text: one[2] };
    }), text);
    show();
    var key = !hits.length ? "search.none" : hits.length === 1 ? "search.found.one" : "search.found";
    count.textContent = asks ? say(key, { number: number.format(hits.length) }) : "";
  }
  function read() {
    // links come with a query; from file:// a page may change only what stands behind the #
    var given = new URLSearchParams(location.hash.slice(1) || location.search.slice(1));
    ["q", "agent", "type", "tag"].forEach(function (name) { form.elements[name].value = given.get(name) || ""; });
    form.elements.least.value = given.get("least") || "1";
    run();
  }
  function write() {
    var given = new URLSearchParams();
    new FormData(form).forEach(function (value, name) {
      if (value && !(name === "least" && value === "1")) { given.set(name, value); }
    });
    location.hash = given.toString();
  }

  form.hidden = false;
  form.addEventListener("submit", function (event) { event.preventDefault(); write(); run(); });
  form.addEventListener("change", write);
  more.addEventListener("click", show);
  window.addEventListener("hashchange", read);
  read();
})();
