#!/usr/bin/env python3
"""Tests that every link from a document of the project to a file, or to a heading of a document, has a target.

  links_test.py SOURCES    the folder of the project
"""
import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(sys.argv.pop(1)).resolve()
PAGES = [TOP / "README.md", TOP / "CHANGELOG.md", TOP / "SECURITY.md", TOP / "profiles/README.md", *(TOP / "docs").rglob("*.md")]


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^    .*$", "", text, flags=re.MULTILINE)


def anchors(page):
    """Returns the anchors of a page's headings, as web views of Markdown make them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_every_link_has_a_target(self):
        checked = 0
        for page in PAGES:
            for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", without_code(page.read_text())):
                if re.match(r"[a-z]+:", target):
                    continue
                checked += 1
                file = (page.parent / target).resolve() if target else page
                with self.subTest(page=str(page.relative_to(TOP)), link=f"{target}#{anchor}"):
                    self.assertTrue(file.exists())
                    if anchor and file.suffix == ".md":
                        self.assertIn(anchor, anchors(file))
        self.assertGreater(checked, 0)


unittest.main()
