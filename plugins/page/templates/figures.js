(function () {
  var source = document.getElementById("figures").textContent;
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function color(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
  function draw() {
    var text = source;
    if (dark.matches && !window.matchMedia("print").matches) { text = text.split("{{ darkest }}").join("{{ in_the_dark }}"); }
    var figures = JSON.parse(text);
    Object.keys(figures).forEach(function (id) {
      var figure = figures[id], layout = figure.layout;
      layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
      layout.font = { color: color("--ink"), size: 14, family: "system-ui, 'Liberation Sans', sans-serif" };
      ["xaxis", "yaxis"].forEach(function (name) {
        layout[name] = Object.assign(layout[name] || {}, { gridcolor: color("--rule"), zeroline: false, linecolor: color("--soft") });
      });
      Plotly.react(id, figure.data, layout, { responsive: true, displayModeBar: false });
    });
  }
  draw();
  dark.addEventListener("change", draw);
  var closed = [];
  window.addEventListener("beforeprint", function () {
    closed = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (one) { one.open = true; });
    draw();
  });
  window.addEventListener("afterprint", function () {
    closed.forEach(function (one) { one.open = false; });
    draw();
  });
})();
