"use strict";
/* Draws one chart: axes, lines, bands. It does not depend on the rest of the page. */
const chart = (() => {
  const MARGIN = { left: 66, right: 14, top: 12, bottom: 34 };

  const few = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  const many = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const brief = (value) => (value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(0) : few.format(value));

  function element(name, attributes, parent) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  }

  function linear(low, high, from, to) {
    const span = high - low || 1;
    const rough = span / 4.5, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 2.5, 5, 10].find((s) => s * power >= rough) || 10);
    const ticks = [];
    for (let i = Math.ceil(low / step); i * step <= high * 1.0001; i++) ticks.push(i * step);
    return { at: (v) => from + ((v - low) / span) * (to - from), ticks };
  }

  function logarithmic(low, high, from, to) {
    if (high <= low) low = high / 10;
    const a = Math.log10(low), b = Math.log10(high), ticks = [];
    const every = Math.max(1, Math.round((b - a) / 5));
    for (let p = Math.floor(a); p <= Math.ceil(b); p++) {
      for (const digit of b - a < 2.5 ? [1, 2, 5] : [1]) {
        const v = digit * 10 ** p;
        if (p % every === 0 && v >= low * 0.999 && v <= high * 1.001) ticks.push(v);
      }
    }
    const at = (v) => from + ((Math.log10(Math.max(v, low)) - a) / (b - a)) * (to - from);
    return { at, ticks };
  }

  /* Budgets are drawn at equal distances, because a logarithmic axis cannot show 0. */
  function steps(values, from, to) {
    const gap = (to - from) / Math.max(1, values.length);
    const at = (v) => from + (values.indexOf(v) + 0.5) * gap;
    return { at, ticks: values };
  }

  const top = (curve) => Math.max(...curve.y.map((y, i) => y + (curve.half ? curve.half[i] : 0)), curve.published ?? 0);
  const positive = (curve) => curve.y.filter((y) => y > 0);

  /* Smallest and largest values of these curves on the vertical axis. */
  function range(curves) {
    const high = Math.max(0, ...curves.map(top)) || 1;
    const low = Math.min(high, ...curves.flatMap(positive));
    return { low: Math.max(low, high / 1e6), high };
  }

  function scales(model, size, view, limits) {
    const right = size.width - MARGIN.right, bottom = size.height - MARGIN.bottom;
    const first = model.x[0], last = model.x[model.x.length - 1];
    let across;
    if (model.kind === "budget") across = steps(model.x, MARGIN.left, right);
    else if (view.x === "log") across = logarithmic(first, last, MARGIN.left, right);
    else across = linear(0, last, MARGIN.left, right);
    const up = view.y === "log"
      ? logarithmic(limits.low, limits.high, bottom, MARGIN.top)
      : linear(0, limits.high * 1.02, bottom, MARGIN.top);
    return { across, up, right, bottom };
  }

  function drawAxes(svg, model, size, { across, up, right, bottom }) {
    const wide = across.ticks.length > 6 && size.width < 520;
    for (const v of up.ticks) {
      element("line", { class: "grid", x1: MARGIN.left, x2: right, y1: up.at(v), y2: up.at(v) }, svg);
      element("text", { x: MARGIN.left - 6, y: up.at(v) + 4, "text-anchor": "end" }, svg).textContent = brief(v);
    }
    across.ticks.forEach((v, i) => {
      if (wide && i % 2) return;
      element("line", { class: "grid", x1: across.at(v), x2: across.at(v), y1: bottom, y2: bottom + 4 }, svg);
      element("text", { x: across.at(v), y: bottom + 17, "text-anchor": "middle" }, svg).textContent = brief(v);
    });
    element("line", { class: "grid", x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }, svg);
    const [acrossTitle, upTitle] = model.kind === "budget" ? ["budget of the attack", "final regret"] : ["round", "cumulative regret"];
    element("text", { x: (MARGIN.left + right) / 2, y: size.height - 3, "text-anchor": "middle" }, svg).textContent = acrossTitle;
    const middle = (MARGIN.top + bottom) / 2;
    element("text", { class: "y-title", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, svg)
      .textContent = upTitle;
  }

  const joined = (points) => "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");

  function drawCurve(svg, model, curve, { across, up }, shift, { color, dash }) {
    const group = element("g", { class: "curve", style: `--c: var(--c${color})`, "data-policy": curve.policy }, svg);
    const xs = model.x.map((v) => across.at(v) + shift);
    const pair = (i, sign) => up.at(Math.max(0, curve.y[i] + sign * curve.half[i]));
    const has = curve.y.map((y, i) => i).filter((i) => curve.y[i] !== null);
    if (curve.half && model.kind === "budget") {
      for (const i of has) element("line", { class: "whisker", x1: xs[i], x2: xs[i], y1: pair(i, -1), y2: pair(i, 1) }, group);
    } else if (curve.half) {
      const edge = has.map((i) => [xs[i], pair(i, 1)]).concat(has.slice().reverse().map((i) => [xs[i], pair(i, -1)]));
      element("path", { class: "band", d: joined(edge) + "Z" }, group);
    }
    element("path", { class: "line", "stroke-dasharray": dash, d: joined(has.map((i) => [xs[i], up.at(curve.y[i])])) }, group);
    if (model.kind === "budget") for (const i of has) element("circle", { class: "dot", cx: xs[i], cy: up.at(curve.y[i]), r: 3.5 }, group);
    if (curve.published) {
      const x = xs[xs.length - 1], y = up.at(curve.published);
      element("path", { class: "printed", d: `M${x + 2} ${y}l9 -5v10Z` }, group);
    }
    if (curve.end) {
      const i = nearest(model.x, curve.end);
      element("circle", { class: "end", cx: across.at(curve.end), cy: up.at(curve.y[i]), r: 3.5 }, group);
    }
  }

  function drawLimit(svg, model, { across, up, right }) {
    const has = model.limit.map((y, i) => i).filter((i) => model.limit[i] !== null);
    const points = has.map((i) => [across.at(model.x[i]), up.at(model.limit[i])]);
    element("path", { class: "limit", d: joined(points) }, svg);
    const y = points[points.length - 1][1] - 5;
    element("text", { class: "limit-name", x: right, y: Math.max(y, MARGIN.top + 8), "text-anchor": "end" }, svg).textContent = "limit";
  }

  function nearest(values, wanted) {
    let best = 0;
    values.forEach((v, i) => { if (Math.abs(v - wanted) < Math.abs(values[best] - wanted)) best = i; });
    return best;
  }

  /* Draw into the box; return the horizontal positions of the points, to find the one under the pointer. */
  function draw(box, model, curves, policies, view, limits) {
    const width = Math.max(260, Math.min(box.clientWidth || 400, 860));
    const size = { width, height: Math.round(width * 0.625) };
    const svg = element("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": model.alt });
    const axes = scales(model, size, view, limits);
    drawAxes(svg, model, size, axes);
    // Draw the whiskers of several policies at one budget next to each other, so that none is hidden.
    const gap = model.kind === "budget" ? Math.min(7, (0.7 * size.width) / model.x.length / curves.length) : 0;
    curves.forEach((curve, i) => drawCurve(svg, model, curve, axes, gap * (i - (curves.length - 1) / 2), policies[curve.policy]));
    if (model.limit) drawLimit(svg, model, axes);
    const cross = element("line", { class: "cross", y1: MARGIN.top, y2: axes.bottom, visibility: "hidden" }, svg);
    box.replaceChildren(svg);
    return { svg, cross, xs: model.x.map(axes.across.at), scale: size.width };
  }

  return { draw, range, nearest, element, many, brief };
})();
