#!/usr/bin/env python3
"""browser_test.py PROGRAM PROFILES ANSWERS JOURNAL: tests the page of `tilewright report` in a browser.

PROFILES is a folder of shipped profiles, ANSWERS a folder with output of `bench --json`, JOURNAL the journal of a tuning with
PoCL. The exit code is 77 if there is no Chromium. If the environment has KEEP=FOLDER, pages, pictures and prints are kept there."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

PROGRAM, PROFILES, ANSWERS, JOURNAL = (os.path.abspath(a) for a in sys.argv[1:5])
# Plots that show nothing: none of their marks has an extent.
EMPTY_PLOTS = """[...document.querySelectorAll('figure')].filter(f => ![...f.querySelectorAll('svg .mark')].some(p => {
    const box = p.getBoundingClientRect();
    return box.width > 0 && box.height > 0; })).map(f => f.getAttribute('aria-label'))"""
PLOTS = "document.querySelectorAll('figure').length"
# Texts of a plot that overlap each other, or stand out of it.
BAD_TEXTS = """[...document.querySelectorAll('svg')].flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
    return [...boxes.filter(([, b]) => b.left < frame.left - 1 || b.right > frame.right + 1).map(([text]) => text),
        ...boxes.flatMap(([text, a], i) => boxes.slice(i + 1).filter(([, b]) => overlap(a, b)).map(([other]) =>
            `${text} | ${other}`))]; })"""
CONTRASTS = """(() => {
    const parse = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => { v /= 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    const light = c => { const [r, g, b] = parse(c); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const paper = light(getComputedStyle(document.body).backgroundColor);
    return ['body', 'a[href]', '.missing', 'footer', 'figure'].map(s => document.querySelector(s)).filter(e => e)
        .map(e => ratio(light(getComputedStyle(e).color), paper)); })()"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = os.environ.get("KEEP") or tempfile.mkdtemp()
        os.makedirs(cls.folder, exist_ok=True)
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        if not os.environ.get("KEEP"):
            shutil.rmtree(cls.folder)

    def page(self, name, *arguments):
        path = os.path.join(self.folder, name + ".html")
        subprocess.run([PROGRAM, "report", *arguments, "--output", path], check=True, stdout=subprocess.DEVNULL)
        return path

    def with_journal(self):
        """A profile and its journal, made by the program from the journal."""
        profile = os.path.join(self.folder, "pocl.toml")
        subprocess.run([PROGRAM, "merge", JOURNAL, "--output", profile], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(JOURNAL, profile + ".journal.jsonl")
        return profile

    def look(self, path, plots, **how):
        self.browser.complaints.clear()
        self.browser.open(path, **how)
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(self.browser.evaluate(EMPTY_PLOTS), [])
        self.assertEqual(self.browser.evaluate(PLOTS), plots)
        self.assertEqual(self.browser.evaluate(BAD_TEXTS), [])
        scroll, width = self.browser.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        self.assertLessEqual(scroll, width, "the page overflows to the side")
        self.assertGreaterEqual(min(self.browser.evaluate(CONTRASTS)), 4.5, "contrast of texts")
        kind = "dark" if how.get("dark") else "light"
        self.browser.screenshot(f"{path.removesuffix('.html')}-{how.get('width', 1024)}-{kind}.png")

    def look_everywhere(self, path, plots):
        self.look(path, plots)
        self.look(path, plots, width=360, height=740, mobile=True, dark=True)
        printed = self.browser.pdf()
        with open(path.removesuffix(".html") + ".pdf", "wb") as file:
            file.write(printed)
        self.assertTrue(printed.startswith(b"%PDF-"))
        width, height = map(float, re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", printed).groups())
        self.assertAlmostEqual(width, 595, delta=1)  # A4, in points
        self.assertAlmostEqual(height, 842, delta=1)

    def test_a_profile_and_nothing_else(self):
        self.look_everywhere(self.page("bare", f"{PROFILES}/nvidia-h200.toml"), plots=3)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.missing').length"), 0)

    def test_a_profile_with_its_journal(self):
        path = self.page("journal", self.with_journal())
        self.look_everywhere(path, plots=4)  # one op was tuned
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('section')].filter(s => s.querySelector('figure')).map(s => s.id)"),
            ["speed", "portfolio", "progress", "sensitivity"])

    def test_two_profiles_and_answers_of_bench(self):
        answers = [f"{ANSWERS}/h200-{name}.json"
                   for name in ("double-products", "points", "net-full-mnist", "net-partial-cifar")]
        path = self.page("both", f"{PROFILES}/nvidia-h200.toml", f"{PROFILES}/pocl-amd-epyc-avx512.toml",
                         "--bench", *answers)
        self.browser.open(path)
        self.look_everywhere(path, self.browser.evaluate(PLOTS))

    def test_a_profile_that_was_never_measured(self):
        self.look(self.page("generic", f"{PROFILES}/generic.toml"), plots=0)

    def test_keys_reach_everything(self):
        self.browser.open(self.page("keys", f"{PROFILES}/nvidia-h200.toml", "--sources"))
        reached = []
        for _ in range(400):
            self.browser.press("Tab")
            reached.append(self.browser.evaluate(
                "document.activeElement.className || document.activeElement.tagName"))
            if reached[-1] == "BODY":
                break
        self.assertEqual(reached[0], "skip")
        for stop in ("A", "SUMMARY", "scroll"):
            self.assertIn(stop, reached)
        self.browser.evaluate("document.querySelector('#sources summary').focus()")
        self.browser.press("Enter")
        self.assertTrue(self.browser.evaluate("document.querySelector('#sources details').open"))


if __name__ == "__main__":
    if browser.find() is None:
        print("no Chromium: scripts/packages --full installs it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
