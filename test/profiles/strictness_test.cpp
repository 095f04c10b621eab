// Every way in which a text is rejected, with the line and the key in the error.
#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

// The sample profile with the first `from` replaced by `to` is rejected.
struct Case {
  const char* from;
  const char* to;
  const char* line_with;  // text whose first occurrence is in the reported line
  const char* key;
  const char* message;  // part of the message
};

void check(const Case& c) {
  const std::string text = edited(write_profile(sample_profile()), c.from, c.to);
  const auto refusal = find_refusal(text);
  INFO("'" << c.from << "' -> '" << c.to << "'");
  REQUIRE(refusal);
  INFO(refusal->what());
  CHECK(refusal->line() == line_number(text, c.line_with));
  CHECK(refusal->key() == c.key);
  CHECK(refusal->file() == "test.toml");
  CHECK(std::string(refusal->what()).find(c.message) != std::string::npos);
}

TEST_CASE("the unchanged sample is accepted") {
  CHECK_FALSE(find_refusal(write_profile(sample_profile())));
  CHECK_FALSE(
      find_refusal(edited(write_profile(sample_profile()), "seed = \"42\"", "seed = \"43\"")));
}

TEST_CASE("an error consists of file, line, key and message") {
  const std::string text =
      edited(write_profile(sample_profile()), "complete = true", "complete = 1");
  const auto refusal = find_refusal(text);
  REQUIRE(refusal);
  CHECK(refusal->what() == "test.toml:" + std::to_string(line_number(text, "complete = 1")) +
                               ": provenance.complete: must be a boolean, not an integer");
}

TEST_CASE("unknown keys are rejected") {
  const char* unknown = "is an unknown key";
  check({"format = 1\n", "format = 1\nextra = 1\n", "extra", "extra", unknown});
  check({"[device]\n", "[device]\nextra = 1\n", "extra", "device.extra", unknown});
  check({"[device.limits]\n", "[device.limits]\nx = 1\n", "x = 1", "device.limits.x", unknown});
  check({"[device.soft]\n", "[device.more]\n[device.soft]\n", "[device.more]", "device.more",
         unknown});
  check({"[device.soft]\n", "[device.soft]\nx = 1\n", "x = 1", "device.soft.x", unknown});
  check({"[device.information]\n", "[device.information]\nx = 1\n", "x = 1", "device.information.x",
         unknown});
  check({"[provenance]\n", "[provenance]\nx = 1\n", "x = 1", "provenance.x", unknown});
  check({"name = \"gemm_nt\"\n", "name = \"gemm_nt\"\nx = 1\n", "x = 1", "kernel[1].x", unknown});
  check({"64x32x7 =", "x = 1\n64x32x7 =", "x = 1", "result[1].x", unknown});
  for (const char* key : {"64x32", "64x32x128x1", "064x32x128", "64X32x128", "64x32x128-"}) {
    check({"64x32x128 =", (std::string(key) + " =").c_str(), (std::string(key) + " =").c_str(),
           ("result[0]." + std::string(key)).c_str(), unknown});
  }
  check({"[[result]]", "[extra]\n[[result]]", "[extra]", "extra", unknown});
  check({"[rates]\n", "[rates]\nx = 1\n", "x = 1", "rates.x", unknown});
  check({"form = \"mad\"\n", "form = \"mad\"\nx = 1\n", "x = 1", "multiply_add[1].x", unknown});
  check({"kernel = \"pack_rc\"\n", "kernel = \"pack_rc\"\nx = 1\n", "x = 1", "pack_result[0].x",
         unknown});
  check({"kind =", "A-1 = 1\nkind =", "A-1", "A-1", unknown});
  check({"[[result]]", "[digest.x]\n[[result]]", "[digest.x]", "digest.x", unknown});
}

TEST_CASE("missing keys are reported with the line of their table") {
  const char* missing = "is missing";
  check({"format = 1\n", "", "kind", "format", "must be the first key"});
  check({"kind = \"tuned\"\n", "", "# A", "kind", missing});
  check({"vendor = \"ARM\"\n", "", "[device]", "device.vendor", missing});
  check({"image_support = true\n", "", "[device.limits]", "device.limits.image_support", missing});
  check({"driver = \"1.1\"\n", "", "[device.soft]", "device.soft.driver", missing});
  check({"max_clock_mhz = 600\n", "", "[device.information]", "device.information.max_clock_mhz",
         missing});
  check({"seed = \"42\"\n", "", "[provenance]", "provenance.seed", missing});
  check({"name = \"gemm_nn\"\n", "", "[[kernel]]", "kernel[0].name", missing});
  for (const char* line : {"split_k = 1\n", "local_bytes = 0\n", "narrow = \"none\"\n",
                           "images = \"\"\n", "edges = \"guarded\"\n", "alignment = 1\n",
                           "bias = \"none\"\n", "activation = \"identity\"\n"}) {
    const std::string key = "kernel[0]." + std::string(line, std::string_view(line).find(' '));
    check({line, "", "[[kernel]]", key.c_str(), missing});
  }
  check({"vector_width = 1\n", "", "[[kernel]]", "kernel[0].vector_width", missing});
  check({"iteration_k = 1\n", "", "[[kernel]]", "kernel[0].iteration_k", missing});
  check({"family = \"\"\n", "", "[[kernel]]", "kernel[0].family", missing});
  check({"max_error = 0.125\n", "", "[[result]]", "result[0].max_error", missing});
  check({"64x32x7 = [990.25, 1000.5, 1100.0, 11]\n", "", "kernel = \"gemm_nt\"\nop",
         "result[1].kernel", "has no row"});
  for (const char* line :
       {"peak_gflops = 17.25\n", "copy_gbytes_per_s = 5.5\n", "local_gbytes_per_s = 12.25\n",
        "image_gbytes_per_s = 9.75\n", "launch_ns = 21000.0\n", "round_trip_ns = 85000.5\n",
        "timer_step_ns = 1000.0\n", "event_time = false\n"}) {
    const std::string key = "rates." + std::string(line, std::string_view(line).find(' '));
    check({line, "", "[rates]", key.c_str(), missing});
  }
  for (const char* line : {"vector_width = 4\n", "form = \"expression\"\n", "gflops = 11.5\n"}) {
    const std::string key =
        "multiply_add[0]." + std::string(line, std::string_view(line).find(' '));
    check({line, "", "[[multiply_add]]", key.c_str(), missing});
  }
  check(
      {"ns_per_element = 1.75\n", "", "[[pack_result]]", "pack_result[0].ns_per_element", missing});
  check({"[device.information]\nmax_clock_mhz = 600\n", "", "[device]", "device.information",
         missing});
  check({"layout_b = \"R\"\n", "", "[[kernel]]", "kernel[0].layout_b", missing});
}

TEST_CASE("repeated keys are rejected") {
  check(
      {"kind = \"tuned\"", "kind = \"tuned\"\nkind = 'tuned'", "kind = 't", "kind", "second time"});
  check({"64x32x7 =", "64x32x7  = 1\n64x32x7 =", "64x32x7 =", "result[1].64x32x7", "second time"});
  check({"entry = \"gemm_nt\"", "entry = \"gemm_nt\"\nname = 1", "name = 1", "kernel[1].name",
         "second time"});
  check({"[provenance]", "[device] # again\n[provenance]", "again", "device", "second time"});
  check({"[[result]]", "[kernel] # one\n[[result]]", "[kernel] # one", "kernel", "second time"});
}

TEST_CASE("values of another type are rejected") {
  check({"format = 1", "format = '1'", "format =", "format", "must be an integer, not a string"});
  check({"kind = \"tuned\"", "kind = 1", "kind", "kind", "must be a string, not an integer"});
  check({"vendor = \"ARM\"", "vendor = [1]", "vendor", "device.vendor", "not an array"});
  check({"compute_units = 4", "compute_units = 4.0", "compute_units", "device.soft.compute_units",
         "must be an integer, not a float"});
  check({"image_support = true", "image_support = 'true'", "image_support",
         "device.limits.image_support", "must be a boolean"});
  check({"seed = \"42\"", "seed = 42", "seed = ", "provenance.seed", "must be a string"});
  for (const char* row : {"[990.25, 1000.5, 1100, 11]", "[990.25, 1000.5, 1100.0, 11.0]",
                          "[990.25, 1000.5, 1100.0]", "[990.25, 1000.5, 1100.0, 11, 1]",
                          "[990.25, 1000.5, 1100.0, -1]", "[990.25, 1000.5, true, 11]"}) {
    check({"[990.25, 1000.5, 1100.0, 11]", row, "64x32x128", "result[0].64x32x128",
           "must be the 10th percentile, median and 90th percentile"});
  }
  check({"[990.25, 1000.5, 1100.0, 11]", "1", "64x32x128", "result[0].64x32x128",
         "must be an array of numbers, not an integer"});
  check({"date = \"2014-07-01T12:00:00Z\"", "date = 2014-07-01", "date", "provenance.date",
         "an invalid number"});
  check({"work_group = [8, 4]", "work_group = 8", "work_group = ", "kernel[0].work_group",
         "must be an array of integers, not an integer"});
  check({"work_group = [8, 4]", "work_group = [8, 4.0]", "work_group = ", "kernel[0].work_group",
         "must be an array of integers"});
  check({"work_group = [8, 4]", "work_group = [8, 4, 1]", "work_group = ", "kernel[0].work_group",
         "must have 2 elements"});
  check({"work_group = [8, 4]", "work_group = [8, 4, 1, 1]",
         "work_group = ", "kernel[0].work_group", "must have 2 or 3 elements"});
  check({"tile = [4, 8, 2]", "tile = [4, 8]", "tile = ", "kernel[0].tile", "must have 3 elements"});
  check({"[device.soft]", "soft = 1\n[device.x]", "soft = 1", "device.limits.soft",
         "is an unknown key"});
  check({"[provenance]", "[[provenance]]", "[[provenance]]", "provenance", "must be a table"});
}

TEST_CASE("tables of another kind are rejected") {
  const std::string kind = "format = 1\nkind = 'generic'\n";
  const char* provenance =
      "[provenance]\ntool_version = ''\ncommand_line = ''\nseed = '0'\n"
      "space_digest = ''\ncomplete = false\nstatistic = ''\ndate = ''\n";
  const auto plain = find_refusal(with_digest(kind + provenance));
  REQUIRE(plain);
  CHECK(plain->key() == "kernel");
  CHECK(plain->line() == 1);
  CHECK(std::string(plain->what()).find("a profile needs at least one kernel") !=
        std::string::npos);
  for (const char* kernel : {"kernel = 1\n", "kernel = [1]\n", "[kernel]\n", "[kernel.x]\n"}) {
    const auto refusal = find_refusal(with_digest(kind + kernel + provenance));
    INFO(kernel);
    REQUIRE(refusal);
    CHECK(refusal->key() == "kernel");
    CHECK(refusal->line() == 3);
    CHECK(std::string(refusal->what()).find("must be an array of tables") != std::string::npos);
  }
}

TEST_CASE("integers outside their range are rejected") {
  check({"compute_units = 4", "compute_units = 2147483648", "compute_units",
         "device.soft.compute_units", "must be between"});
  check({"compute_units = 4", "compute_units = -1", "compute_units", "device.soft.compute_units",
         "negative"});
  check({"1100.0, 11]", "1100.0, 99999999999]", "64x32x128", "result[0].64x32x128",
         "the number of samples as an integer"});
  check({"work_group = [8, 4]", "work_group = [4294967297, 4]",
         "work_group = ", "kernel[0].work_group", "must be between"});
  check({"tile = [4, 8, 2]", "tile = [4, 8, -2147483649]", "tile = ", "kernel[0].tile",
         "must be between"});
  check(
      {"1100.0, 11]", "1100.0, 9223372036854775808]", "64x32x128", "result[0].64x32x128", "TOML"});
  check({"64x32x7 =", "64x32x9223372036854775808 =", "64x32x9",
         "result[1].64x32x9223372036854775808", "is an unknown key"});
  for (const char* seed : {"18446744073709551616", "-1", "", "0x2a", "042", "42 ", "4 2", "+4"}) {
    const std::string to = std::string("seed = \"") + seed + "\"";
    check({"seed = \"42\"", to.c_str(), "seed = ", "provenance.seed", "decimal number"});
  }
}

TEST_CASE("unknown words are rejected") {
  check({"kind = \"tuned\"", "kind = \"Tuned\"", "kind", "kind", "not one of: generic, tuned"});
  check({"role = \"gemm\"", "role = \"trsm\"", "role", "kernel[0].role",
         "not one of: gemm, gemv, pack, reduce, activation, softmax"});
  check({"op = \"NT\"", "op = \"nt\"", "op = \"nt", "result[1].op", "not one of: NN, NT, TN, TT"});
  check({"layout_a = \"R\"", "layout_a = \"R 4 4\"", "layout_a", "kernel[0].layout_a", "R, C"});
  check({"layout_a = \"R\"", "layout_a = \"R 4 4 R 3 4 R\"", "layout_a", "kernel[0].layout_a",
         "a layout in blocks"});
  check({"layout_b = \"R\"", "layout_b = \"\"", "layout_b", "kernel[0].layout_b", "R, C"});
  check(
      {"id_order = \"nm\"", "id_order = \"n\"", "id_order", "kernel[0].id_order", "nm, mn, flat"});
  check({"narrow = \"none\"", "narrow = \"k\"", "narrow", "kernel[0].narrow", "none, m, n"});
  check({"images = \"\"", "images = \"ba\"", "images", "kernel[0].images", "a, b, ab, c"});
  check({"edges = \"guarded\"", "edges = \"\"", "edges", "kernel[0].edges", "guarded, padded"});
  check({"bias = \"none\"", "bias = \"mn\"", "bias", "kernel[0].bias", "none, m, n"});
  check({"activation = \"identity\"", "activation = \"cube\"", "activation", "kernel[0].activation",
         "identity, relu, leaky_relu, sigmoid, tanh, elu, selu, softplus"});
  check({"epilogue = \"none\"", "epilogue = \"no\"", "epilogue = \"no\"", "kernel[2].epilogue",
         "none, alpha_beta"});
}

TEST_CASE("kernels that violate a rule are rejected") {
  check({"name = \"gemm_nt\"", "name = \"gemm_nn\" # twice", "twice", "kernel[1].name", "earlier"});
  check({"entry = \"gemm_nt\"", "entry = \"gemm\"", "entry = \"gemm\"", "kernel[1].entry",
         "not a __kernel"});
  check({"work_group = [16, 4]", "work_group = [0, 4]", "work_group = [0", "kernel[1].work_group",
         "at least 1"});
  check({"work_group = [16, 4]", "work_group = [16, 17]", "[16, 17]", "kernel[1].work_group",
         "has 272 work-items"});
  check({"work_group = [16, 4]", "work_group = [1, 129]", "129", "kernel[1].work_group",
         "max_work_item_sizes"});
  check({"work_group = [16, 4]", "work_group = [2147483647, 2147483647]", "2147483647",
         "kernel[1].work_group", "has 4611686014132420609 work-items"});
  check({"tile = [4, 8, 2]", "tile = [4, 0, 2]", "tile = ", "kernel[0].tile", "at least 1"});
  check({"multiples = [4, 8, 16]", "multiples = [4, 8, -16]", "-16", "kernel[2].multiples",
         "at least 1"});
  check({"split_k = 1", "split_k = 0", "split_k", "kernel[0].split_k", "at least 1"});
  check(
      {"local_bytes = 0", "local_bytes = -1", "local_bytes", "kernel[0].local_bytes", "negative"});
  check({"local_bytes = 0", "local_bytes = 32769", "local_bytes = 3", "kernel[0].local_bytes",
         "is 32769, but device.limits.local_memory_bytes of this profile is 32768"});
  check({"image_support = true", "image_support = false", "images = \"b\"", "kernel[3].images",
         "image_support of this profile is false"});
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
      check({from, to.c_str(), to.c_str(), ("rates." + name).c_str(), "finite and not negative"});
    }
  }
  check({"peak_gflops = 17.25", "peak_gflops = 17.0", "17.0", "rates.peak_gflops",
         "the highest gflops of [[multiply_add]], 17.25"});
  check(
      {"launch_ns = 21000.0", "launch_ns = 21000", "21000", "rates.launch_ns", "must be a float"});
  check({"event_time = false", "event_time = 0", "event_time", "rates.event_time", "a boolean"});
  check({"vector_width = 8", "vector_width = 0", "width = 0", "multiply_add[2].vector_width",
         "between 1 and 16"});
  check({"vector_width = 8", "vector_width = 17", "width = 17", "multiply_add[2].vector_width",
         "between 1 and 16"});
  check({"form = \"fma\"", "form = \"mul\"", "\"mul\"", "multiply_add[2].form",
         "is 'mul', not one of: expression, mad, fma"});
  check({"form = \"mad\"", "form = \"expression\" # twice", "# twice", "multiply_add[1].form",
         "already has an entry with the same vector_width"});
  check({"gflops = 11.5", "gflops = -1.0", "gflops = -1.0", "multiply_add[0].gflops",
         "finite and not negative"});
}

TEST_CASE("packing results that violate a rule are rejected") {
  check({"kernel = \"pack_rc\"", "kernel = \"pack\"", "\"pack\"\nns_", "pack_result[0].kernel",
         "'pack' is not the name of a pack, activation or softmax kernel"});
  check({"kernel = \"pack_rc\"", "kernel = \"gemm_nn\"", "\"gemm_nn\"\nns_",
         "pack_result[0].kernel",
         "'gemm_nn' is not the name of a pack, activation or softmax kernel"});
  check({"ns_per_element = 1.75\n",
         "ns_per_element = 1.75\n[[pack_result]]\nkernel = \"pack_rc\" #\nns_per_element = 2.0\n",
         "\"pack_rc\" #", "pack_result[1].kernel", "already has an entry"});
  check({"ns_per_element = 1.75\n", "ns_per_element = 1.75\nextent = 0\n", "extent = 0",
         "pack_result[0].extent", "must be positive"});
  check({"ns_per_element = 1.75\n", "ns_per_element = 1.75\nextent = 1000\n", "extent = 1000",
         "pack_result[0].extent", "must be absent, or different from 1000"});
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
  check({"void gemm_nt(", "void  gemm_nt(", digest.c_str(), "kernel[1].digest",
         "does not match source"});
  check({digest.c_str(), "xxh3-0", "xxh3-0\"", "kernel[1].digest", "does not match source"});
  const std::string first = compute_digest(sample_profile().kernels[0]);
  check({"build_options = \"-cl-mad-enable ", "build_options = \"", first.c_str(),
         "kernel[0].digest", "does not match source"});
}

}  // namespace
}  // namespace tilewright
