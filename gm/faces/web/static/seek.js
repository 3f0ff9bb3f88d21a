// The search box in the header: "/" and Ctrl-K open it; where a server answers, it lists what the page of the search finds.
(function () {
  "use strict";
  var form = document.querySelector("form.seek");
  if (!form) { return; }
  var field = form.querySelector("input"), all = form.dataset.seek, list = null, wanted = "", later = 0, asking = null;
  var MOST = 5, PAUSE_MS = 150;

  document.addEventListener("keydown", function (event) {
    var typing = event.target instanceof Element && event.target.closest("input, select, textarea, [contenteditable]");
    var slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    var letter = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!slash && !letter) { return; }
    event.preventDefault();
    field.focus();
    field.select();
  });
  // a menu closes when one goes elsewhere
  document.addEventListener("click", close);
  document.addEventListener("focusin", close);
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { close(event, true); } });
  function close(event, always) {
    document.querySelectorAll(".top .more details[open]").forEach(function (menu) {
      if (!always && menu.contains(event.target)) { return; }
      var inside = menu.contains(document.activeElement);
      menu.open = false;
      if (always && inside) { menu.querySelector("summary").focus(); }
    });
    if (list && !always && !form.contains(event.target)) { hide(); }
  }
  if (!all) { return; }

  list = document.createElement("div");
  list.className = "hits";
  list.id = "seek-hits";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", form.getAttribute("aria-label"));
  list.hidden = true;
  form.append(list);
  Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" })
    .forEach(function (pair) { field.setAttribute(pair[0], pair[1]); });

  function options() { return Array.from(list.querySelectorAll("[role=option]")); }
  function chosen() { return list.querySelector("[aria-selected=true]"); }
  function choose(option) {
    options().forEach(function (one) { one.setAttribute("aria-selected", String(one === option)); });
    if (option) { field.setAttribute("aria-activedescendant", option.id); option.scrollIntoView({ block: "nearest" }); }
    else { field.removeAttribute("aria-activedescendant"); }
  }
  function hide() {
    list.hidden = true;
    choose(null);
    field.setAttribute("aria-expanded", "false");
  }
  function made(name, className, text) {
    var element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    return element;
  }
  // What is read of an element; its small print stands apart.
  function plain(element, small) {
    var copy = element.cloneNode(true);
    copy.querySelectorAll(small ? "[aria-hidden]" : "[aria-hidden], .soft").forEach(function (part) { part.remove(); });
    return copy.textContent.replace(/\s+/g, " ").trim();
  }
  // The sections of the found page, each with its first entries: texts and addresses, never markup.
  function show(page, address) {
    var count = 0;
    list.replaceChildren();
    function add(into, text, href, beside) {
      var option = made("a", "", text);
      option.href = new URL(href, address).href;
      option.id = "seek-hit-" + (count += 1);
      option.tabIndex = -1;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      if (beside) { option.append(" ", made("small", "soft", plain(beside, true))); }
      into.append(option);
    }
    page.querySelectorAll("[data-hits]").forEach(function (section, number) {
      var heading = section.querySelector("h2"), group = made("div", "", "");
      var name = made("p", "", heading ? plain(heading) : "");
      name.id = "seek-group-" + number;
      group.setAttribute("role", "group");
      group.setAttribute("aria-labelledby", name.id);
      group.append(name);
      Array.from(section.querySelectorAll("li")).filter(function (item) {
        return item.parentElement.closest("[data-hits] li") === null && item.querySelector("a[href]");
      }).slice(0, MOST).forEach(function (item) {
        var link = item.querySelector("a.id") || item.querySelector("a[href]");
        var beside = item.querySelector(".owner") || item.querySelector(":scope > .soft");
        add(group, plain(item.querySelector(".text") || item), link.getAttribute("href"), beside);
      });
      if (group.children.length > 1) { list.append(group); }
    });
    add(list, all, address);
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
  }
  function look() {
    var text = field.value.trim();
    if (text === wanted) { return; }
    wanted = text;
    if (asking) { asking.abort(); }
    if (!text) { hide(); return; }
    var address = form.action + "?" + new URLSearchParams({ q: text });
    asking = new AbortController();
    fetch(address, { signal: asking.signal, cache: "no-store" }).then(function (answer) {
      return answer.ok ? answer.text() : Promise.reject(new Error(String(answer.status)));
    }).then(function (html) {
      if (field.value.trim() === text) { show(new DOMParser().parseFromString(html, "text/html"), address); }
    }).catch(function (error) {
      if (error.name !== "AbortError") { hide(); } // Enter still leads to the page of the search, which says what is wrong
    });
  }
  field.addEventListener("input", function () { clearTimeout(later); later = setTimeout(look, PAUSE_MS); });
  field.addEventListener("focus", function () { if (list.children.length && field.value.trim()) { list.hidden = false; } });
  field.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && !list.hidden) { event.preventDefault(); event.stopPropagation(); hide(); return; }
    if (list.hidden) { return; }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      var all = options(), at = all.indexOf(chosen()), step = event.key === "ArrowDown" ? 1 : -1;
      choose(all[at < 0 && step < 0 ? all.length - 1 : (at + step + all.length) % all.length]);
    } else if (event.key === "Enter" && chosen()) {
      event.preventDefault();
      location.href = chosen().href;
    }
  });
})();
