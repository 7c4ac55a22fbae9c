"""The report in a real browser, without a network: nothing fails, and it can be worked with."""

import json
import re
import shutil
import subprocess

import pytest

import plots_helpers
import report_helpers
from fairpath.report import write_report
from fairpath.selection import select_paths

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium or google-chrome in PATH to open the report with"
)

WIDTHS = [400, 760, 920, 1200, 1340]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def opened(page, folder, *, extra=()):
    """Return what the page becomes, and what the browser has to say about it."""
    done = subprocess.run(  # noqa: S603 - a browser found in PATH, with files of this test
        [BROWSER, *FLAGS, *extra, f"--user-data-dir={folder}", "--window-size=1400,900",
         "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, said


def noted(dom):
    """Return what a script wrote down."""
    return json.loads(report_helpers.unescaped(re.search(r'<pre id="seen">(.*?)</pre>', dom)[1]))


def tried(page, folder, script):
    """Run a script in a copy of the page; return what it writes down."""
    text = page.read_text("utf-8")
    text, changed = re.subn(r"script-src '[^']*'", "script-src 'unsafe-inline'", text, count=1)
    assert changed == 1
    helpers = """
    var seen = {errors: []};
    window.onerror = function (message) { seen.errors.push(message); };
    var all = function (s) { return Array.prototype.slice.call(document.querySelectorAll(s)); };
    var shown = function (part) { return part.offsetParent !== null; };
    var visible = function (s) { return all(s).filter(shown); };
    var over = function (part) {
      part.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
    };
    var key = function (part, name) {
      part.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
    };
    var set = function (id, value) {
      var control = document.getElementById(id);
      if (control.type === "checkbox") { control.checked = value; } else { control.value = value; }
      control.dispatchEvent(new Event("input", {bubbles: true}));
      control.dispatchEvent(new Event("change", {bubbles: true}));
    };
    var lit = function () {
      return {strands: all("main .comparison.chosen .strand.lit").map(function (s) {
                return Number(s.dataset.path); }),
              rows: visible("tr.lit").map(function (r) { return Number(r.dataset.path); }),
              lens: document.getElementById("lens").textContent,
              histograms: all("#lens .histogram").length};
    };
    var paths = function () {
      return visible("table.paths tbody tr").map(function (r) { return Number(r.dataset.path); });
    };
    """
    end = (
        "document.body.appendChild(document.createElement('pre')).id = 'seen';"
        "document.getElementById('seen').textContent = JSON.stringify(seen);"
    )
    copy = folder / f"tried-{page.name}"
    written = f"<script>{helpers}{script}{end}</script></body>"
    copy.write_text(text.replace("</body>", written), "utf-8")
    found, said = opened(copy, folder)
    assert not said
    seen = noted(found)
    assert not seen.pop("errors")
    return seen


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="module")
def small(folder):
    explanation = plots_helpers.small()
    return write_report(explanation, folder / "small.html", frontier=select_paths(explanation))


def test_the_page_opens_without_a_network_and_nothing_fails(folder):
    """Names from the data that try to run a script included."""
    page = write_report(report_helpers.hostile(), folder / "hostile.html", title="<script>alert(1)")
    found, said = opened(page, folder)
    assert not said
    assert 'class="scripted"' in found
    assert found.count("<script") == 1
    assert "<img" not in found


def test_a_path_can_be_lit_searched_sorted_and_cut(folder, small):
    explanation = plots_helpers.small()
    seen = tried(small, folder, """
      seen.start = lit();
      seen.stops = all("table.paths tbody tr").map(function (row) { return row.tabIndex; });
      var rows = all("table.paths tbody tr");
      over(rows[2].cells[3]);
      seen.row = lit();
      over(all("main .strand[data-path='1']")[0]);
      seen.strand = lit();
      rows[4].dispatchEvent(new FocusEvent("focusin", {bubbles: true}));
      seen.focus = lit();
      key(rows[4], "Enter");
      over(rows[0]);
      seen.pinned = lit();
      key(document.body, "Escape");
      seen.escaped = lit();
      set("search", "HOURS");
      seen.search = paths();
      seen.told = document.getElementById("shown").textContent;
      set("search", "");
      set("direction", "lowers Δ");
      seen.lowers = paths();
      set("direction", "all");
      set("route", "spurious");
      seen.spurious = paths();
      set("route", "all");
      set("sure", true);
      seen.sure = paths();
      set("sure", false);
      seen.every = paths();
      var heads = all("table.paths thead th button");
      heads[1].click();
      seen.descending = paths();
      heads[1].click();
      seen.ascending = paths();
      seen.sorted = all("th[aria-sort]").map(function (h) { return h.getAttribute("aria-sort"); });
      set("lambda", 2);
      seen.gone = all("table.paths tr.gone").map(function (r) { return Number(r.dataset.path); });
      seen.output = document.getElementById("selected").textContent;
      seen.now = all("#frontier tr.now").length + all("circle.now").length;
    """)  # fmt: skip
    n_paths = len(explanation.paths)
    values = explanation.contributions()
    everything = list(range(n_paths))

    def edges(path):
        return [path] * len(explanation.paths[path].nodes)

    assert seen["start"] == {
        "strands": [], "rows": [], "histograms": 0, "lens": seen["start"]["lens"]
    }  # fmt: skip
    for what, path in (("row", 2), ("strand", 1), ("focus", 4), ("pinned", 4)):
        assert seen[what]["strands"] == edges(path), what
        assert seen[what]["rows"] == [path]
        assert seen[what]["histograms"] == 1
        assert str(explanation.paths[path]) in seen[what]["lens"]
    assert seen["escaped"]["strands"] == []
    assert seen["stops"] == [0] * n_paths

    def where(holds):
        return [k for k, path in enumerate(explanation.paths) if holds(k, path)]

    assert seen["search"] == where(lambda _, path: "hours" in str(path))
    assert 0 < len(seen["search"]) < n_paths
    assert seen["told"] == f"{len(seen['search'])} of {n_paths} paths shown"
    assert seen["lowers"] == where(lambda k, _: values.values[k] < 0) != []
    assert seen["spurious"] == where(lambda _, path: path.kind == "spurious") != []
    assert seen["sure"] == where(lambda k, _: values[k].low > 0 or values[k].high < 0)
    assert 0 < len(seen["sure"]) < n_paths
    assert seen["every"] == everything
    falling = sorted(everything, key=lambda k: -values.values[k])
    assert seen["descending"] == falling != everything
    assert seen["ascending"] == falling[::-1]
    assert seen["sorted"] == ["ascending"]
    point = select_paths(explanation).points[2]
    assert seen["gone"] == [k for k in falling[::-1] if explanation.paths[k] in point.removed] != []
    assert f"{len(point.kept)} paths kept" in seen["output"]
    assert seen["now"] == 2


def test_comparisons_can_be_switched(folder):
    explanation = plots_helpers.odds()
    page = write_report(explanation, folder / "odds.html")
    seen = tried(page, folder, """
      var text = function () {
        return visible("#found p").map(function (p) { return p.textContent; });
      };
      seen.first = text();
      set("comparison", 1);
      seen.second = text();
      seen.tables = visible("table.paths").length;
      over(visible("table.paths tbody tr")[0]);
      seen.lit = lit();
      document.body.classList.remove("scripted");
      seen.all = visible("table.paths").length;
    """)  # fmt: skip
    assert len(seen["first"]) == len(seen["second"]) == 3
    assert "hired = 1" in seen["first"][0]
    assert "hired = not 1" in seen["second"][0]
    assert (seen["tables"], seen["all"]) == (1, 2)
    assert len(seen["lit"]["strands"]) == len(explanation.paths[seen["lit"]["rows"][0]].nodes)


@pytest.mark.parametrize(
    "made", [plots_helpers.odds, plots_helpers.long_names, report_helpers.hostile]
)
def test_a_narrow_page_does_not_scroll_sideways(folder, made):
    """In frames: windows cannot be as narrow as a telephone."""
    title = plots_helpers.LONG
    page = write_report(made(), folder / f"{made.__name__}-narrow.html", title=title)
    frame = folder / f"{made.__name__}-frame.html"
    frames = "".join(
        f'<iframe src="{page.name}" width="{width}" height="900" style="border: 0"></iframe>'
        for width in WIDTHS
    )
    frame.write_text(f"""<!DOCTYPE html>{frames}<pre id="seen"></pre><script>
      window.onload = function () {{
        var frames = Array.prototype.slice.call(document.querySelectorAll("iframe"));
        document.getElementById("seen").textContent = JSON.stringify(frames.map(function (frame) {{
          var inner = frame.contentWindow, page = inner.document;
          var all = function (s) {{ return Array.prototype.slice.call(page.querySelectorAll(s)); }};
          all("details").forEach(function (part) {{ part.open = true; }});
          return {{
            width: inner.innerWidth,
            scroll: page.documentElement.scrollWidth,
            beyond: all("body *").filter(function (part) {{
              var room = part.closest("main") || page.documentElement;
              return part.getBoundingClientRect().right > room.getBoundingClientRect().right + 1 &&
                part.offsetParent && !part.closest(".scroll");
            }}).map(function (part) {{ return part.outerHTML.slice(0, 200); }})
          }};
        }}));
      }};
      </script>""", "utf-8")  # fmt: skip
    found, said = opened(frame, folder, extra=("--allow-file-access-from-files",))
    assert not said
    seen = noted(found)
    assert [one["width"] for one in seen] == WIDTHS
    for one in seen:
        assert one["beyond"] == []
        assert one["scroll"] <= one["width"]
