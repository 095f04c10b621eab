#!/usr/bin/env python3
"""The documentation states the constants that the code has.

  figures_test.py SOURCES    the folder of the project
"""
import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(sys.argv.pop(1))


def constant(file, name):
    """What a source defines as `name = NUMBER;`"""
    return float(re.search(rf"\b{name} = ([0-9.]+);", (TOP / file).read_text()).group(1))


def percent(share):
    return f"{round(100 * share)} %"


class Figures(unittest.TestCase):
    def check(self, page, *sentences):
        text = " ".join((TOP / "docs" / page).read_text().split())
        for sentence in sentences:
            self.assertIn(sentence, text, page)

    def test_shares_of_the_time_are_those_of_the_code(self):
        packs, finals, networks = (constant("tuner/tuning/decision.cpp", name)
                                   for name in ("kPackShare", "kFinalsShare", "kNetworkShare"))
        alone = 1 - packs - finals
        self.check("architecture.md",
                   f"searches get {percent(alone - networks)}, packs {percent(packs)}, finals {percent(finals)} and "
                   f"networks {percent(networks)}; without networks, searches get {percent(alone)}.")
        self.check("tune-your-board.md", f"search's share of the budget ({percent(alone - networks)})")
        beside = constant("tuner/tuning/network_stage.cpp", "kBesideShare")
        self.check("networks.md", f"gets {percent(networks - beside)} of the budget, activation and softmax kernels "
                                  f"{percent(beside)}.")

    def test_bounds_are_those_of_the_code(self):
        routes = constant("runtime/plan/route_cache.hpp", "kMostRoutes")
        self.check("architecture.md", f"most {routes:.0f} are kept")
        self.check("embedding.md", f"At most {routes:.0f} plans are kept")
        self.check("measuring.md",
                   f"the best {constant('tuner/finals/lineup.cpp', 'kBest'):.0f} candidates by cost",
                   f"after {constant('tuner/finals/finals.hpp', 'kMostRounds'):.0f} rounds")
        words = {5: "five", 8: "eight"}
        rounds = words[constant("tuner/records/finals_record.hpp", "kRoundsOfBlock")]
        self.check("measuring.md", f"It takes {rounds} rounds on every shape",
                   f"{words[constant('tuner/finals/blocks.cpp', 'kLeastOn')]} plans at least",
                   f"from {words[constant('tuner/finals/blocks.cpp', 'kEnoughToTrim')]} on without")
        self.check("architecture.md", f"in the finals: {rounds} rounds on each shape")

    def test_no_link_of_a_document_is_broken(self):
        for page in [*(TOP / "docs").rglob("*.md"), TOP / "README.md"]:
            prose = re.sub(r"^    .*$", "", page.read_text(), flags=re.MULTILINE)  # no code
            for link in re.findall(r"\]\(([^)#\s]+)", prose):
                if not re.match(r"[a-z]+:", link):
                    self.assertTrue((page.parent / link).exists(), f"{page}: {link}")


unittest.main()
