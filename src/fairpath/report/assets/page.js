// Adds interaction to a page that says everything without it. All it reads is the page itself.
(function () {
  "use strict";

  var all = function (selector, within) {
    return Array.prototype.slice.call((within || document).querySelectorAll(selector));
  };
  var one = function (selector, within) { return (within || document).querySelector(selector); };
  var make = function (name, text) {
    var made = document.createElement(name);
    if (text !== undefined) { made.textContent = text; }
    return made;
  };
  var chosen = 0;
  var pinned = null;
  var lens = one("#lens");

  document.body.classList.add("scripted");
  all("table.paths tr[data-path]").forEach(function (row) { row.tabIndex = 0; });
  all(".needs-script").forEach(function (part) { part.hidden = false; });

  // Comparisons: one is shown.
  function compare(number) {
    chosen = number;
    all(".comparison").forEach(function (part) {
      part.classList.toggle("chosen", Number(part.dataset.comparison) === number);
    });
    filter();
    light(pinned);
  }

  function within(selector) {
    return all(".comparison.chosen " + selector);
  }

  // A path that is lit: its row, its strands, its histogram, and all of them in the lens.
  function light(path) {
    all(".lit").forEach(function (part) { part.classList.remove("lit"); });
    all("svg.graph").forEach(function (part) { part.classList.toggle("lighting", path !== null); });
    if (path !== null) {
      all('[data-path="' + path + '"]').forEach(function (part) { part.classList.add("lit"); });
    }
    look(path);
  }

  function look(path) {
    lens.textContent = "";
    lens.classList.toggle("open", pinned !== null);
    var row = path === null ? null : within('tr[data-path="' + path + '"]')[0];
    if (!row) {
      lens.appendChild(make("h2", "One path"));
      lens.appendChild(make("p", "Point at a path, in a table or in the graph, to see where it runs " +
        "and whom it moves. Click, or press Enter, to keep it here; Escape lets it go."));
    } else {
      if (pinned !== null) {
        var away = make("button", "×");
        away.type = "button";
        away.setAttribute("aria-label", "Let this path go");
        away.addEventListener("click", function () { pin(null); });
        lens.appendChild(away);
      }
      var head = make("h2");
      copyInto(head, row.cells[0]);
      lens.appendChild(head);
      var number = make("p");
      copyInto(number, one("[data-column=contribution]", row));
      lens.appendChild(number);
    }
    var graph = within("svg.graph")[0];
    if (graph) {
      var copy = graph.cloneNode(true);
      all("[id]", copy).forEach(function (part) { part.removeAttribute("id"); });
      copy.removeAttribute("aria-labelledby");
      copy.setAttribute("aria-hidden", "true");
      lens.appendChild(copy);
    }
    var figure = path === null ? null : within('figure[data-path="' + path + '"]')[0];
    if (figure) {
      lens.appendChild(figure.cloneNode(true)).classList.remove("lit");
    }
  }

  function copyInto(target, source) {
    Array.prototype.forEach.call(source.childNodes, function (part) {
      target.appendChild(part.cloneNode(true));
    });
  }

  function pin(path) {
    pinned = path;
    light(path);
  }

  function pathOf(target) {
    var part = target.closest ? target.closest("[data-path]") : null;
    return part && !lens.contains(part) ? Number(part.dataset.path) : null;
  }

  document.addEventListener("mouseover", function (event) {
    var path = pathOf(event.target);
    if (path !== null && pinned === null) { light(path); }
  });
  document.addEventListener("focusin", function (event) {
    var path = pathOf(event.target);
    if (path !== null && pinned === null) { light(path); }
  });
  document.addEventListener("click", function (event) {
    var path = pathOf(event.target);
    if (path !== null) { pin(pinned === path ? null : path); }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") { pin(null); }
    if (event.key === "Enter" && event.target.matches("tr[data-path]")) {
      pin(pathOf(event.target));
    }
  });

  // The table of paths: search, filter, sort.
  function filter() {
    if (!one("#search")) { return; }
    var words = one("#search").value.toLowerCase();
    var route = one("#route").value;
    var direction = one("#direction").value.charAt(0);
    var sure = one("#sure");
    all("table.paths").forEach(function (table) {
      var rows = all("tbody tr", table);
      var left = rows.filter(function (row) {
        var value = Number(one("[data-column=contribution]", row).dataset.sort);
        var shown = one("[data-column=path]", row).dataset.sort.toLowerCase().indexOf(words) >= 0 &&
          (route === "all" || row.dataset.route === route) &&
          (direction === "a" || (direction === "r" ? value > 0 : value < 0)) &&
          (!sure || !sure.checked || row.dataset.sure === "yes");
        row.hidden = !shown;
        return shown;
      });
      if (table.closest(".comparison.chosen")) {
        one("#shown").textContent = left.length + " of " + rows.length + " paths shown";
      }
    });
  }
  ["search", "route", "direction", "sure"].forEach(function (id) {
    var control = document.getElementById(id);
    if (control) { control.addEventListener("input", filter); }
  });

  function sort(table, column, kind, descending) {
    var body = one("tbody", table);
    var key = function (row) {
      var text = row.cells[column].dataset.sort;
      return kind === "number" ? (text === "" ? NaN : Number(text)) : text.toLowerCase();
    };
    var rows = all("tr", body);
    rows.sort(function (a, b) {
      var x = key(a), y = key(b);
      if (x !== x || y !== y) { return (x !== x) - (y !== y); }
      var order = x < y ? -1 : x > y ? 1 : 0;
      return descending ? -order : order;
    });
    rows.forEach(function (row) { body.appendChild(row); });
    all("thead th", table).forEach(function (head, place) {
      if (place === column) {
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      } else {
        head.removeAttribute("aria-sort");
      }
    });
  }

  all("table.paths").forEach(function (table) {
    all("thead th", table).forEach(function (head, column) {
      var button = make("button", head.textContent);
      button.type = "button";
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var kind = head.dataset.type;
        var before = head.getAttribute("aria-sort");
        sort(table, column, kind, before ? before === "ascending" : kind === "number");
      });
    });
  });

  // Selections of paths: the slider shows one of them everywhere.
  var slider = document.getElementById("lambda");
  function select(number) {
    var rows = all("#frontier tbody tr");
    var row = rows[number];
    var kept = row.dataset.kept === "" ? [] : row.dataset.kept.split(" ");
    rows.forEach(function (each) { each.classList.toggle("now", each === row); });
    all("[data-point]").forEach(function (dot) {
      dot.classList.toggle("now", Number(dot.dataset.point) === number);
    });
    all("tr[data-path], .strand[data-path]").forEach(function (part) {
      part.classList.toggle("gone", kept.indexOf(part.dataset.path) < 0);
    });
    one("#selected").textContent = row.dataset.named;
    slider.setAttribute("aria-valuetext", row.dataset.named);
  }
  if (slider) {
    slider.addEventListener("input", function () {
      select(Number(slider.value));
      light(pinned);
    });
    select(0);
  }

  var choice = document.getElementById("comparison");
  if (choice) { choice.addEventListener("change", function () { compare(Number(choice.value)); }); }
  compare(chosen);
})();
