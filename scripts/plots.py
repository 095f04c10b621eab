"""How does a table of figures become a picture? As the plots of `tilewright report` do: by the same specifications
(tuner/report/page/plots.json) and the same library, which a headless Chromium runs. The pictures are SVG."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

REPORT = pathlib.Path(__file__).resolve().parent.parent / "tuner" / "report"
SIZE = {"width": 560, "height": 340, "background": "white", "padding": 8}
PAGE = """<!doctype html><meta charset="utf-8"><div id="plot"></div><pre id="drawn"></pre>
<script>%s</script>
<script>
Promise.all(%s.map((spec) => vegaEmbed("#plot", spec, { renderer: "svg" }).then(({ view }) => view.toSVG())))
  .then((all) => { document.getElementById("drawn").textContent = JSON.stringify(all); });
</script>"""


def browser():
    """Path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def specification(plot, title, data):
    """A plot of plots.json with its data: {name: rows}."""
    plots = json.loads((REPORT / "page" / "plots.json").read_text(encoding="utf-8"))
    spec = {**plots["config"], **plots["plots"][plot], **SIZE, "title": title, "datasets": data}
    spec["layer"] = [layer for layer in spec["layer"] if data.get(layer["data"]["name"])]
    # A page has a colour for `currentColor`, a picture has none of its own.
    return json.loads(json.dumps(spec).replace('"currentColor"', '"#222222"'))


def draw(specs):
    """Each of the specifications as SVG. Raises RuntimeError where that cannot be done."""
    program = browser()
    if program is None:
        raise RuntimeError("plots are drawn by Chromium, which is not here (scripts/packages --full installs it)")
    library = (REPORT / "vega" / "vega-embed.js").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = pathlib.Path(folder, "plots.html")
        page.write_text(PAGE % (library, json.dumps(specs).replace("<", "\\u003c")), encoding="utf-8")
        done = subprocess.run(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}/profile", "--virtual-time-budget=60000", "--dump-dom", page.as_uri()],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    drawn = re.search(r'<pre id="drawn">(.+?)</pre>', done.stdout, re.DOTALL)
    if not drawn:
        raise RuntimeError(f"{program} drew nothing (exit code {done.returncode})")
    return json.loads(html.unescape(drawn.group(1)))
