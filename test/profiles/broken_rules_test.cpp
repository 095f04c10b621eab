// Texts whose values violate a rule for the contents of profiles, with the line and the key in the
// error.
#include "catch.hpp"
#include "refused_edit.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

TEST_CASE("kernels that violate a rule are rejected") {
  check({"name = \"gemm_nt\"", "name = \"gemm_nn\" # twice", "twice", "kernel[1].name", "earlier"});
  check({"entry = \"gemm_nt\"", "entry = \"gemm\"", "entry = \"gemm\"", "kernel[1].entry",
         "not a __kernel"});
  check({"work_group = [16, 4]", "work_group = [0, 4]", "work_group = [0", "kernel[1].work_group",
         "at least 1"});
  check(
      {"work_group = [16, 4]", "work_group = [16, 17]", "[16, 17]", "kernel[1].work_group", "272"});
  check({"work_group = [16, 4]", "work_group = [1, 129]", "129", "kernel[1].work_group",
         "max_work_item_sizes"});
  check({"work_group = [16, 4]", "work_group = [2147483647, 2147483647]", "2147483647",
         "kernel[1].work_group", "4611686014132420609"});
  check({"tile = [4, 8, 2]", "tile = [4, 0, 2]", "tile = ", "kernel[0].tile", "at least 1"});
  check({"multiples = [4, 8, 16]", "multiples = [4, 8, -16]", "-16", "kernel[2].multiples",
         "at least 1"});
  check({"split_k = 1", "split_k = 0", "split_k", "kernel[0].split_k", "at least 1"});
  check({"local_bytes = 0", "local_bytes = -1", "local_bytes", "kernel[0].local_bytes",
         "at least 0"});
  check({"local_bytes = 0", "local_bytes = 32769", "local_bytes = 3", "kernel[0].local_bytes",
         "is 32769"});
  check({"image_support = true", "image_support = false", "images = \"b\"", "kernel[3].images",
         "image_support"});
  check({"alignment = 1", "alignment = 3", "alignment", "kernel[0].alignment", "power of two"});
  check({"multiples = [16, 8, 2]", "multiples = [12, 8, 2]", "[12, ", "kernel[3].multiples",
         "blocks of layout_a"});
  check({"layout_a = \"R\"\nlayout_c = \"C\"",
         "layout_a = \"R\"\nlayout_b = \"C\" #\nlayout_c = \"C\"", "\"C\" #", "kernel[2].layout_b",
         "must be absent"});
  check({"epilogue = \"none\"", "epilogue = \"alpha_beta\" #", "\"alpha_beta\" #",
         "kernel[2].epilogue", "must be 'none'"});
  check({"role = \"pack\"", "role = \"gemm\"", "[[kernel]]\nname = \"pack_rc\"",
         "kernel[2].layout_b", "is missing"});
}

TEST_CASE("results that violate a rule are rejected") {
  check({"kernel = \"gemm_nt\"", "kernel = \"nt\"", "\"nt\"", "result[1].kernel", "not the name"});
  check({"64x32x7 =", "64x32x0 =", "64x32x0", "result[1].64x32x0", "at least 1"});
  check({"64x32x128 =", "-64x32x128 =", "-64x", "result[0].-64x32x128", "at least 1"});
  check({"64x32x128 =", "64x32x2000000001 =", "64x32x2", "result[0].64x32x2000000001", "at most"});
  const auto check_row = [](const char* from, const char* to, const char* message) {
    check({from, to, "64x32x128", "result[0].64x32x128", message});
  };
  check_row(", 11]", ", 0]", "at least 1");
  check_row(", 11]", ", -1]", "at least 1");
  check_row("[990.25,", "[1000.75,", "exceed");
  check_row("1100.0, 11]", "1000.0, 11]", "below");
  check_row("1100.0, 11]", "inf, 11]", "finite");
  check_row("1100.0, 11]", "nan, 11]", "finite");
  check_row("1100.0, 11]", "1e400, 11]", "TOML");
  for (const char* time : {"1e-308", "1e308", "5e-324", "1e-10"}) {
    check_row("1000.5", time, "1e-9 to 1e15");
  }
  check({"max_error = 0.125", "max_error = 1.0", "max_error", "result[0].max_error", "below 1"});
}

TEST_CASE("rates that violate a rule are rejected") {
  for (const char* from :
       {"copy_gbytes_per_s = 5.5", "local_gbytes_per_s = 12.25", "image_gbytes_per_s = 9.75",
        "launch_ns = 21000.0", "round_trip_ns = 85000.5", "timer_step_ns = 1000.0"}) {
    const std::string name(from, std::string_view(from).find(' '));
    for (const char* value : {"-0.5", "inf", "nan", "1e-308", "1e308"}) {
      const std::string to = name + " = " + value;
      check({from, to.c_str(), to.c_str(), ("rates." + name).c_str(), "finite"});
    }
  }
  check({"peak_gflops = 17.25", "peak_gflops = 17.0", "17.0", "rates.peak_gflops", "17.25"});
  check(
      {"launch_ns = 21000.0", "launch_ns = 21000", "21000", "rates.launch_ns", "must be a float"});
  check({"event_time = false", "event_time = 0", "event_time", "rates.event_time", "a boolean"});
  check({"vector_width = 8", "vector_width = 0", "width = 0", "multiply_add[2].vector_width",
         "at least 1"});
  check({"vector_width = 8", "vector_width = 17", "width = 17", "multiply_add[2].vector_width",
         "at most 16"});
  check({"form = \"fma\"", "form = \"mul\"", "\"mul\"", "multiply_add[2].form", "'mul'"});
  check({"form = \"mad\"", "form = \"expression\" # twice", "# twice", "multiply_add[1].form",
         "same vector_width"});
  check({"gflops = 11.5", "gflops = -1.0", "gflops = -1.0", "multiply_add[0].gflops", "finite"});
}

TEST_CASE("packing results that violate a rule are rejected") {
  check({"kernel = \"pack_rc\"", "kernel = \"pack\"", "\"pack\"\nns_", "pack_result[0].kernel",
         "'pack'"});
  check({"kernel = \"pack_rc\"", "kernel = \"gemm_nn\"", "\"gemm_nn\"\nns_",
         "pack_result[0].kernel", "'gemm_nn'"});
  check({"ns_per_element = 1.75\n",
         "ns_per_element = 1.75\n[[pack_result]]\nkernel = \"pack_rc\" #\nns_per_element = 2.0\n",
         "\"pack_rc\" #", "pack_result[1].kernel", "already has an entry"});
  check({"ns_per_element = 1.75\n", "ns_per_element = 1.75\nextent = 0\n", "extent = 0",
         "pack_result[0].extent", "at least 1"});
  check({"ns_per_element = 1.75\n", "ns_per_element = 1.75\nextent = 1000\n", "extent = 1000",
         "pack_result[0].extent", "must be absent"});
  for (const char* value : {"0.0", "-1.0", "inf", "nan", "1e-308", "1e308"}) {
    const std::string to = std::string("ns_per_element = ") + value;
    check({"ns_per_element = 1.75", to.c_str(), "ns_per_element", "pack_result[0].ns_per_element",
           "positive and finite"});
  }
}

TEST_CASE("a generic profile has no measurements") {
  Profile generic = sample_profile();
  generic.kind = ProfileKind::kGeneric;
  generic.results.clear();
  generic.pack_results.clear();
  generic.models.clear();
  const std::string text = write_profile(generic);
  for (const std::string table :
       {"[rates]\n", "[[multiply_add]]\nvector_width = 4\n",
        "[[pack_result]]\nkernel = \"pack_rc\"\nns_per_element = 1.0\n"}) {
    const std::string measured = edited(text, "[[kernel]]", table + "[[kernel]]");
    const auto refusal = find_refusal(measured);
    REQUIRE(refusal);
    INFO(refusal->what());
    CHECK(refusal->key() == table.substr(0, table.find(']')).substr(table.rfind('[', 1) + 1));
    CHECK(refusal->line() == line_number(measured, table));
    CHECK(std::string(refusal->what()).find("must be absent") != std::string::npos);
  }
}

TEST_CASE("kind and device must be consistent") {
  check({"kind = \"tuned\"", "kind = \"generic\"", "[device]", "device", "must be absent"});
  Profile generic = sample_profile();
  generic.kind = ProfileKind::kGeneric;
  generic.results.clear();
  generic.pack_results.clear();
  generic.models.clear();
  const auto refusal = find_refusal(edited(write_profile(generic), "generic", "tuned"));
  REQUIRE(refusal);
  CHECK(refusal->key() == "device");
  CHECK(refusal->line() == 1);
  const std::string result =
      "[[result]]\nkernel = 'gemm_nn'\nop = 'NN'\nmax_error = 0.0\n"
      "1x1x1 = [2.0, 2.0, 2.0, 1]\n[[kernel]]";
  const std::string measured = edited(write_profile(generic), "[[kernel]]", result);
  const auto other = find_refusal(measured);
  REQUIRE(other);
  CHECK(other->key() == "result");
  CHECK(other->line() == line_number(measured, "[[result]]"));
}

void check_source(const std::string& source, const std::string& key, const std::string& message) {
  const Profile profile = sample_profile();
  const std::string text = with_source(profile, 1, source);
  const auto refusal = find_refusal(text);
  INFO(source);
  REQUIRE(refusal);
  INFO(refusal->what());
  CHECK(refusal->key() == key);
  const int name_line = line_number(text, "name = \"gemm_nt\"");
  CHECK(refusal->line() == name_line + (key == "kernel[1].entry" ? 2 : 25));
  CHECK(std::string(refusal->what()).find(message) != std::string::npos);
}

TEST_CASE("dangerous sources and build options are rejected") {
  const std::string good = sample_source("gemm_nt");
  check_source("#include </etc/passwd>\n" + good, "kernel[1].source", "'#include </etc");
  check_source(good + "%:include </etc/passwd>\n", "kernel[1].source", "digraph");
  check_source("void gemm_nt() {}\n", "kernel[1].entry", "not a __kernel");
  Profile profile = sample_profile();
  KernelRecord changed = profile.kernels[0];
  changed.build_options += " -I/etc";
  std::string text =
      edited(write_profile(profile), compute_digest(profile.kernels[0]), compute_digest(changed));
  text = edited(text, profile.kernels[0].build_options, changed.build_options);
  const auto refusal = find_refusal(text);
  REQUIRE(refusal);
  CHECK(refusal->key() == "kernel[0].build_options");
  CHECK(refusal->line() == line_number(text, "-I/etc"));
  CHECK(std::string(refusal->what()).find("'-I/etc'") != std::string::npos);
}

TEST_CASE("a kernel that does not match its digest is rejected") {
  const std::string digest = compute_digest(sample_profile().kernels[1]);
  check({"void gemm_nt(", "void  gemm_nt(", digest.c_str(), "kernel[1].digest", "source"});
  check({digest.c_str(), "xxh3-0", "xxh3-0\"", "kernel[1].digest", "source"});
  const std::string first = compute_digest(sample_profile().kernels[0]);
  check({"build_options = \"-cl-mad-enable ", "build_options = \"", first.c_str(),
         "kernel[0].digest", "source"});
}

}  // namespace
}  // namespace tilewright
