/* The page: policies switched on and off, axes, values under the pointer, light and dark. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const view = { x: "linear", y: "linear", same: false };
  const hidden = new Set();
  const say = document.getElementById("say"), tip = document.getElementById("tip");
  const charts = data.charts.map((model) => ({ model, box: document.getElementById(model.id), drawn: null, at: -1 }));
  const shown = (model) => model.curves.filter((curve) => !hidden.has(curve.policy));

  function limitsOf(one) {
    const alike = view.same ? charts.filter((other) => other.model.group === one.model.group) : [one];
    return chart.range(alike.flatMap((other) => shown(other.model)));
  }

  function redraw(one) {
    one.drawn = chart.draw(one.box, one.model, shown(one.model), view, limitsOf(one));
  }

  function redrawAll() {
    leave();
    charts.forEach(redraw);
  }

  /* Values under the pointer, or wherever the arrow keys went. */
  function values(one) {
    const i = one.at;
    return shown(one.model).filter((curve) => curve.y[i] !== null).map((curve) => ({
      policy: curve.policy, y: curve.y[i], half: curve.half && curve.half[i],
    })).sort((a, b) => b.y - a.y);
  }

  const words = ({ y, half }) => chart.many.format(y) + (half === null || half === undefined ? "" : ` ± ${chart.many.format(half)}`);
  const heading = (one) => `${one.model.kind === "budget" ? "budget" : "round"} ${one.model.x[one.at].toLocaleString("en")}`;

  function row(value) {
    const line = document.createElement("tr"), spot = document.createElement("i");
    spot.className = chart.look(value.policy).name;
    for (const content of [spot, data.policies[value.policy], words(value)]) {
      const cell = document.createElement("td");
      cell.append(content);
      line.append(cell);
    }
    return line;
  }

  function place(one) {
    const area = one.box.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const x = area.left + (one.drawn.xs[one.at] / one.drawn.scale) * area.width;
    const widest = document.documentElement.clientWidth - size.width - 4;
    const above = area.top - size.height - 4;
    tip.style.left = `${Math.max(4, Math.min(x - size.width / 2, widest))}px`;
    tip.style.top = `${above > 4 ? above : Math.min(area.bottom + 4, window.innerHeight - size.height - 4)}px`;
  }

  function show(one, i) {
    if (one.at === i && !tip.hidden) return;
    leave();
    one.at = i;
    const table = document.createElement("table"), head = document.createElement("strong");
    const found = values(one), most = 16;
    head.textContent = heading(one) + (one.model.curves.some((curve) => curve.half) ? " (mean ± 95 %)" : "");
    table.append(...found.slice(0, most).map(row));
    tip.replaceChildren(head, table, found.length > most ? `and ${found.length - most} lower` : "");
    tip.hidden = false;
    const { cross, xs } = one.drawn;
    cross.setAttribute("x1", xs[i]);
    cross.setAttribute("x2", xs[i]);
    cross.setAttribute("visibility", "visible");
    place(one);
  }

  function leave() {
    tip.hidden = true;
    for (const one of charts) if (one.drawn) one.drawn.cross.setAttribute("visibility", "hidden");
  }

  function follow(one) {
    const point = (event) => {
      const area = one.box.getBoundingClientRect();
      show(one, chart.nearest(one.drawn.xs, ((event.clientX - area.left) / area.width) * one.drawn.scale));
    };
    one.box.addEventListener("pointermove", point);
    one.box.addEventListener("pointerdown", point);
    one.box.addEventListener("pointerleave", leave);
    one.box.addEventListener("blur", leave);
    one.box.addEventListener("keydown", (event) => walk(one, event));
  }

  function walk(one, event) {
    const last = one.model.x.length - 1, stride = Math.max(1, Math.round(last / 20));
    const here = one.at < 0 ? last : one.at;
    const goal = { ArrowLeft: here - stride, ArrowRight: here + stride, Home: 0, End: last }[event.key];
    if (event.key === "Escape") leave();
    if (goal === undefined) return;
    event.preventDefault();
    show(one, Math.max(0, Math.min(last, goal)));
    say.textContent = `${heading(one)}: ` + values(one).map((v) => `${data.policies[v.policy]} ${words(v)}`).join("; ");
  }

  /* Buttons. */
  function press(button, on) {
    button.setAttribute("aria-pressed", String(on));
  }

  const policyButtons = [...document.querySelectorAll("button.policy")];

  function switchPolicies(on, which) {
    for (const button of which) {
      const k = Number(button.dataset.policy);
      if (on(k)) hidden.delete(k); else hidden.add(k);
      press(button, !hidden.has(k));
    }
    redrawAll();
  }

  function drawSample(button) {
    const { name, dash } = chart.look(Number(button.dataset.policy));
    const svg = chart.element("svg", { viewBox: "0 0 26 10", "aria-hidden": "true", class: name });
    chart.element("path", { class: "line", "stroke-dasharray": dash, d: "M0 5L26 5" }, svg);
    button.prepend(svg);
  }

  for (const button of policyButtons) {
    drawSample(button);
    button.addEventListener("click", () => switchPolicies((k) => hidden.has(k), [button]));
  }
  document.getElementById("all")?.addEventListener("click", () => switchPolicies(() => true, policyButtons));
  document.getElementById("none")?.addEventListener("click", () => switchPolicies(() => false, policyButtons));

  const views = {
    "log-y": (on) => { view.y = on ? "log" : "linear"; },
    "log-x": (on) => { view.x = on ? "log" : "linear"; },
    same: (on) => { view.same = on; },
  };
  for (const [id, set] of Object.entries(views)) {
    const button = document.getElementById(id);
    button?.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      press(button, on);
      set(on);
      redrawAll();
    });
  }

  const dark = document.getElementById("dark"), night = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (night.matches ? "dark" : "light")) === "dark";
  dark?.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    press(dark, isDark());
  });
  night.addEventListener("change", () => dark && press(dark, isDark()));
  if (dark) press(dark, isDark());

  /* On paper nothing can be opened: open all, and put back what was closed. */
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of opened) one.open = false; });

  charts.forEach(follow);
  redrawAll();
  const widths = new WeakMap();
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (Math.abs((widths.get(target) ?? target.clientWidth) - target.clientWidth) > 1) redraw(charts.find((one) => one.box === target));
      widths.set(target, target.clientWidth);
    }
  });
  for (const { box } of charts) watcher.observe(box);
  document.documentElement.dataset.ready = "yes";
})();
