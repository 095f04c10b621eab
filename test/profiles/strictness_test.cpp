// Texts that are no profile: keys, types, ranges and words, with the line and the key in the error.
#include "catch.hpp"
#include "refused_edit.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

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
  check({"format = 1\n", "", "kind", "format", "first key"});
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
  check({"format = 1", "format = '1'", "format =", "format", "an integer"});
  check({"kind = \"tuned\"", "kind = 1", "kind", "kind", "a string"});
  check({"vendor = \"ARM\"", "vendor = [1]", "vendor", "device.vendor", "not an array"});
  check({"compute_units = 4", "compute_units = 4.0", "compute_units", "device.soft.compute_units",
         "an integer"});
  check({"image_support = true", "image_support = 'true'", "image_support",
         "device.limits.image_support", "a boolean"});
  check({"seed = \"42\"", "seed = 42", "seed = ", "provenance.seed", "a string"});
  for (const char* row :
       {"[990.25, 1000.5, 1100, 11]", "[990.25, 1000.5, 1100.0, 11.0]", "[990.25, 1000.5, 1100.0]",
        "[990.25, 1000.5, 1100.0, 11, 1]", "[990.25, 1000.5, true, 11]",
        "[990.25, 1000.5, 1100.0, 11, 0.5, 0.5, 1.0]"}) {
    check({"[990.25, 1000.5, 1100.0, 11]", row, "64x32x128", "result[0].64x32x128", "percentile"});
  }
  check({"[990.25, 1000.5, 1100.0, 11]", "1", "64x32x128", "result[0].64x32x128",
         "array of numbers"});
  check({"date = \"2014-07-01T12:00:00Z\"", "date = 2014-07-01", "date", "provenance.date",
         "an invalid number"});
  check({"work_group = [8, 4]", "work_group = 8", "work_group = ", "kernel[0].work_group",
         "array of integers"});
  check({"work_group = [8, 4]", "work_group = [8, 4.0]", "work_group = ", "kernel[0].work_group",
         "array of integers"});
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
  CHECK(std::string(plain->what()).find("at least one kernel") != std::string::npos);
  for (const char* kernel : {"kernel = 1\n", "kernel = [1]\n", "[kernel]\n", "[kernel.x]\n"}) {
    const auto refusal = find_refusal(with_digest(kind + kernel + provenance));
    INFO(kernel);
    REQUIRE(refusal);
    CHECK(refusal->key() == "kernel");
    CHECK(refusal->line() == 3);
    CHECK(std::string(refusal->what()).find("array of tables") != std::string::npos);
  }
}

TEST_CASE("integers outside their range are rejected") {
  check({"compute_units = 4", "compute_units = 2147483648", "compute_units",
         "device.soft.compute_units", "must be at most"});
  check({"compute_units = 4", "compute_units = -1", "compute_units", "device.soft.compute_units",
         "at least 0"});
  check({"1100.0, 11]", "1100.0, 99999999999]", "64x32x128", "result[0].64x32x128",
         "the number of samples"});
  check({"work_group = [8, 4]", "work_group = [4294967297, 4]",
         "work_group = ", "kernel[0].work_group", "must be at most"});
  check({"tile = [4, 8, 2]", "tile = [4, 8, -2147483649]", "tile = ", "kernel[0].tile",
         "must be at least"});
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

}  // namespace
}  // namespace tilewright
