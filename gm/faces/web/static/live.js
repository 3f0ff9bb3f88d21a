// Renews a page when files of the world change, and keeps the place, the focus and what is open or filled in.
// Other scripts hear "gm-renewed" on the document when the content of main is another one.
(function () {
  "use strict";
  var news = document.getElementById("news");
  var main = document.getElementById("main");
  if (!news || !main || !window.EventSource) { return; }
  var said = news.querySelector("[data-said]");
  var waiting = news.querySelector("[data-waiting]");
  var served = main.innerHTML; // as it came, before other scripts draw into it
  var asOf = news.dataset.asOf; // up to when the page is known to be right
  var source = null;
  var later = 0;
  var busy = false;
  var again = false;
  var pressed = false;

  // ?saved=… says what has just been done: said once, not again after a reload
  var here = new URL(location.href);
  if (here.searchParams.has("saved")) {
    here.searchParams.delete("saved");
    history.replaceState(history.state, "", here);
  }

  function listen() {
    clearTimeout(later);
    if (source || document.hidden) { return; }
    source = new EventSource(news.dataset.events + "?since=" + asOf + "&version=" + news.dataset.version);
    source.addEventListener("here", function (event) { asOf = event.lastEventId; });
    source.addEventListener("changed", function (event) {
      if (concerns(JSON.parse(event.data).paths)) { renew(event.lastEventId); } else { asOf = event.lastEventId; }
    });
    source.addEventListener("played", function (event) {
      var told = JSON.parse(event.data);
      // a page that follows the run shows each of its steps, others whether there is one
      var follows = main.hasAttribute("data-follows");
      if (follows ? news.dataset.version !== String(told.version) : (news.dataset.running === "true") !== told.running) {
        renew(event.lastEventId);
      }
      document.dispatchEvent(new CustomEvent("gm-played", { detail: told }));
    });
    source.addEventListener("error", function () {
      // it tries again by itself, unless the server has refused
      if (source && source.readyState === EventSource.CLOSED) { leave(); later = setTimeout(listen, 10000); }
    });
  }

  // A tab that nobody sees holds no connection: a browser has only a few for each server.
  function leave() {
    clearTimeout(later);
    if (source) { source.close(); source = null; }
  }

  function concerns(paths) {
    var watched = (main.dataset.watches || "").split(" ").filter(Boolean);
    return !watched.length || paths.some(function (path) {
      return watched.some(function (begin) { return path.startsWith(begin) || begin.startsWith(path); });
    });
  }

  function isTouched() {
    return Array.from(main.querySelectorAll("form[method=post] [name]")).some(function (field) {
      if (field.type === "hidden" || field.tagName === "BUTTON") { return false; }
      if (field.type === "checkbox" || field.type === "radio") { return field.checked !== field.defaultChecked; }
      if (field.tagName !== "SELECT") { return field.value !== field.defaultValue; }
      var options = Array.from(field.options);
      var first = options.findIndex(function (option) { return option.defaultSelected; });
      return field.selectedIndex !== Math.max(first, 0);
    });
  }

  // A button that is replaced while it is pressed is never clicked.
  function release() {
    setTimeout(function () {
      pressed = false;
      if (!busy) { goOn(); }
    }, 0);
  }

  function goOn() {
    if (again && !pressed) { var next = again; again = false; renew(next); }
  }

  function renew(time) {
    if (busy || pressed) { again = time; return; }
    if (isTouched()) { waiting.hidden = false; return; }
    busy = true;
    fetch(location.href, { cache: "no-store" }).then(function (answer) {
      if (!answer.ok) { waiting.hidden = false; return null; } // what is shown here is gone
      return answer.text();
    }).then(function (text) {
      if (text !== null) {
        // somebody may have begun to write meanwhile
        if (pressed) { again = again || time; } else if (isTouched()) { waiting.hidden = false; } else { show(new DOMParser().parseFromString(text, "text/html")); }
      }
      asOf = time;
    }).catch(function () {
      leave(); // the server went away in between: it will say later what is missing since asOf
      later = setTimeout(listen, 2000);
    }).then(function () {
      busy = false;
      goOn();
    });
  }

  function show(fresh) {
    var content = fresh.getElementById("main");
    if (!content) { waiting.hidden = false; return; }
    document.title = fresh.title;
    [".world", "#playing"].forEach(function (place) {
      var head = document.querySelector(place);
      var freshHead = fresh.querySelector(place);
      if (head && freshHead) { head.replaceChildren.apply(head, Array.from(freshHead.childNodes)); }
    });
    var freshNews = fresh.getElementById("news");
    if (freshNews) { news.dataset.version = freshNews.dataset.version; news.dataset.running = freshNews.dataset.running; }
    if (content.innerHTML === served) { return; }
    served = content.innerHTML;
    var kept = keep();
    main.dataset.watches = content.dataset.watches || "";
    main.replaceChildren.apply(main, Array.from(content.childNodes));
    restore(kept);
    said.textContent = "";
    var line = main.querySelector("[data-say]");
    setTimeout(function () { said.textContent = line ? line.textContent : news.dataset.renewed; }, 100);
    document.dispatchEvent(new CustomEvent("gm-renewed"));
  }

  // What a person has done to the page, by names that mean the same in the renewed one.
  function named(selector, nameOf) {
    var counts = new Map();
    return Array.from(main.querySelectorAll(selector)).map(function (element) {
      var name = element.id ? "#" + element.id : nameOf(element);
      counts.set(name, (counts.get(name) || 0) + 1);
      return [name + " " + counts.get(name), element];
    });
  }

  var FIELDS = "input, select, textarea";
  var FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
  function folded() {
    return named("details", function (element) {
      var summary = element.querySelector("summary");
      return summary ? summary.textContent : "";
    });
  }
  function fields() {
    return named(FIELDS, function (field) { return field.name + "=" + (field.type === "radio" ? field.value : ""); });
  }
  function focusable() {
    return named(FOCUSABLE, function (element) {
      // the buttons of a form have one name: who was at "stop" must not be at "start" when the run is over
      var does = element.tagName === "BUTTON" ? element.value : "";
      return element.tagName + (element.getAttribute("href") || element.name || element.textContent) + does;
    });
  }

  function keep() {
    var active = focusable().find(function (item) { return item[1] === document.activeElement; });
    var anchor = Array.from(main.querySelectorAll("[id]")).find(function (element) {
      return element.getBoundingClientRect().bottom > 0;
    });
    return {
      folded: folded().map(function (item) { return [item[0], item[1].open]; }),
      fields: fields().map(function (item) { return [item[0], item[1].value, item[1].checked]; }),
      focus: active && active[0],
      caret: active && "selectionStart" in active[1] ? [active[1].selectionStart, active[1].selectionEnd] : null,
      anchor: anchor && anchor.id,
      top: anchor && anchor.getBoundingClientRect().top,
      y: window.scrollY
    };
  }

  function restore(kept) {
    var open = new Map(kept.folded);
    folded().forEach(function (item) { if (open.has(item[0])) { item[1].open = open.get(item[0]); } });
    var values = new Map(kept.fields.map(function (item) { return [item[0], item]; }));
    fields().forEach(function (item) {
      var old = values.get(item[0]);
      // forms that change the world are as they came, or nothing would have been renewed
      if (!old || item[1].type === "hidden" || item[1].closest("form[method=post]")) { return; }
      if (item[1].type === "checkbox" || item[1].type === "radio") { item[1].checked = old[2]; } else { item[1].value = old[1]; }
    });
    var focus = kept.focus && focusable().find(function (item) { return item[0] === kept.focus; });
    // what had the focus may be gone, as a button for what is over: how things stand now comes next then
    var standing = kept.focus && !focus && main.querySelector("[data-say]");
    if (standing) { standing.focus({ preventScroll: true }); }
    if (focus) {
      focus[1].focus({ preventScroll: true });
      if (kept.caret && kept.caret[0] !== null) { focus[1].setSelectionRange(kept.caret[0], kept.caret[1]); }
    }
    var anchor = kept.anchor && document.getElementById(kept.anchor);
    var y = anchor ? window.scrollY + anchor.getBoundingClientRect().top - kept.top : kept.y;
    window.scrollTo({ top: y, behavior: "instant" });
  }

  document.addEventListener("pointerdown", function (event) { pressed = event.button === 0; }, true);
  document.addEventListener("pointerup", release, true);
  document.addEventListener("pointercancel", release, true);
  document.addEventListener("visibilitychange", function () { if (document.hidden) { leave(); } else { listen(); } });
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", listen);
  listen();
})();
