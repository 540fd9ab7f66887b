/* The page: switches for policies, axes and dark mode, and the values under the pointer. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const view = { x: "linear", y: "linear", same: false };
  const hidden = new Set();
  const announcement = document.getElementById("say"), tip = document.getElementById("tip");
  const charts = data.charts.map((model) => ({ model, box: document.getElementById(model.id), drawn: null, at: -1 }));
  const shown = (model) => model.curves.filter((curve) => !hidden.has(curve.policy));

  function limitsOf(figure) {
    const sameScale = view.same ? charts.filter((other) => other.model.group === figure.model.group) : [figure];
    const curves = sameScale.flatMap((other) => shown(other.model));
    const lines = sameScale.filter((other) => other.model.limit).map((other) => ({ y: other.model.limit }));
    return chart.range([...curves, ...lines]);
  }

  function redraw(figure) {
    figure.drawn = chart.draw(figure.box, figure.model, shown(figure.model), data.policies, view, limitsOf(figure));
  }

  function redrawAll() {
    hideTip();
    charts.forEach(redraw);
  }

  /* Values at the position selected with the pointer or the arrow keys. */
  function values(figure) {
    const i = figure.at;
    return shown(figure.model).filter((curve) => curve.y[i] !== null).map((curve) => ({
      policy: curve.policy, y: curve.y[i], half: curve.half && curve.half[i],
    })).sort((a, b) => b.y - a.y);
  }

  const valueText = ({ y, half }) => chart.many.format(y) + (half === null || half === undefined ? "" : ` ± ${chart.many.format(half)}`);
  const heading = (figure) => `${figure.model.kind === "budget" ? "budget" : "round"} ${figure.model.x[figure.at].toLocaleString("en")}`;

  function limitText(figure) {
    const limit = figure.model.limit?.[figure.at] ?? null;
    return limit === null ? "" : `limit ${chart.many.format(limit)}`;
  }

  function row(value) {
    const line = document.createElement("tr"), swatch = document.createElement("i");
    const { name, color } = data.policies[value.policy];
    swatch.style.setProperty("--c", `var(--c${color})`);
    for (const content of [swatch, name, valueText(value)]) {
      const cell = document.createElement("td");
      cell.append(content);
      line.append(cell);
    }
    return line;
  }

  function positionTip(figure) {
    const area = figure.box.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const x = area.left + (figure.drawn.xs[figure.at] / figure.drawn.scale) * area.width;
    const widest = document.documentElement.clientWidth - size.width - 4;
    const above = area.top - size.height - 4;
    tip.style.left = `${Math.max(4, Math.min(x - size.width / 2, widest))}px`;
    tip.style.top = `${above > 4 ? above : Math.min(area.bottom + 4, window.innerHeight - size.height - 4)}px`;
  }

  function show(figure, i) {
    if (figure.at === i && !tip.hidden) return;
    hideTip();
    figure.at = i;
    const table = document.createElement("table"), head = document.createElement("strong");
    const found = values(figure), most = 16;
    head.textContent = heading(figure) + (figure.model.curves.some((curve) => curve.half) ? " (mean ± 95 %)" : "");
    table.append(...found.slice(0, most).map(row));
    tip.replaceChildren(head, table, found.length > most ? `and ${found.length - most} lower` : "", limitText(figure));
    tip.hidden = false;
    const { cross, xs } = figure.drawn;
    cross.setAttribute("x1", xs[i]);
    cross.setAttribute("x2", xs[i]);
    cross.setAttribute("visibility", "visible");
    positionTip(figure);
  }

  function hideTip() {
    tip.hidden = true;
    for (const figure of charts) if (figure.drawn) figure.drawn.cross.setAttribute("visibility", "hidden");
  }

  function addListeners(figure) {
    const point = (event) => {
      const area = figure.box.getBoundingClientRect();
      show(figure, chart.nearest(figure.drawn.xs, ((event.clientX - area.left) / area.width) * figure.drawn.scale));
    };
    figure.box.addEventListener("pointermove", point);
    figure.box.addEventListener("pointerdown", point);
    figure.box.addEventListener("pointerleave", hideTip);
    figure.box.addEventListener("blur", hideTip);
    figure.box.addEventListener("keydown", (event) => moveByKey(figure, event));
  }

  function moveByKey(figure, event) {
    const last = figure.model.x.length - 1, stride = Math.max(1, Math.round(last / 20));
    const here = figure.at < 0 ? last : figure.at;
    const goal = { ArrowLeft: here - stride, ArrowRight: here + stride, Home: 0, End: last }[event.key];
    if (event.key === "Escape") hideTip();
    if (goal === undefined) return;
    event.preventDefault();
    show(figure, Math.max(0, Math.min(last, goal)));
    const texts = values(figure).map((v) => `${data.policies[v.policy].name} ${valueText(v)}`);
    announcement.textContent = `${heading(figure)}: ` + [...texts, limitText(figure)].filter(Boolean).join("; ");
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
    const { color, dash } = data.policies[button.dataset.policy];
    const svg = chart.element("svg", { viewBox: "0 0 26 10", "aria-hidden": "true", style: `--c: var(--c${color})` });
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

  const dark = document.getElementById("dark"), prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
  dark?.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    press(dark, isDark());
  });
  prefersDark.addEventListener("change", () => dark && press(dark, isDark()));
  if (dark) press(dark, isDark());

  /* Open all sections for printing, and close them again afterwards. */
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const section of opened) section.open = true;
  });
  window.addEventListener("afterprint", () => { for (const section of opened) section.open = false; });

  /* Say above a table that it scrolls, and fade its right edge until the last column is visible. */
  function markScrolling(box) {
    const hiddenWidth = box.scrollWidth - box.clientWidth;
    box.parentElement.classList.toggle("wide", hiddenWidth > 1);
    box.parentElement.classList.toggle("more", hiddenWidth - box.scrollLeft > 1);
  }
  const tableWatcher = new ResizeObserver((entries) => entries.forEach(({ target }) => markScrolling(target)));
  for (const box of document.querySelectorAll(".scroll")) {
    box.addEventListener("scroll", () => markScrolling(box));
    tableWatcher.observe(box);
  }

  charts.forEach(addListeners);
  redrawAll();
  const widths = new WeakMap();
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (Math.abs((widths.get(target) ?? target.clientWidth) - target.clientWidth) > 1) redraw(charts.find((figure) => figure.box === target));
      widths.set(target, target.clientWidth);
    }
  });
  for (const { box } of charts) watcher.observe(box);
  document.documentElement.dataset.ready = "yes";
})();
