"use strict";
// Opens what a link leads to, and marks the code as one path ran it. The page is whole without.
(() => {
  const functions = JSON.parse(document.getElementById("hits").textContent);
  const chooser = document.getElementById("chooser");
  const CLASSES = { "+": "h", "-": "m", "!": "w", "~": "w" };
  const NOTES = [" no direction recorded", " always taken", " never taken", ""];

  function setMark(row, sign) {
    row.className = CLASSES[sign];
    row.firstChild.data = sign + row.firstChild.data.slice(1);
  }

  function share(word, covered, total) {
    if (!total) return `${word} none`;
    const percent = covered === total ? "100" : (Math.floor((covered * 1000) / total) / 10).toFixed(1);
    return `${word} ${percent}% (${covered}/${total})`;
  }

  function flags(lengths) {
    return lengths.flatMap((length, turn) => Array(length).fill(turn % 2 === 0));
  }

  // A function's instructions as signs, with the mask of each conditional jump.
  function ran(each, path, count) {
    const set = each.sets[each.by[path]];
    const executed = set ? flags(set[0]) : Array(count).fill(false);
    const masks = new Map(each.jumps.map((at, n) => [at, set && each.recorded ? Number(set[1][n]) : 0]));
    const oneWay = (at) => each.recorded && masks.has(at) && masks.get(at) !== 3;
    const signs = executed.map((hit, at) => (hit ? (oneWay(at) ? "!" : "+") : "-"));
    return { signs, masks };
  }

  function figure(box, text) {
    box.querySelector(".figures").textContent = text;
  }

  function shares(count, recorded) {
    const text = share("instructions", count.executed, count.total);
    return recorded ? `${text}, ${share("directions", count.seen, count.directions)}` : text;
  }

  function add(sum, count) {
    for (const name in count) sum[name] = (sum[name] ?? 0) + count[name];
    return sum;
  }

  // Marks a function; gives its counts.
  function showFunction(each, path, lines) {
    const inside = document.getElementById(each.at);
    const rows = inside.querySelectorAll(".code span");
    const { signs, masks } = ran(each, path, rows.length);
    const count = { executed: 0, total: signs.length, seen: 0, directions: 2 * masks.size };
    signs.forEach((sign, at) => {
      setMark(rows[at], sign);
      if (sign !== "-") count.executed += 1;
      if (!masks.has(at)) return;
      count.seen += [0, 1, 1, 2][masks.get(at)];
      rows[at].querySelector("b").textContent = sign === "!" ? NOTES[masks.get(at)] : "";
    });
    figure(inside.closest("details"), shares(count, each.recorded));
    collect(each.lines, signs, lines);
    return count;
  }

  // Adds the signs of instructions to those of their source lines.
  function collect(runs, signs, lines) {
    let at = 0;
    for (let n = 0; n < runs.length; n += 3) {
      const place = `s${runs[n]}-${runs[n + 1]}`;
      const found = lines.get(place) ?? new Set();
      for (const sign of signs.slice(at, at + runs[n + 2])) found.add(sign);
      lines.set(place, found);
      at += runs[n + 2];
    }
  }

  function lineSign(found) {
    if (found.has("-")) return found.size === 1 ? "-" : "~";
    return found.has("!") ? "!" : "+";
  }

  function showLines(lines) {
    const files = new Map();
    for (const [place, found] of lines) {
      const sign = lineSign(found);
      const row = document.getElementById(place);
      if (row) setMark(row, sign);
      const file = place.split("-")[0];
      files.set(file, add(files.get(file) ?? {}, { whole: sign === "+" ? 1 : 0, total: 1 }));
    }
    for (const [file, { whole, total }] of files) {
      const inside = document.getElementById(file);
      if (inside) figure(inside.closest("details"), share("lines wholly executed", whole, total));
    }
  }

  function show(path) {
    const lines = new Map();
    const groups = new Map();
    for (const each of functions) {
      const group = document.getElementById(each.at).closest(".group");
      const count = showFunction(each, path, lines);
      const sum = groups.get(group) ?? { recorded: each.recorded, count: {} };
      add(sum.count, count);
      groups.set(group, sum);
    }
    for (const [group, { count, recorded }] of groups) figure(group, shares(count, recorded));
    showLines(lines);
  }

  function open() {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    target.scrollIntoView({ block: target.matches(".code span") ? "center" : "start" });
  }

  chooser.addEventListener("change", () => show(chooser.value));
  for (const button of document.querySelectorAll("button[data-path]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      chooser.value = button.dataset.path;
      show(chooser.value);
      document.getElementById("code").scrollIntoView();
      chooser.focus();
    });
  }
  document.getElementById("showing").hidden = false;
  for (const text of document.querySelectorAll(".static")) text.hidden = true;
  addEventListener("hashchange", open);
  open();
})();
