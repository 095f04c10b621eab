#!/usr/bin/env python3
"""mali_rank_test.py SCRIPT: the parts of scripts/mali-rank that need no compiler for Mali."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop(1)
sys.path.insert(0, os.path.dirname(os.path.abspath(SCRIPT)))
loader = importlib.machinery.SourceFileLoader("mali_rank", SCRIPT)
rank = importlib.util.module_from_spec(importlib.util.spec_from_loader("mali_rank", loader))
loader.exec_module(rank)
loader = importlib.machinery.SourceFileLoader("mali_starter", SCRIPT.replace("mali-rank", "mali-starter"))
starter = importlib.util.module_from_spec(importlib.util.spec_from_loader("mali_starter", loader))
loader.exec_module(starter)
model = rank.model


def row(**changes):
    """Statistics of a Midgard kernel: 64 multiply-adds in 20 words."""
    loop = {"alu_words": 20, "ls_words": 8, "tuples": 0, "instructions": 0, "loads": 8, "stores": 0, "fma": 32}
    loop.update(changes.pop("loop", {}))
    return dict({"registers": 8, "spills": 0, "fills": 0, "max_work_group": 128, "loop": loop}, **changes)


POINT = model.parse_point("layout_a=R4x1C tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8")


class Limits(unittest.TestCase):
    def test_every_known_device_has_what_the_model_needs(self):
        for name in model.ISA_NAMES:
            facts = model.read_limits(name)
            self.assertIn(facts["architecture"], ("midgard", "bifrost", "valhall"))
            self.assertEqual(len(facts["registers"]), len(facts["resident_work_items"]))
            self.assertGreater(facts["compute_units"] * facts["clock_mhz"] * facts["fma_per_clock"], 0)

    def test_every_limits_file_is_known(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(SCRIPT)), "..", "profiles", "limits")
        names = {file[:-5] for file in os.listdir(folder)}
        self.assertEqual({name for name in names if name.startswith("mali-")}, set(model.ISA_NAMES))

    def test_an_unknown_device_is_refused_with_those_that_are_known(self):
        with self.assertRaisesRegex(ValueError, "'voodoo' is none of mali-g31, "):
            model.read_limits("voodoo")

    def test_reads_values_by_type(self):
        facts = model.parse_limits('# a\nx = 3  # b\ny = [1, 2]\nz = true\n[gpu]\nname = "Mali # T"  # c\n')
        self.assertEqual(facts, {"x": 3, "y": [1, 2], "z": True, "name": "Mali # T"})


class Options(unittest.TestCase):
    def test_types_are_floats_and_halfs(self):
        words = ["--gpu", "mali-t628", "--program", "x", "--isa-tool", "y"]
        self.assertEqual(rank.parse_arguments(words).precision, "s")
        self.assertEqual(rank.parse_arguments(words + ["--precision", "h"]).precision, "h")
        for wrong in (["--precision", "d"], ["--precision", "h", "--against"]):
            with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
                rank.parse_arguments(words + wrong)
            self.assertIn(wrong[-1] if wrong[-1].startswith("--") else "--precision", said.getvalue())


class Point(unittest.TestCase):
    def test_counts_work(self):
        self.assertEqual(model.multiply_adds(POINT), 64)
        self.assertEqual(model.work_items(POINT), 64)
        # 32 rows and 32 columns, 4 steps of k, 16 floats a line.
        self.assertEqual(model.lines_per_turn(POINT), 16)
        self.assertEqual(model.multiply_adds({}), 1)

    def test_work_groups_can_be_cut(self):
        self.assertEqual(model.with_few_work_items("work_group_m=32 work_group_n=4 x=1"),
                         "work_group_m=16 work_group_n=4 x=1")
        self.assertEqual(model.with_few_work_items("work_group_m=16 work_group_n=16"),
                         "work_group_m=8 work_group_n=8")
        self.assertIsNone(model.with_few_work_items("work_group_m=16 work_group_n=4"))


class Prediction(unittest.TestCase):
    facts = model.read_limits("mali-t628")

    def test_is_bound_by_the_busiest_pipe(self):
        p = model.predict(row(), self.facts, POINT)
        # 10 cycles in two pipes for 64 multiply-adds; load-store: 8 words and a quarter line of 4 cycles.
        self.assertAlmostEqual(p["gflops"], 2 * 64 / 10 * 4 * 0.6)
        self.assertEqual((p["bound"], p["residents"], p["launches"]), ("arithmetic", 128, True))
        self.assertAlmostEqual(p["macs_per_issue"], 3.2)
        p = model.predict(row(loop={"ls_words": 19}), self.facts, POINT)
        self.assertAlmostEqual(p["gflops"], 2 * 64 / 20 * 4 * 0.6)
        self.assertEqual(p["bound"], "load-store")

    def test_counts_resident_work_items(self):
        few = model.predict(row(registers=9), self.facts, POINT)
        many = model.predict(row(registers=8), self.facts, POINT)
        self.assertEqual(few["residents"], 64)
        self.assertAlmostEqual(few["gflops"], model.FEWER_RESIDENTS * many["gflops"])
        self.assertEqual(model.predict(row(registers=4), self.facts, POINT)["gflops"], many["gflops"])
        self.assertFalse(model.predict(row(), self.facts, dict(POINT, work_group_m=32))["launches"])

    def test_sees_when_a_compiler_unrolls(self):
        self.assertEqual(model.repeated(POINT, row(), "midgard"), 1)
        self.assertEqual(model.repeated(POINT, row(loop={"fma": 256}), "midgard"), 8)
        dot = dict(POINT, inner="dot")
        self.assertEqual(model.repeated(dot, row(loop={"fma": 80}), "midgard"), 1)
        self.assertEqual(model.repeated(dot, row(loop={"fma": 32 * 80}), "midgard"), 32)
        self.assertEqual(model.repeated(dot, row(loop={"fma": 64}), "bifrost"), 1)
        self.assertEqual(model.repeated({"vector_width": 1}, row(loop={"fma": 2}), "midgard"), 1)

    def test_of_scalar_gpus_counts_their_own_units(self):
        loop = {"tuples": 48, "instructions": 96, "loads": 8}
        g52 = model.predict(row(registers=40, loop=loop), model.read_limits("mali-g52"), POINT)
        self.assertEqual(g52["residents"], 384)
        self.assertAlmostEqual(g52["macs_per_issue"], 64 / 48)
        g610 = model.predict(row(registers=32, loop=loop), model.read_limits("mali-g610"), POINT)
        self.assertEqual(g610["residents"], 1024)
        self.assertAlmostEqual(g610["macs_per_issue"], 64 / 96)

    def test_can_count_dot_as_hardware_has_it(self):
        dot = dict(POINT, inner="dot")
        plain = model.predict(row(), self.facts, dot)["gflops"]
        self.assertAlmostEqual(model.predict(row(loop={"ls_words": 1}), self.facts, dot, dot_kept=True)["gflops"],
                               1.5 * plain)
        self.assertEqual(model.predict(row(), self.facts, POINT, dot_kept=True)["gflops"], plain)

    def test_needs_a_loop_that_multiplies(self):
        self.assertIsNone(model.predict(row(loop={"fma": 0}), self.facts, POINT))
        self.assertIsNone(model.predict(dict(row(), loop=None), self.facts, POINT))


class WorkGroups(unittest.TestCase):
    """Against what a Mali-T860 made of one kernel in work-groups of 28 shapes."""
    facts = model.read_limits("mali-t860")

    def rows(self, size):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tuner", "data", "t860_work_groups.csv")
        with open(path, encoding="utf-8") as file:
            for line in file:
                fields = line.strip().split(",")
                if fields[0] == str(size) and int(fields[3]) * int(fields[4]) <= 128:  # larger ones do not launch here
                    point = dict(POINT, layout_b="C1x4R", tile_k=1, work_group_n=int(fields[3]), work_group_m=int(fields[4]))
                    yield float(fields[6]), model.predict(row(loop={"fma": 8}), self.facts, point)["gflops"]

    def test_rank_as_they_were_measured(self):
        for size in (1024, 2048):
            rows = list(self.rows(size))
            self.assertEqual(len(rows), 23)
            best = max(measured for measured, _ in rows)
            good = [predicted for measured, predicted in rows if measured > 0.6 * best]
            bad = [predicted for measured, predicted in rows if measured <= 0.6 * best]
            self.assertEqual((len(good), len(bad)), (14, 9))
            self.assertGreater(min(good), max(bad))
            self.assertGreater(model.rank_correlation(*zip(*rows)), 0.7)

    def test_counts_places_that_are_read_side_by_side(self):
        def streams(**changes):
            return model.streams(dict(POINT, layout_b="C1x4R", **changes), 128)
        self.assertEqual(streams(), 8 + 16)
        self.assertEqual(streams(work_group_m=1, work_group_n=128), 1 + 128)
        self.assertEqual(streams(work_group_m=4, work_group_n=64), 4 + 64)
        self.assertEqual(streams(group_order="columns"), 16 + 8)
        self.assertEqual(streams(work_group_m=2, work_group_n=2, group_order="tiled"), 16 + 8)
        self.assertEqual(streams(work_group_m=2, work_group_n=16, group_order="morton"), 4 + 32)
        self.assertEqual(model.streams({"op": "NT", "tile_m": 4, "work_group_m": 128}, 128), 512 + 1)
        self.assertEqual(model.streams({"tile_m": 4, "work_group_m": 128}, 128), 512 + 1)


class Correlation(unittest.TestCase):
    def test_is_spearmans(self):
        self.assertEqual(model.rank_correlation([1, 2, 3], [10, 20, 90]), 1.0)
        self.assertEqual(model.rank_correlation([1, 2, 3], [9, 8, 7]), -1.0)
        self.assertEqual(model.ranks([5, 1, 5]), [2.5, 1.0, 2.5])
        self.assertAlmostEqual(model.rank_correlation([1, 2, 3, 4], [1, 3, 2, 4]), 0.8)

    def test_every_published_row_has_all_sizes(self):
        for figures in model.PUBLISHED.values():
            self.assertEqual(len(figures), len(model.PUBLISHED_SIZES))


SOURCE = """// a void in a comment(
#define WIDE 4
void store4(float4 x)
{
}

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_a(const int m)
{
  store4((float4)(0.0f));
}
"""


class Sources(unittest.TestCase):
    def test_the_kernel_is_found_among_functions(self):
        self.assertEqual(rank.kernel_name(SOURCE), "sgemm_a")

    def test_stand_side_by_side_in_one_file(self):
        text = rank.alone(SOURCE, 3)
        self.assertTrue(text.startswith("#define store4 store4_3\n//"))
        self.assertTrue(text.endswith("#undef store4\n#undef WIDE\n"))
        self.assertIn(SOURCE, text)


class FakeCompiler(rank.Compiler):
    """Fails on a file that holds a kernel of a bad name."""

    def ask(self, candidates):
        self.asked.append(len(candidates))
        if any("bad" in c.kernel for c in candidates):
            return {}, "crashed"
        return {c.kernel: row() for c in candidates}, ""


def candidate(name):
    c = rank.Candidate("", "tile_m=4 tile_n=4 tile_k=4 vector_width=4")
    c.kernel, c.source = name, f"void {name}()"
    return c


class Best(unittest.TestCase):
    def test_starting_points_stay(self):
        rows = [["NN", str(i), f"point{i}"] for i in range(12)] + [["packed", "0.5", "panel"]]
        kept = rank.best_rows(rows, 2)
        self.assertEqual([row[2] for row in kept], [f"point{i}" for i in range(8)] + ["panel", "point11", "point10"])


class Batches(unittest.TestCase):
    def test_a_kernel_that_breaks_its_batch_is_found(self):
        a = type("Arguments", (), {"gpu": "mali-t628", "cache": None, "batch": 8, "jobs": 1,
                                   "facts": model.read_limits("mali-t628")})
        compiler = FakeCompiler(a)
        compiler.asked = []
        candidates = [candidate(name) for name in ("a", "b", "bad", "c", "d")]
        compiler.compile(candidates)
        self.assertEqual([c.failure for c in candidates], ["", "", "crashed", "", ""])
        self.assertEqual(sum(c.prediction is not None for c in candidates), 4)
        self.assertEqual(compiler.asked, [5, 2, 3, 1, 2])
        compiler.compile(candidates)
        self.assertEqual(compiler.asked, [5, 2, 3, 1, 2])
        self.assertEqual(rank.outcomes(candidates), {"compiles": 4, "fails: crashed": 1})


def ranked(point, gflops, residents=128, spills=0):
    return {"point": point, "statistics": {"spills": spills},
            "prediction": {"gflops": gflops, "residents": residents}}


class Starter(unittest.TestCase):
    def test_sorts_points_by_their_operands(self):
        self.assertEqual(starter.phase_of("gemm tile_m=4"), "NN")
        self.assertEqual(starter.phase_of("gemm op=NT tile_m=4"), "NT")
        self.assertEqual(starter.phase_of("gemm layout_a=C"), "TN")
        self.assertEqual(starter.phase_of("gemm layout_b=C1x4R"), "packed")
        self.assertEqual(starter.phase_of("gemm op=NN image_a=yes"), "packed")

    def test_chooses_the_best_of_each_kind(self):
        rows = [ranked("gemm layout_a=R4x1C", 20.0, 64), ranked("gemm layout_a=R4x1C tile_m=4", 19.0, 64),
                ranked("gemm layout_a=R8x1C", 18.0, 128), ranked("gemm access=aligned", 12.0),
                ranked("gemm tile_n=8", 9.5, spills=2), ranked("gemm layout_b=C1x4R", 9.25, 256, spills=1), ranked("gemm op=TN", 8.0)]
        self.assertEqual([gflops for gflops, _ in starter.choose(rows)], [12.0, 9.5, 8.0, 20.0, 18.0])

    def test_takes_the_simpler_of_ties_and_nothing_built_in(self):
        rows = [ranked("gemm tile_m=12 access=aligned", 10.0), ranked("gemm tile_m=8 access=aligned", 9.6),
                ranked(starter.BUILT_IN, 8.0), ranked("gemm op=NT " + starter.BUILT_IN[5:], 7.0)]
        self.assertEqual([gflops for gflops, _ in starter.choose(rows)], [9.6])

    def test_takes_for_halfs_what_does_not_spill_and_beats_the_built_in_kernels(self):
        built_in = [point for point in starter.in_halfs(["gemm tile_m=2"]) if starter.is_built_in(point)]
        self.assertEqual(len(built_in), 3)
        nn, nt = (next(p for p in built_in if starter.phase_of(p) == phase) for phase in ("NN", "NT"))
        rows = [ranked("gemm layout_a=R4x1C precision=h", 20.0, spills=1), ranked("gemm layout_a=R8x1C precision=h", 12.0),
                ranked("gemm op=NT tile_m=2 precision=h", 11.0), ranked(nn, 9.0, spills=4),
                ranked("gemm tile_m=2 precision=h", 6.0), ranked(nt, 5.0)]
        self.assertEqual([gflops for gflops, _ in starter.choose_for_halfs(rows)], [11.0, 12.0])

    def test_passes_options_on(self):
        gpus, folder, others = starter.split(["--gpu", "mali-t628", "--best", "9", "--output", "x"])
        self.assertEqual((gpus, folder, others), (["mali-t628"], "x", ["--best", "9"]))

    def test_keeps_each_kernel_once(self):
        kernel = "[[kernel]]\nname = \"a\"\nsource = '''\n// [[kernel]]\n'''\n"
        text, kernels = starter.apart("head\n\n" + kernel + "\n[[result]]\n")
        self.assertEqual((text, kernels), ("head\n\n@a@\n\n[[result]]\n", {"a": kernel}))


unittest.main()
