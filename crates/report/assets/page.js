// The page around the drawings: sizes, keys, tables, theme, and what can be saved.

/** A sign in the key of a chart: a line, a box or a symbol. */
function sign(key) {
  const svg = d3.create("svg").attr("width", 22).attr("height", 12).attr("aria-hidden", "true");
  if (key.symbol) {
    const symbol = d3.symbol(d3[`symbol${key.symbol[0].toUpperCase()}${key.symbol.slice(1)}`], 55);
    svg.append("path").attr("d", symbol()).attr("transform", "translate(11,6)").attr("fill", key.hollow ? "none" : key.color).attr("stroke", key.color).attr("stroke-width", 1.5);
  } else if (key.box !== undefined) {
    svg.append("rect").attr("x", 4).attr("width", 14).attr("height", 12).attr("rx", 2).attr("fill", key.color).attr("fill-opacity", key.box).attr("stroke", "var(--line)");
    if (key.texture) svg.append("rect").attr("x", 4).attr("width", 14).attr("height", 12).attr("rx", 2).attr("fill", textureOf(key.texture));
  } else if (key.upright) {
    svg.append("line").attr("x1", 11).attr("x2", 11).attr("y2", 12).attr("stroke", key.color).attr("stroke-opacity", 0.55).attr("stroke-width", 2);
  } else {
    svg.append("line").attr("x2", 22).attr("y1", 6).attr("y2", 6).attr("stroke", key.color).attr("stroke-width", key.stroke ?? (key.wide ? 2.4 : 1.8)).attr("stroke-opacity", key.opacity ?? 1).attr("stroke-dasharray", key.dash ?? null);
  }
  return svg.node();
}

/** One figure of the page. */
class Figure {
  constructor(node) {
    this.node = node;
    this.chart = CHARTS[node.dataset.kind];
    this.data = REPORT.charts[node.dataset.chart];
    this.plot = node.querySelector(".plot");
    this.tools = node.querySelector(".tools");
    this.details = node.querySelector(".figures");
    this.kind = this.chart.kinds?.(this.data)[0];
    this.width = 0;
    this.details.addEventListener("toggle", () => this.fill());
  }

  /** Draws for this width, unless it is drawn already. */
  draw(width = this.plot.clientWidth, again = false) {
    if (width < 50 || (width === this.width && !again)) return;
    this.width = width;
    try {
      this.plot.replaceChildren(...[this.chart.draw(this.data, width, this.kind)].flat());
      this.key();
    } catch (error) {
      // One that fails must not take the others with it.
      console.error(error);
      this.plot.textContent = "This chart could not be drawn; its figures are in the table below.";
    }
  }

  key() {
    const keys = this.chart.keys?.(this.data, this.kind) ?? [];
    const nodes = keys.map((key) => {
      const own = d3.create("span").attr("class", "key");
      own.append(() => sign(key));
      own.append("span").text(key.name);
      return own.node();
    });
    this.tools.replaceChildren(...this.choice(), ...nodes, this.button());
  }

  /** Lets the reader choose the kind of transaction, or what else the chart has many of. */
  choice() {
    const kinds = this.chart.kinds?.(this.data) ?? [];
    if (kinds.length < 2) return [];
    const label = d3.create("label").attr("class", "key");
    label.append("span").text(this.chart.choice ?? "transaction");
    const select = label.append("select");
    select.selectAll("option").data(kinds).join("option").attr("value", (own) => own).property("selected", (own) => own === this.kind).text((own) => own);
    select.on("change", (event) => {
      this.kind = event.target.value;
      this.draw(this.width, true);
      this.fill();
      this.tools.querySelector("select")?.focus();
    });
    label.append("span").attr("class", "printed").text(this.kind);
    return [label.node()];
  }

  button() {
    const button = d3.create("button").attr("type", "button").attr("class", "push").text("Save image");
    return button.on("click", () => save(`${this.node.dataset.chart}.svg`, "image/svg+xml", picture(this.plot, `${this.node.querySelector("figcaption h3").textContent}, ${document.querySelector("h1").textContent}`))).node();
  }

  /** The table, made when it is looked at. */
  fill() {
    if (!this.details.open) return;
    const { columns, rows } = this.chart.table(this.data, this.kind);
    const table = d3.create("table");
    table.append("thead").append("tr").selectAll("th").data(columns).join("th").attr("scope", "col").attr("class", (own) => (own.left ? "left" : null)).text((own) => own.text);
    table.append("tbody").selectAll("tr").data(rows).join("tr").selectAll("td").data((row) => row).join("td").attr("class", (own, i) => (columns[i].left ? `left${own.length > 44 ? " long" : ""}` : null)).text((own) => own);
    this.details.querySelector(".scroll").replaceChildren(table.node());
  }
}

/** What is drawn in a box as one picture of its own, with colours instead of names of colours. */
function picture(box, title = "") {
  const own = box.getBoundingClientRect();
  const head = title ? 24 : 0;
  const origin = { left: own.left, top: own.top - head, width: own.width, height: own.height + head };
  const outer = d3.create("svg").attr("xmlns", "http://www.w3.org/2000/svg").attr("width", origin.width).attr("height", origin.height);
  if (title) outer.append("text").attr("x", 4).attr("y", 16).attr("font-size", 13).attr("font-weight", 600).attr("fill", "var(--ink)").text(title);
  outer.insert("rect", ":first-child").attr("width", "100%").attr("height", "100%").attr("fill", "var(--paper)");
  for (const part of box.querySelectorAll("svg, h4")) {
    const at = part.getBoundingClientRect();
    const [x, y] = [at.left - origin.left, at.top - origin.top];
    if (part.tagName === "H4") {
      outer.append("text").attr("x", x).attr("y", y + 14).attr("font-size", 14).attr("font-weight", 600).attr("fill", "var(--ink)").text(part.textContent);
    } else {
      outer.append("g").attr("transform", `translate(${x},${y})`).append(() => part.cloneNode(true));
    }
  }
  outer.attr("font-family", "system-ui, sans-serif");
  const style = getComputedStyle(document.documentElement);
  return new XMLSerializer().serializeToString(outer.node()).replace(/var\((--[\w-]+)\)/g, (_, name) => resolve(style, name));
}

function resolve(style, name) {
  const value = style.getPropertyValue(name).trim();
  return value.startsWith("var(") ? resolve(style, value.slice(4, -1)) : value;
}

function save(name, type, text) {
  const link = d3.create("a").attr("href", URL.createObjectURL(new Blob([text], { type }))).attr("download", name).node();
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Between light and dark; until it is pressed, the page is as the system wants it. */
function theme(button) {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => (button.textContent = dark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
}

/** Says of a table that is wider than its box that there is more, and on which side. */
function follow(box) {
  const mark = () => {
    const hidden = box.scrollWidth - box.clientWidth;
    box.classList.toggle("cut", hidden > 2);
    box.classList.toggle("more-left", hidden > 2 && box.scrollLeft > 2);
    box.classList.toggle("more-right", hidden > 2 && box.scrollLeft < hidden - 2);
  };
  box.addEventListener("scroll", mark, { passive: true });
  const observer = new ResizeObserver(mark);
  observer.observe(box);
  // What is inside comes later, or with a details element that is opened.
  new MutationObserver(mark).observe(box, { childList: true });
  mark();
}
document.querySelectorAll(".scroll").forEach(follow);

const FIGURES = [...document.querySelectorAll("figure[data-chart]")].map((node) => new Figure(node));
// Wider than the 182 mm between the margins of A4: drawings shrink to fit, so more of them fit a page.
const PRINT_WIDTH = 860;
let printing = false;
for (const figure of FIGURES) {
  figure.draw();
  new ResizeObserver(() => printing || figure.draw()).observe(figure.plot);
}
addEventListener("beforeprint", () => {
  printing = true;
  flatness = 0.8;
  FIGURES.forEach((figure) => figure.draw(PRINT_WIDTH));
  document.querySelectorAll("details.sheet").forEach((own) => (own.open = true));
});
addEventListener("afterprint", () => {
  printing = false;
  flatness = 1;
  FIGURES.forEach((figure) => figure.draw());
});
const button = (id) => document.getElementById(id);
if (button("theme")) theme(button("theme"));
button("save")?.addEventListener("click", () => save("report.json", "application/json", JSON.stringify(REPORT)));
button("print")?.addEventListener("click", () => print());
document.querySelectorAll(".buttons button").forEach((button) => (button.hidden = false));
