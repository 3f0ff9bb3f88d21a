// The textarea of a file becomes an editor (CodeMirror), in a shadow root: there its styles are adopted sheets, which
// the policy allows. It highlights, completes from the JSON Schema and from names of the world, and asks the server
// what gm check would say. The textarea stays the form's field.
(function () {
  "use strict";
  var home = document.querySelector("[data-editor]"), data = document.getElementById("editor-data");
  var C = window.CodeMirror;
  if (!home || !data || !C) { return; }
  var given = JSON.parse(data.textContent), words = given.words;
  var field = home.querySelector("textarea"), form = field.form;
  var PAUSE_MS = 500, MOST_SHOWN = 50;
  var FENCE = /^---[ \r]*$/;

  // Where a position stands in YAML: the keys above it by their indent, the key of its line, and where its word begins.
  function placeIn(state, pos) {
    var line = state.doc.lineAt(pos), before = line.text.slice(0, pos - line.from);
    var own = /^(\s*(?:-\s+)*)(?:("[^"]*"|'[^']*'|[^\s#"'][^:#]*?):(?:\s+(.*))?)?$/.exec(before);
    if (!own && !/^\s*(?:-\s+)*[\w-]*$/.test(before)) { return null; }
    var lead = own ? own[1] : /^\s*(?:-\s+)*/.exec(before)[0];
    var path = [], indent = lead.length, at = line.number;
    if (/-/.test(lead)) { path.unshift(""); indent = lead.indexOf("-"); }
    while (at > 1 && indent >= 0) {
      at -= 1;
      var text = state.doc.line(at).text;
      if (given.syntax !== "yaml" && FENCE.test(text)) { break; }
      var up = /^(\s*)((?:-\s+)*)("[^"]*"|'[^']*'|[^\s#"'][^:]*?):(\s|$)/.exec(text);
      if (!up) { continue; }
      var column = up[1].length + up[2].length, list = up[2] !== "";
      // the items of a list may stand below their key without an indent
      var isItem = path[0] === "" && !list && column === indent;
      if (column < indent || isItem) {
        path.unshift(up[3].replace(/^["']|["']$/g, ""));
        indent = isItem || !list ? column : up[1].length;
        if (list) { path.unshift(""); }
        if (column === 0) { break; }
      }
    }
    var isValue = Boolean(own && own[2] !== undefined && /:\s/.test(before));
    var isItemValue = !isValue && /-\s+\S*$/.test(before);
    return { path: isValue ? path.concat(own[2].replace(/^["']|["']$/g, "")) : path, isValue: isValue, isItem: isItemValue };
  }

  function inYaml(state, pos) {
    if (given.syntax === "yaml") { return true; }
    if (given.syntax === "json" || !FENCE.test(state.doc.line(1).text)) { return false; }
    var here = state.doc.lineAt(pos).number;
    for (var number = 2; number < here; number += 1) {
      if (FENCE.test(state.doc.line(number).text)) { return false; }
    }
    return here > 1;
  }

  function alternatives(schema) {
    if (!schema || typeof schema !== "object") { return []; }
    var more = (schema.anyOf || []).concat(schema.oneOf || [], schema.allOf || []);
    return more.reduce(function (found, each) { return found.concat(alternatives(each)); }, [schema]);
  }
  // The schemas of what stands under some keys; "" is an item of a list.
  function schemasAt(path) {
    return path.reduce(function (found, key) {
      return found.reduce(function (below, schema) {
        var next = key === "" ? schema.items : (schema.properties || {})[key] || schema.additionalProperties;
        return below.concat(alternatives(next));
      }, []);
    }, alternatives(given.schema));
  }
  function keysOf(schemas) {
    return schemas.reduce(function (found, schema) {
      return found.concat(Object.keys(schema.properties || {}).map(function (name) {
        var about = schema.properties[name];
        return { label: name, apply: name + ": ", type: "property", info: about && about.description };
      }));
    }, []);
  }
  function valuesOf(schemas) {
    var found = [];
    schemas.forEach(function (schema) {
      (schema.enum || []).concat("const" in schema ? [schema.const] : []).forEach(function (value) {
        if (typeof value === "string") { found.push({ label: value, type: "enum", boost: 2 }); }
      });
      if (schema.type === "boolean") { found.push({ label: "true", type: "enum" }, { label: "false", type: "enum" }); }
    });
    return found;
  }
  function names() {
    return Object.keys(given.names).reduce(function (found, kind) {
      return found.concat(Object.keys(given.names[kind]).map(function (id) {
        return { label: id, detail: words[kind], info: given.names[kind][id] || undefined, type: "variable" };
      }));
    }, []);
  }

  function complete(context) {
    var word = context.matchBefore(/[\p{L}\p{N}_-]*/u), from = word ? word.from : context.pos;
    var before = context.state.doc.lineAt(context.pos).text.slice(0, from - context.state.doc.lineAt(context.pos).from);
    var typed = word && word.from < word.to;
    if (!context.explicit && !typed && !/:\s$/.test(before)) { return null; }
    if (inYaml(context.state, context.pos)) {
      var place = placeIn(context.state, from);
      var options = !place ? names()
        : place.isValue ? valuesOf(schemasAt(place.path)).concat(names())
        : keysOf(schemasAt(place.path)).concat(place.isItem ? valuesOf(schemasAt(place.path)).concat(names()) : []);
      return { from: from, options: options, validFor: /^[\p{L}\p{N}_-]*$/u };
    }
    if (given.variables.length && /\{[{%][^}]*$/.test(before)) {
      return { from: from, options: given.variables.map(function (name) { return { label: name, type: "variable" }; }) };
    }
    return context.explicit ? { from: from, options: names(), validFor: /^[\p{L}\p{N}_-]*$/u } : null;
  }

  // What gm check says: marks in the text, and the list below it.
  var count = document.querySelector("[data-count]"), list = document.querySelector("[data-problems]");
  function show(problems) {
    count.textContent = !problems ? words.unknown : !problems.length ? words.none
      : problems.length === 1 ? words.one : words.some.replace("{n}", problems.length);
    list.replaceChildren.apply(list, (problems || []).slice(0, MOST_SHOWN).map(function (problem) {
      var item = document.createElement("li");
      item.className = problem.severity;
      if (problem.line) {
        var place = document.createElement("code");
        place.textContent = problem.line + ":" + problem.column;
        item.append(place, " ");
      }
      if (problem.kind) {
        var kind = document.createElement("b");
        kind.className = "kind";
        kind.textContent = problem.kind;
        item.append(kind, " ");
      }
      ["message", "hint"].forEach(function (name) {
        var said = document.createElement("span");
        if (problem.english.includes(name)) { said.lang = "en"; }
        if (name === "hint") { said.className = "soft"; }
        said.textContent = problem[name];
        item.append(said, " ");
      });
      return item;
    }));
  }
  function mark(doc, problem) {
    var line = doc.line(Math.min(Math.max(problem.line, 1), doc.lines));
    var ahead = Array.from(line.text).slice(0, Math.max(problem.column - 1, 0)).join("").length;
    var from = Math.min(line.from + ahead, line.to), rest = /^[^\s:,]+/.exec(line.text.slice(from - line.from));
    return {
      from: from, to: from + (rest ? rest[0].length : 0), severity: problem.severity,
      message: [problem.kind, problem.message, problem.hint].filter(Boolean).join("\n")
    };
  }
  // One question at a time; of those that wait, only the newest is asked.
  var last = Promise.resolve(), newest = null;
  function check(view) {
    var doc = newest = view.state.doc;
    var answered = last.then(function () { return newest === doc ? ask(doc) : []; });
    last = answered.catch(function () {});
    return answered;
  }
  function ask(doc) {
    var body = new URLSearchParams({ token: form.elements.token.value, text: doc.toString() });
    return fetch(home.dataset.check, { method: "POST", body: body }).then(function (answer) {
      if (!answer.ok) { throw new Error(String(answer.status)); }
      return answer.json();
    }).then(function (found) {
      show(found.problems);
      return found.problems.map(function (problem) { return mark(doc, problem); });
    }, function () {
      show(null);
      return [];
    });
  }

  function syntax() {
    var data = C.defineLanguageFacet();
    var markdown = new C.Language(data, C.markdownParser, [], "markdown");
    switch (given.syntax) {
      case "yaml": return C.yaml();
      case "json": return C.json();
      case "markdown": return C.yamlFrontmatter({ content: markdown });
      case "jinja": return C.yamlFrontmatter({ content: C.StreamLanguage.define(C.jinja2) });
      default: return [];
    }
  }
  var t = C.tags;
  var colours = C.HighlightStyle.define([
    { tag: [t.propertyName, t.definition(t.propertyName), t.keyword, t.heading], color: "var(--agent-2)", fontWeight: "600" },
    { tag: [t.string, t.special(t.string), t.attributeValue], color: "var(--agent-3)" },
    { tag: [t.comment, t.meta], color: "var(--soft)", fontStyle: "italic" },
    { tag: [t.number, t.bool, t.null, t.atom], color: "var(--agent-4)" },
    { tag: [t.variableName, t.link, t.url, t.labelName], color: "var(--agent-6)" },
    { tag: [t.punctuation, t.separator, t.bracket, t.processingInstruction, t.operator], color: "var(--soft)" },
    { tag: t.emphasis, fontStyle: "italic" },
    { tag: t.strong, fontWeight: "700" }
  ]);
  var look = C.EditorView.theme({
    "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "0.92rem", border: "1px solid var(--edge)", borderRadius: "6px", maxHeight: "75vh" },
    "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "1px" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
    ".cm-content, .cm-gutter": { minHeight: "14rem" },
    // what a long line goes on with stands a little to the right
    ".cm-line": { paddingLeft: "calc(6px + 2ch)", textIndent: "-2ch" },
    ".cm-content": { caretColor: "var(--ink)" },
    "&.cm-editor .cm-cursor": { borderLeftColor: "var(--ink)" },
    "&.cm-editor .cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--soft)", borderRight: "1px solid var(--rule)" },
    "&.cm-editor .cm-activeLine, &.cm-editor .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--mark) 25%, transparent)" },
    "&.cm-editor .cm-selectionBackground, &.cm-editor.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)" },
    "&.cm-editor .cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--edge)", maxWidth: "min(34rem, 90vw)" },
    "&.cm-editor .cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--paper)" },
    "&.cm-editor .cm-completionDetail": { color: "inherit" },
    "&.cm-editor .cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" }
  });

  var shadow = home.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  var view = new C.EditorView({
    parent: shadow,
    root: shadow,
    state: C.EditorState.create({
      doc: field.value,
      extensions: [
        C.lineNumbers(), C.highlightSpecialChars(), C.history(), C.drawSelection(), C.indentOnInput(),
        C.bracketMatching(), C.closeBrackets(), C.highlightActiveLine(), C.highlightActiveLineGutter(),
        C.EditorView.lineWrapping, C.indentUnit.of("  "), syntax(), C.syntaxHighlighting(colours), look,
        C.autocompletion({ override: [complete], icons: false }),
        C.linter(check, { delay: PAUSE_MS }), C.lintGutter(),
        C.keymap.of([].concat(
          C.closeBracketsKeymap, C.completionKeymap, C.lintKeymap, C.historyKeymap, C.defaultKeymap, [C.indentWithTab])),
        C.EditorView.contentAttributes.of({ "aria-label": words.label, "spellcheck": "false", "tabindex": "0" })
      ]
    })
  });
  home.classList.add("is-editor");
  document.querySelectorAll("[data-only-editor]").forEach(function (each) { each.hidden = false; });
  home.querySelector("label").addEventListener("click", function (event) { event.preventDefault(); view.focus(); });
  // also where a script reads the form without sending it
  form.addEventListener("submit", function () { field.value = view.state.doc.toString(); });
  form.addEventListener("formdata", function (event) { event.formData.set("text", view.state.doc.toString()); });
})();
