// Draws the graphs of a page. Each <figure data-chart="KIND" data-source="ID"> names a JSON block with plain data
// (gm/api/views/graphs says what is in it); a function for each kind makes ECharts options of it. Without this script, or
// where drawing fails, the finding and the table stay. Texts of the world are only ever drawn as SVG text, never as
// HTML. Colours are custom properties of the style sheet, so light, dark and print need no drawing anew.
(function () {
  "use strict";

  var INK = "var(--ink)", SOFT = "var(--soft)", RULE = "var(--rule)", EDGE = "var(--edge)", PAPER = "var(--paper)";
  var CARD = "var(--card)", ACCENT = "var(--accent)";
  var FONT = getComputedStyle(document.body).fontFamily;

  function own(colour) { return "var(--agent-" + colour + ")"; }
  function series(place) { return "var(--series-" + (place % 12 + 1) + ")"; }
  function mixed(colour, percent) { return "color-mix(in oklab, " + colour + " " + Math.round(percent) + "%, " + PAPER + ")"; }
  // Light enough for ink on it, by day and by night.
  function heat(share) { return mixed(ACCENT, 6 + 44 * share); }
  function filled(sentence, values) {
    return sentence.replace(/\{(\w+)\}/g, function (whole, key) { return key in values ? values[key] : whole; });
  }
  function clipped(text, most) { return text.length > most ? text.slice(0, most - 1).trimEnd() + "…" : text; }
  // A tooltip that is drawn breaks no lines by itself.
  function wrapped(text, most) {
    var lines = [""];
    text.split(" ").forEach(function (word) {
      var line = lines[lines.length - 1];
      if (line && line.length + word.length + 1 > most) { lines.push(word); } else { lines[lines.length - 1] = line ? line + " " + word : word; }
    });
    return lines.join("\n");
  }
  function decimal(number, digits) { return number.toLocaleString(document.documentElement.lang || undefined,
    { maximumFractionDigits: digits }); }

  // -- pieces of options ------------------------------------------------------------------------------

  function axisText(more) { return Object.assign({ color: SOFT, fontSize: 12 }, more); }
  function emptyAxis(more) {
    return Object.assign({ axisLine: { lineStyle: { color: EDGE } }, axisTick: { show: false }, splitLine: { show: false },
      axisLabel: axisText() }, more);
  }
  function tooltip(trigger, formatter) {
    return {
      trigger: trigger, renderMode: "richText", confine: true, formatter: formatter, transitionDuration: 0,
      backgroundColor: CARD, borderColor: EDGE, borderWidth: 1, padding: [8, 10],
      textStyle: { color: INK },
      axisPointer: { type: "line", lineStyle: { color: EDGE, type: "dotted" }, animation: false }
    };
  }

  // An axis of days, with the word for them before its numbers.
  function dayAxis(word, more) {
    return emptyAxis(Object.assign({
      type: "category", name: word, nameLocation: "start", nameGap: 7,
      nameTextStyle: { color: SOFT, fontSize: 12, align: "right", verticalAlign: "top", padding: [7, 0, 0, 0] }
    }, more));
  }

  // Several fields of one kind, a character in each: as many columns as there is room for.
  function panels(list, width, height, left, right) {
    var columns = Math.max(1, Math.min(list.length, Math.floor((width + 24) / 300)));
    var gap = 28, each = (width - gap * (columns - 1)) / columns;
    var places = list.map(function (panel, number) {
      var column = number % columns, row = Math.floor(number / columns);
      return { left: column * (each + gap) + left, top: row * (height + 62) + 36, width: each - left - right, height: height };
    });
    var titles = list.map(function (panel, number) {
      return {
        text: "{dot|■} {name|" + panel.name.replace(/[{}|]/g, " ") + "}", left: places[number].left - 6,
          top: places[number].top - 30, padding: 0,
        textStyle: { rich: { dot: { color: own(panel.colour), fontSize: 14 }, name: { color: INK, fontSize: 14,
          fontWeight: 600 } } }
      };
    });
    return { places: places, titles: titles, height: Math.ceil(list.length / columns) * (height + 62) - 2 };
  }

  // Which labels of a long axis are shown: at most so many as fit, at equal distances.
  function everyNth(count, width, wide) { return Math.max(1, Math.ceil(count * wide / Math.max(width, 1))); }

  // -- kinds ------------------------------------------------------------------------------------------
  // Each gets (data, size, state) and gives { option, height, items, controls }. items: what arrow keys go through.

  function relationships(data, size, state) {
    var view = data.views[state.view || 0];
    var center = data.people.findIndex(function (person) { return person.agent === view.agent; });
    var edges = data.edges.filter(function (edge) {
      return !view.agent || (view.way !== "to" && edge.from === view.agent) || (view.way !== "from" && edge.to === view.agent);
    });
    var narrow = size.width < 560, height = narrow ? 430 : 540;
    var beside = view.agent ? data.people.length - 1 : data.people.length, turn = 0;
    var longest = Math.max.apply(null, data.people.map(function (person) { return person.name.length; }));
    var wide = view.agent ? (narrow ? 92 : 170) : Math.max(44, Math.min(narrow ? 84 : 170, 8 * longest + 8));
    var high = height / 2 - (view.agent ? 76 : 62);
    var broad = Math.min(size.width / 2 - wide - 30, high * 1.5);
    var people = data.people.map(function (person, number) {
      var isCenter = number === center;
      var angle = isCenter ? 0 : -Math.PI / 2 + 2 * Math.PI * turn++ / beside;
      var x = isCenter ? 0 : Math.cos(angle) * broad, y = isCenter ? 0 : Math.sin(angle) * high;
      var said = view.agent && !isCenter ? edges.filter(function (edge) { return edge.from === person.agent || edge.to === person.agent; }) : [];
      var position = isCenter ? "bottom" : Math.abs(Math.cos(angle)) < 0.25 ? (y < 0 ? "top" : "bottom") : x > 0 ? "right" : "left";
      return {
        id: person.agent, name: person.name, x: x, y: y, symbolSize: isCenter ? 30 : 22, person: person,
        symbol: isCenter ? "diamond" : "circle",
        itemStyle: { color: own(person.colour), borderColor: PAPER, borderWidth: 2 },
        label: {
          show: true, position: position, distance: 8, color: INK, fontSize: 14, lineHeight: 18,
            width: isCenter ? undefined : position === "left" || position === "right" ? wide : 180, overflow: "break",
          backgroundColor: isCenter ? CARD : "transparent", padding: isCenter ? [1, 4] : 0,
          formatter: function () { return [clipped(person.name,
            narrow ? 18 : 24)].concat(said.map(function (edge) { return edge.label; })).join("\n"); }
        }
      };
    });
    var most = Math.max.apply(null,
      data.edges.map(function (edge) { return data.directed ? Math.abs(edge.trust) : edge.count; }).concat(0.01));
    var links = edges.map(function (edge) {
      var strength = (data.directed ? Math.abs(edge.trust) : edge.count) / most;
      var from = data.people.find(function (person) { return person.agent === edge.from; });
      return {
        source: edge.from, target: edge.to, edge: edge, symbol: ["none", data.directed ? "arrow" : "none"], symbolSize: [0, 9],
        lineStyle: {
          color: data.directed ? own(from.colour) : ACCENT, width: 1 + (edges.length > 48 || narrow ? 2.5 : 4.5) * strength,
            opacity: view.agent ? 0.9 : 0.6,
          curveness: data.directed && !view.agent ? 0.16 : 0,
            type: !data.directed || edge.trust > 0 ? "solid" : edge.trust < 0 ? [6, 5] : [1, 4]
        }
      };
    });
    // two corners that nobody sees: they keep the drawing at its size, however few nodes there are
    var corners = [[-broad, -high], [broad, high]].map(function (at, number) {
      return { id: " corner " + number, name: "", x: at[0], y: at[1], symbolSize: 0, silent: true, label: { show: false },
        tooltip: { show: false } };
    });
    function called(agent) { return data.people.find(function (person) { return person.agent === agent; }).name; }
    function spoken(link) {
      var edge = link.edge;
      return called(edge.from) + (data.directed ? " → " : " – ") + called(edge.to) + "\n" + wrapped([edge.label,
        edge.type].filter(Boolean).join(" · "), 40);
    }
    return {
      height: height,
      controls: [{ name: "view", label: data.words.view, options: data.views.map(function (item) { return item.name; }) }],
      items: people.map(function (node, number) {
        var about = links.filter(function (link) { return link.source === node.id; }).map(function (link) { return spoken(link).replace("\n", ": "); });
        return { series: 0, index: number, text: [node.person.full].concat(about).join("; "), key: node.id };
      }),
      option: {
        tooltip: tooltip("item",
          function (point) { return point.dataType === "edge" ? spoken(point.data) : point.data.person.full; }),
        series: [{
          type: "graph", layout: "none", data: people.concat(corners), links: links, cursor: "pointer",
          left: size.width / 2 - broad, top: height / 2 - high, width: 2 * broad, height: 2 * high,
          emphasis: { focus: "adjacency", itemStyle: { color: "inherit" }, lineStyle: { color: "inherit", opacity: 1 } },
            blur: { itemStyle: { opacity: 0.25 }, lineStyle: { opacity: 0.08 }, label: { opacity: 0.4 } }
        }]
      }
    };
  }

  function meetings(data, size, state) {
    var last = data.spans.length - 1, from = Math.min(state.from || 0, last), to = Math.max(from,
      state.to === undefined ? last : state.to);
    var count = data.people.length, sums = {}, most = 1;
    data.counts.forEach(function (item) {
      if (item[0] < from || item[0] > to) { return; }
      [[item[1], item[2]], [item[2], item[1]]].forEach(function (pair) {
        sums[pair] = (sums[pair] || 0) + item[3];
        most = Math.max(most, sums[pair]);
      });
    });
    var left = 8 + Math.min(size.width * 0.26, 9 * Math.max.apply(null,
      data.people.map(function (person) { return Math.min(person.name.length, 14); })));
    var cell = Math.max(22, Math.min(62, (size.width - left - 4) / count)), slanted = cell < 8 * Math.min(14, Math.max.apply(null,
      data.people.map(function (person) { return person.name.length; })));
    var top = slanted ? Math.min(100, left + 6) : 30, cells = [];
    data.people.forEach(function (one, x) {
      data.people.forEach(function (other, y) {
        if (x === y) { return; }
        var n = sums[[x, y]] || 0;
        cells.push({
          value: [x, y, n], itemStyle: { color: n ? heat(n / most) : "transparent", borderColor: n ? PAPER : RULE,
            borderWidth: n ? 2 : 1 },
          label: { color: n ? INK : SOFT, fontWeight: n ? 600 : 400 }
        });
      });
    });
    function spoken(x, y, n) {
      var pair = filled(data.words.pair, { one: data.people[y].name, other: data.people[x].name });
      return pair + ": " + (n === 1 ? data.words.scene : filled(data.words.scenes, { n: n }));
    }
    var names = data.people.map(function (person) { return clipped(person.name, 14); });
    var days = data.spans.map(function (span) { return span.name; });
    return {
      height: top + cell * count + 8,
      controls: last > 0 ? [
        { name: "from", label: data.words.from, options: days, value: from }, { name: "to", label: data.words.to, options: days,
          value: to }
      ] : [],
      items: cells.map(function (item, index) { return { series: 0, index: index, text: spoken.apply(null, item.value) }; }),
      option: {
        tooltip: tooltip("item", function (point) { return spoken.apply(null, point.value); }),
        grid: { left: left, top: top, width: cell * count, height: cell * count },
        xAxis: emptyAxis({ type: "category", data: names, position: "top", axisLine: { show: false },
          axisLabel: axisText({ color: INK, fontSize: 13, interval: 0, rotate: slanted ? 60 : 0 }) }),
        yAxis: emptyAxis({ type: "category", data: names, inverse: true, axisLine: { show: false },
          axisLabel: axisText({ color: INK, fontSize: 13, interval: 0 }) }),
        series: [{ type: "heatmap", data: cells, label: { show: true, fontSize: cell < 30 ? 11 : 13,
          formatter: function (point) { return point.value[2] || "·"; } }, emphasis: { disabled: true } }]
      }
    };
  }

  function accumulators(data, size) {
    var days = data.moments.map(function (moment) { return moment.short; });
    var starts = days.map(function (day, number) { return number === 0 || days[number - 1] !== day; });
    var firsts = starts.filter(Boolean).length, highest = data.threshold;
    data.panels.forEach(function (panel) {
      panel.points.forEach(function (point) { highest = Math.max(highest, point[1]); });
    });
    var step = [5, 10, 20, 25, 50].find(function (found) { return highest / found <= 3; }) || 100 * Math.ceil(highest / 300);
    var laid = panels(data.panels, size.width, 120, 12 + 7.5 * String(3 * step).length, 28);
    var lines = [], items = [];
    data.panels.forEach(function (panel, number) {
      var points = [];
      // a sum stays what it is in the scenes of others
      function stay(until) {
        var last = points[points.length - 1];
        for (var x = last ? last[0] + 1 : until; x < until; x++) { points.push([x, last[1]]); }
      }
      panel.points.forEach(function (point) {
        stay(point[0]);
        points.push(point);
        items.push({ series: 2 * number, index: points.length - 1,
          text: panel.name + ", " + data.moments[point[0]].name + ": " + point[1] });
      });
      stay(days.length);
      lines.push({
        type: "line", name: panel.name, xAxisIndex: number, yAxisIndex: number, data: points, symbol: "circle", symbolSize: 5,
          showSymbol: points.length === 1,
        lineStyle: { color: own(panel.colour), width: 2 }, itemStyle: { color: own(panel.colour) },
          areaStyle: { color: own(panel.colour), opacity: 0.1 }, emphasis: { disabled: true },
        markLine: {
          silent: true, symbol: "none", data: [{ yAxis: data.threshold }], lineStyle: { color: "var(--bad)", type: [5, 4],
            width: 1 },
          label: { position: "end", distance: 3, color: "var(--bad)", fontSize: 11, formatter: String(data.threshold) }
        }
      });
      lines.push({
        type: "scatter", xAxisIndex: number, yAxisIndex: number, data: panel.resets, symbol: "diamond",
          symbolSize: panel.resets.length > 40 ? 5 : 9,
        itemStyle: { color: own(panel.colour), borderColor: CARD, borderWidth: 1 }, tooltip: { show: false },
          emphasis: { disabled: true }, z: 4
      });
    });
    var fitting = everyNth(firsts, laid.places[0].width, 9 * days[days.length - 1].length + 10);
    function isShown(index) { return starts[index] && starts.slice(0, index).filter(Boolean).length % fitting === 0; }
    return {
      height: laid.height, items: items,
      option: {
        title: laid.titles, grid: laid.places,
        tooltip: tooltip("axis", function (points) {
          var shown = points.filter(function (point) { return point.seriesType === "line"; });
          if (!shown.length) { return ""; }
          var values = shown.map(function (point) { return point.value[1]; });
          return shown[0].seriesName + " · " + data.moments[shown[0].value[0]].name + "\n" + data.words.sum + ": " + values.join(" → ") + (values.length > 1 ? " (" + data.words.reset + ")" : "");
        }),
        xAxis: data.panels.map(function (panel, number) {
          return dayAxis(data.words.day, { gridIndex: number, data: days, boundaryGap: days.length === 1,
            axisLabel: axisText({ interval: isShown }) });
        }),
        yAxis: data.panels.map(function (panel, number) {
          return emptyAxis({ type: "value", gridIndex: number, min: 0, max: Math.ceil(highest / step) * step, interval: step, axisLabel: axisText({ formatter: function (sum) { return decimal(sum, 0); } }),
            axisLine: { show: false }, splitLine: { lineStyle: { color: RULE } } });
        }),
        series: lines
      }
    };
  }

  function importance(data, size) {
    var laid = panels(data.panels, size.width, 120, 34, 6), labels = data.spans.map(function (span) { return span.short; });
    var nth = everyNth(labels.length, laid.places[0].width, 9 * Math.max.apply(null,
      labels.map(function (label) { return label.length; })) + 8);
    var many = Math.max.apply(null, data.panels.reduce(function (all, panel) { return all.concat(panel.count); }, [1]));
    var lines = [], items = [];
    data.panels.forEach(function (panel, number) {
      var colour = own(panel.colour);
      lines.push({ type: "bar", xAxisIndex: number, yAxisIndex: 2 * number + 1, data: panel.count, barMaxWidth: 26,
        barCategoryGap: "25%", itemStyle: { color: mixed(EDGE, 32) }, emphasis: { disabled: true } });
      lines.push({ type: "line", xAxisIndex: number, yAxisIndex: 2 * number, data: panel.mean, connectNulls: false, symbol: "rect",
        symbolSize: labels.length > 30 ? 3 : 6, lineStyle: { color: colour, width: 2 }, itemStyle: { color: colour },
        emphasis: { disabled: true } });
      lines.push({ type: "scatter", xAxisIndex: number, yAxisIndex: 2 * number, data: panel.most, symbol: "circle",
        symbolSize: labels.length > 30 ? 5 : 7, itemStyle: { color: CARD, borderColor: colour, borderWidth: 1.5 },
        emphasis: { disabled: true } });
      panel.mean.forEach(function (mean, index) { items.push({ series: 3 * number + 1, index: index, text: spoken(number,
        index) }); });
    });
    function spoken(number, index) {
      var panel = data.panels[number], words = data.words, head = panel.name + " · " + data.spans[index].name;
      if (!panel.count[index]) { return head + "\n" + words.count + ": 0"; }
      return head + "\n" + words.mean + " " + decimal(panel.mean[index],
        1) + " · " + words.highest + " " + panel.most[index] + " · " + words.count + ": " + panel.count[index];
    }
    return {
      height: laid.height, items: items,
      option: {
        title: laid.titles, grid: laid.places,
        tooltip: tooltip("axis", function (points) { return points.length ? spoken(Math.floor(points[0].seriesIndex / 3),
          points[0].dataIndex) : ""; }),
        xAxis: data.panels.map(function (panel, number) {
          return dayAxis(data.words.day, { gridIndex: number, data: labels, axisLabel: axisText({ interval: nth - 1 }) });
        }),
        yAxis: data.panels.reduce(function (all, panel, number) {
          return all.concat(
            emptyAxis({ type: "value", gridIndex: number, min: 0, max: 10, interval: 5, axisLine: { show: false },
              splitLine: { lineStyle: { color: RULE } } }),
            { type: "value", gridIndex: number, min: 0, max: many, show: false }
          );
        }, []),
        series: lines
      }
    };
  }

  function tags(data, size, state) {
    var choice = data.choices[state.whose || 0];
    var controls = data.choices.length > 1 ? [{ name: "whose", label: data.words.whose,
      options: data.choices.map(function (item) { return item.name; }) }] : [];
    var made = data.spans.length < 6 ? tagCells(data, choice, size) : tagStream(data, choice, size);
    made.controls = controls;
    return made;
  }

  function tagCells(data, choice, size) {
    var most = Math.max.apply(null, [1].concat(choice.values.map(function (row) { return Math.max.apply(null, row); }))),
      cells = [];
    choice.tags.forEach(function (tag, y) {
      choice.values[y].forEach(function (n, x) {
        cells.push({ value: [x, y, n], itemStyle: { color: n ? heat(n / most) : "transparent", borderColor: n ? PAPER : RULE,
          borderWidth: n ? 2 : 1 }, label: { color: n ? INK : SOFT, fontWeight: n ? 600 : 400 } });
      });
    });
    function spoken(x, y, n) { return choice.tags[y] + " · " + data.spans[x].name + ": " + n; }
    var longest = Math.max.apply(null, choice.tags.map(function (tag) { return tag.length; }));
    var left = Math.min(size.width * 0.45, 200, 16 + 9 * longest), row = 32;
    var wide = Math.min(size.width - left - 4, 150 * data.spans.length);
    return {
      height: 34 + row * choice.tags.length + 6,
      items: cells.map(function (item, index) { return { series: 0, index: index, text: spoken.apply(null, item.value) }; }),
      option: {
        tooltip: tooltip("item", function (point) { return spoken.apply(null, point.value); }),
        grid: { left: left, top: 30, width: wide, height: row * choice.tags.length },
        xAxis: emptyAxis({ type: "category", data: data.spans.map(function (span) { return span.name; }), position: "top",
          axisLine: { show: false } }),
        yAxis: emptyAxis({ type: "category", data: choice.tags, inverse: true, axisLine: { show: false },
          axisLabel: axisText({ color: INK, fontSize: 13, interval: 0, width: 186, overflow: "truncate" }) }),
        series: [{ type: "heatmap", data: cells, label: { show: true,
          formatter: function (point) { return point.value[2] || "·"; } }, emphasis: { disabled: true } }]
      }
    };
  }

  // Bands around a middle line, the most used tag in the middle; each carries its name where it is thickest.
  function tagStream(data, choice, size) {
    var height = size.width < 560 ? 340 : 420, plot = height - 40, lines = [], names = [];
    var order = choice.tags.map(function (tag, place) { return place; }).sort(function (one,
      other) { return (one % 2 ? one : -one) - (other % 2 ? other : -other); });
    var totals = data.spans.map(function (span, x) { return choice.values.reduce(function (sum, row) { return sum + row[x]; },
      0); });
    var most = Math.max.apply(null, totals.concat(1)), floor = totals.map(function (total) { return (most - total) / 2; });
    var base = { type: "line", stack: "tags", symbol: "none", smooth: 0.35, smoothMonotone: "x", silent: true };
    lines.push(Object.assign({}, base, { data: floor, lineStyle: { opacity: 0 }, tooltip: { show: false } }));
    order.forEach(function (place) {
      var row = choice.values[place], peak = 0;
      row.forEach(function (n,
        x) { if (n > row[peak] || (n === row[peak] && (peak === 0 || peak === row.length - 1))) { peak = x; } });
      lines.push(Object.assign({}, base, { name: choice.tags[place], data: row, lineStyle: { color: PAPER, width: 1 },
        areaStyle: { color: series(place), opacity: 1 }, emphasis: { disabled: true } }));
      var thick = row[peak] / most * plot;
      if (thick > 13) {
        var edge = peak === 0 ? "right" : peak === row.length - 1 ? "left" : "inside";
        names.push({ value: [peak, floor[peak] + row[peak] / 2], label: { position: edge,
          formatter: choice.tags[place].replace(/[{}|]/g, " "), fontSize: Math.min(15, Math.max(11, thick * 0.42)) } });
      }
      row.forEach(function (n, x) { floor[x] += n; });
    });
    lines[0].data = totals.map(function (total) { return (most - total) / 2; });
    lines.push({ type: "scatter", data: names, symbolSize: 0.1, itemStyle: { opacity: 1 }, silent: true, z: 5, label: { show: true,
      color: INK, distance: 2 }, labelLayout: { hideOverlap: true }, tooltip: { show: false } });
    var labels = data.spans.map(function (span) { return span.short; });
    var nth = everyNth(labels.length, size.width - 20, 9 * Math.max.apply(null,
      labels.map(function (label) { return label.length; })) + 8);
    function spoken(x) {
      var found = choice.tags.map(function (tag, place) { return [choice.values[place][x],
        tag]; }).filter(function (item) { return item[0]; });
      return [data.spans[x].name].concat(found.map(function (item) { return item[0] + "  " + clipped(item[1], 36); })).join("\n");
    }
    return {
      height: height,
      items: data.spans.map(function (span, x) { return { series: 1, index: x, text: spoken(x) }; }),
      option: {
        tooltip: tooltip("axis", function (points) { return points.length ? spoken(points[0].dataIndex) : ""; }),
        grid: { left: 36, right: 16, top: 6, height: plot },
        xAxis: dayAxis(data.words.day, { data: labels, boundaryGap: false, axisLabel: axisText({ interval: nth - 1 }) }),
        yAxis: { type: "value", show: false, min: 0, max: most },
        series: lines
      }
    };
  }

  // A line for each memory, below and to the right of what rests on it. Only what is unfolded is drawn.
  function tree(data, size, state) {
    var folded = state.folded || (state.folded = {}), nodes = [], lines = [], row = 28, indent = size.width < 560 ? 17 : 30,
      left = 16;
    if (!state.started) {
      state.started = true;
      data.root.children.forEach(function (child, number) { if (number > 2) { folded[number] = true; } });
    }
    function count(node) { return node.children.reduce(function (sum, child) { return sum + 1 + count(child); }, 0); }
    function add(node, path, depth) {
      var isFolded = folded[path] && node.children.length > 0, x = left + depth * indent, y = nodes.length * row + row / 2;
      var mark = isFolded ? "+" + count(node) + "  " : node.again ? "↑  " : "", plain = node.text.replace(/[{}|]/g, " ");
      nodes.push({
        value: [x, y], path: path, node: node, symbol: node.depth ? "diamond" : "rect", symbolSize: node.depth ? 12 : 8,
        itemStyle: { color: node.again || isFolded ? CARD : node.depth ? own(data.root.colour) : mixed(own(data.root.colour), 50),
          borderColor: own(data.root.colour), borderWidth: 1.5, opacity: 1 },
        label: {
          color: node.again ? SOFT : INK, fontWeight: node.depth && !node.again ? 600 : 400, width: size.width - x - 24,
          formatter: function () { return mark + plain; }
        }
      });
      if (isFolded) { return y; }
      node.children.forEach(function (child, number) {
        var below = add(child, path + "." + number, depth + 1);
        lines.push({ coords: [[x, y + 9], [x, below], [x + indent - 8, below]] });
      });
      return y;
    }
    data.root.children.forEach(function (child, number) { add(child, String(number), 0); });
    var height = nodes.length * row;
    return {
      height: height, help: data.words.help,
      items: nodes.map(function (item, index) { return { series: 1, index: index, text: item.node.memory + ": " + item.node.text,
        key: item.node.memory, fold: item.node.children.length ? item.path : "" }; }),
      option: {
        tooltip: tooltip("item", function (point) {
          var node = point.data.node, more = node.again ? " · " + data.words.again : "";
          return node.memory + " · " + data.words.importance + " " + node.importance + more + "\n" + wrapped(node.text,
            size.width < 560 ? 36 : 64);
        }),
        grid: { left: 0, top: 0, width: size.width, height: height },
        xAxis: { type: "value", min: 0, max: size.width, show: false }, yAxis: { type: "value", min: 0, max: height, inverse: true,
          show: false },
        series: [
          { type: "lines", coordinateSystem: "cartesian2d", polyline: true, silent: true, data: lines, lineStyle: { color: EDGE,
            width: 1, opacity: 1 } },
          { type: "scatter", data: nodes, cursor: "pointer", clip: false, label: { show: true, position: "right", distance: 7,
            fontSize: 13, overflow: "truncate", ellipsis: "…" }, emphasis: { scale: 1.4, itemStyle: { color: "inherit" },
            label: { color: ACCENT } } }
        ]
      }
    };
  }

  // -- one figure -------------------------------------------------------------------------------------

  var KINDS = { relationships: relationships, meetings: meetings, accumulators: accumulators, importance: importance, tags: tags,
    tree: tree };

  // ECharts keeps what it has measured in objects by text: a line that every object has as a name is told from it by a
  // mark that nobody sees.
  var MARK = "\u2060", TAKEN = new RegExp("^(?:" + Object.getOwnPropertyNames(Object.prototype).join("|") + ")$", "gm");
  function marked(_key, value) { return typeof value === "string" ? value.replace(TAKEN, "$&" + MARK) : value; }

  function start(figure) {
    var source = document.getElementById(figure.dataset.source), make = KINDS[figure.dataset.chart];
    if (!source || !make) { return; }
    var given = JSON.parse(source.textContent, marked), data = given.data, links = new Map(Object.entries(given.links || {}));
    var state = {};
    var title = figure.querySelector("[data-title]"), bar = document.createElement("div"), frame = document.createElement("div");
    var canvas = document.createElement("div"), help = document.createElement("p"), live = document.createElement("p");
    bar.className = "chart-bar";
    frame.className = "chart-frame";
    canvas.className = "chart-canvas";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", title ? title.textContent : "");
    help.className = "soft small";
    live.className = "unseen";
    live.setAttribute("aria-live", "polite");
    frame.append(canvas);
    figure.querySelector("[data-place]").append(bar, frame, help, live);
    var chart = null, made = null, at = -1, drawnWidth = 0;

    function draw() {
      var width = Math.floor(figure.querySelector("[data-place]").clientWidth);
      if (width < 40) { return; }
      drawnWidth = width;
      made = make(data, { width: width }, state);
      canvas.style.height = made.height + "px";
      canvas.style.width = width + "px";
      var size = { width: width, height: made.height };
      if (!chart) {
        chart = echarts.init(canvas, null, { renderer: "svg", width: size.width, height: size.height });
        chart.on("click", clicked);
      } else {
        chart.resize(size);
      }
      chart.setOption(Object.assign({ animation: false, textStyle: { fontFamily: FONT, color: INK } }, made.option),
        { notMerge: true });
      var svg = canvas.querySelector("svg");
      if (svg) {
        svg.setAttribute("viewBox", "0 0 " + size.width + " " + size.height);
        svg.setAttribute("aria-hidden", "true");
      }
      help.textContent = made.help || "";
    }

    function controls() {
      made.controls.forEach(function (control) {
        var label = document.createElement("label"), select = document.createElement("select"),
          word = document.createElement("span");
        word.textContent = control.label;
        control.options.forEach(function (text, number) { select.append(new Option(text, String(number))); });
        select.value = String(control.value || 0);
        select.addEventListener("change", function () {
          state[control.name] = Number(select.value);
          draw();
        });
        label.append(word, select);
        bar.append(label);
      });
    }

    function go(key) {
      var link = key && links.get(key.replace(MARK, ""));
      if (link) { location.href = link; }
    }

    function fold(path) {
      state.folded[path] = !state.folded[path];
      draw();
    }

    function clicked(point) {
      if (point.data && point.data.path) {
        if (point.data.node.children.length) { fold(point.data.path); } else { go(point.data.node.memory); }
      } else if (point.seriesType === "graph" && point.dataType === "node") {
        go(point.data.id);
      }
    }

    function show(place) {
      at = (place + made.items.length) % made.items.length;
      var item = made.items[at];
      chart.dispatchAction({ type: "downplay", seriesIndex: item.series });
      chart.dispatchAction({ type: "highlight", seriesIndex: item.series, dataIndex: item.index });
      chart.dispatchAction({ type: "showTip", seriesIndex: item.series, dataIndex: item.index });
      live.textContent = item.text;
    }

    canvas.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!made || !made.items.length) { return; }
      if (step) { show(at < 0 ? (step > 0 ? 0 : -1) : at + step); }
      else if (event.key === "Enter" && at >= 0) { go(made.items[at].key); }
      else if (event.key === " " && at >= 0 && made.items[at].fold) { fold(made.items[at].fold); show(Math.min(at,
        made.items.length - 1)); }
      else if (event.key === "Escape") { chart.dispatchAction({ type: "hideTip" }); }
      else { return; }
      event.preventDefault();
    });
    canvas.addEventListener("blur", function () { if (chart) { chart.dispatchAction({ type: "hideTip" }); } });

    draw();
    if (made && made.controls) { controls(); }
    var resized = new ResizeObserver(function () {
      if (Math.abs(figure.querySelector("[data-place]").clientWidth - drawnWidth) > 1) { draw(); }
    });
    resized.observe(figure.querySelector("[data-place]"));
    endings.push(function () { resized.disconnect(); if (chart) { chart.dispose(); } });
    var table = figure.querySelector("details[data-numbers]");
    if (chart && table && isFirst) { table.open = false; }
    figure.dataset.drawn = chart ? "yes" : "no";
  }

  var endings = [], isFirst = true; // a renewed page keeps its tables as they are

  function startAll() {
    document.querySelectorAll("figure[data-chart]").forEach(function (figure) {
      try {
        start(figure);
      } catch (problem) {
        figure.dataset.drawn = "failed";  // the table stays
        console.error(problem);
      }
    });
    isFirst = false;
  }
  document.addEventListener("gm-renewed", function () {
    endings.splice(0).forEach(function (end) { end(); });
    startAll();
  });

  // Texts are measured once: not before their font is there, but it is not waited for for long.
  var loaded = Promise.all([document.fonts.load("13px " + FONT), document.fonts.load("600 13px " + FONT)]);
  Promise.race([loaded, new Promise(function (done) { setTimeout(done, 1000); })]).then(startAll, startAll);
})();
