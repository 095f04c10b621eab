#include "profile_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profiles/base/printable.hpp"
#include "profiles/digest.hpp"
#include "result_rules.hpp"
#include "rule_table.hpp"
#include "source_rules.hpp"

namespace tilewright {
namespace {

void check_device(const DeviceIdentity& device, std::vector<Violation>& found) {
  const DeviceLimits& limits = device.limits;
  const RuleTable table("device.limits", found);
  table.require(limits.max_work_group_size >= 1, "max_work_group_size", "must be at least 1");
  table.require(limits.max_work_item_sizes[0] >= 1 && limits.max_work_item_sizes[1] >= 1,
                "max_work_item_sizes", "must be at least 1 each");
  table.require(limits.local_memory_bytes >= 0, "local_memory_bytes", "must not be negative");
  RuleTable("device.soft", found)
      .require(device.compute_units >= 0, "compute_units", "must not be negative");
  RuleTable("device.information", found)
      .require(device.max_clock_mhz >= 0, "max_clock_mhz", "must not be negative");
}

// A predicted profile is for all devices of its name, with any driver.
void check_predicted(const DeviceIdentity& device, std::vector<Violation>& found) {
  const RuleTable table("device", found);
  table.require(!device.name.empty(), "name",
                "must not be empty: it is the device's name or a part of it");
  const char* const kWhy = "must be empty: a predicted profile is for all devices with its name";
  table.require(device.vendor.empty(), "vendor", kWhy);
  table.require(device.opencl_c_version.empty(), "opencl_c_version", kWhy);
  table.require(device.processor.empty(), "processor",
                "must be absent: a predicted profile is for all devices of its name");
  const RuleTable soft("device.soft", found);
  soft.require(device.platform.empty(), "platform", kWhy);
  soft.require(device.driver.empty(), "driver", kWhy);
}

void check_multiply_adds(const DeviceRates& rates, std::vector<Violation>& found) {
  std::set<std::tuple<Precision, int, std::string_view>> seen;
  std::map<Precision, double> most;
  for (std::size_t i = 0; i < rates.multiply_adds.size(); ++i) {
    const MultiplyAddRate& rate = rates.multiply_adds[i];
    const RuleTable table("multiply_add", i, found);
    table.require(rate.vector_width >= 1 && rate.vector_width <= 16, "vector_width",
                  "must be between 1 and 16");
    const std::string_view form = rate.form;
    table.require(form == "expression" || form == "mad" || form == "fma", "form",
                  fmt::format("is {}, not one of: expression, mad, fma", in_quotes(form)));
    table.require(seen.insert({rate.precision, rate.vector_width, form}).second, "form",
                  "already has an entry with the same vector_width");
    check_rate(rate.gflops, "gflops", table);
    double& of_type = most[rate.precision];
    of_type = std::max(of_type, rate.gflops);
  }
  const std::pair<Precision, const char*> peaks[] = {{Precision::kSingle, "peak_gflops"},
                                                     {Precision::kDouble, "double_peak_gflops"},
                                                     {Precision::kHalf, "half_peak_gflops"}};
  for (const auto& [precision, key] : peaks) {
    const double peak = arithmetic_peak(rates, precision);
    const auto of_type = most.find(precision);
    const double least = of_type == most.end() ? 0.0 : of_type->second;
    const std::string type =
        precision == Precision::kSingle ? "" : fmt::format(" in {}", elements_text(precision));
    RuleTable("rates", found)
        .require(of_type == most.end() ? peak == 0.0 : peak >= least, key,
                 fmt::format("must be at least the highest gflops of [[multiply_add]]{}, {}", type,
                             least));
  }
}

void check_rates(const DeviceRates& rates, std::vector<Violation>& found) {
  const RuleTable table("rates", found);
  check_rate(rates.peak_gflops, "peak_gflops", table);
  check_rate(rates.double_peak_gflops, "double_peak_gflops", table);
  check_rate(rates.half_peak_gflops, "half_peak_gflops", table);
  table.require(!rates.half_is_emulated || rates.half_peak_gflops == 0.0, "half_is_emulated",
                "must be absent if half_peak_gflops is measured");
  check_rate(rates.copy_gbytes_per_s, "copy_gbytes_per_s", table);
  check_rate(rates.local_gbytes_per_s, "local_gbytes_per_s", table);
  check_rate(rates.image_gbytes_per_s, "image_gbytes_per_s", table);
  check_rate(rates.launch_ns, "launch_ns", table);
  check_rate(rates.round_trip_ns, "round_trip_ns", table);
  check_rate(rates.timer_step_ns, "timer_step_ns", table);
  check_multiply_adds(rates, found);
}

void check_launch(const KernelRecord& kernel, const RuleTable& table) {
  const auto& [x, y] = kernel.work_group;
  // If the driver chooses the size, nothing in the kernel may depend on it.
  const bool free = x == 0 && y == 0 && kernel.work_group_k == 1 && kernel.local_bytes == 0;
  table.require(
      free || (x >= 1 && y >= 1 && kernel.work_group_k >= 1), "work_group",
      "must be at least 1 each, or [0, 0] (the driver chooses), which needs a kernel without local "
      "memory");
  table.require(
      kernel.work_group_k == 1 || kernel.role == Role::kGemm, "work_group",
      "must have two elements: only gemm kernels have a third, for work-items that share k");
  table.require(kernel.split_k >= 1, "split_k", "must be at least 1");
  table.require(
      kernel.stream_k == 0 || (kernel.stream_k > 0 && kernel.role == Role::kGemm &&
                               kernel.split_k == 1 && kernel.work_group_k == 1 && x >= 1),
      "stream_k",
      "must be absent: only gemm kernels without split_k and with a work-group of two fixed "
      "elements divide k evenly");
  const bool product = is_product(kernel.role);
  table.require(
      !kernel.batched || (product && kernel.split_k == 1 && kernel.stream_k == 0 &&
                          kernel.work_group_k == 1 && kernel.images == Images{}),
      "batched",
      "must be absent: only gemm and gemv kernels compute batches, and not those with images, "
      "split_k above 1 or work-items in dimension 2");
  table.require(kernel.local_bytes >= 0, "local_bytes", "must not be negative");
  const auto positive = [](const Tile& t) { return t.m >= 1 && t.n >= 1 && t.k >= 1; };
  table.require(positive(kernel.tile), "tile", "must be at least 1 each");
  table.require(positive(kernel.multiples), "multiples", "must be at least 1 each");
  // Vectors have such lengths, and plans are stored by the largest power of two that divides the
  // alignment.
  constexpr int kMaxAlignment = 16;
  table.require(kernel.alignment >= 1 && kernel.alignment <= kMaxAlignment &&
                    (kernel.alignment & (kernel.alignment - 1)) == 0,
                "alignment", "must be a power of two up to 16");
  table.require(!kernel.any_c || product, "any_c",
                "must be absent: only gemm and gemv kernels have it");
  table.require(kernel.vector_width >= 1 && kernel.vector_width <= 16, "vector_width",
                "must be between 1 and 16");
  table.require(kernel.iteration_k >= 1, "iteration_k", "must be at least 1");
  table.require(kernel.iteration_k == 1 || kernel.role == Role::kGemm, "iteration_k",
                "must be 1: only gemm kernels have vectors along k");
}

void check_limits(const KernelRecord& kernel, const DeviceLimits& limits, const RuleTable& table) {
  const std::int64_t x = kernel.work_group[0];
  const std::int64_t y = kernel.work_group[1];
  table.require(
      x * y <= limits.max_work_group_size / std::max(kernel.work_group_k, 1), "work_group", [&] {
        // The product of three extents may overflow 64 bits.
        const std::string items = kernel.work_group_k == 1
                                      ? fmt::format("{}", x * y)
                                      : fmt::format("{} times {}", x * y, kernel.work_group_k);
        return fmt::format(
            "has {} work-items, but device.limits.max_work_group_size of this profile is "
            "{}",
            items, limits.max_work_group_size);
      });
  table.require(x <= limits.max_work_item_sizes[0] && y <= limits.max_work_item_sizes[1],
                "work_group", "exceeds device.limits.max_work_item_sizes of this profile");
  table.require(kernel.local_bytes <= limits.local_memory_bytes, "local_bytes", [&] {
    return fmt::format("is {}, but device.limits.local_memory_bytes of this profile is {}",
                       kernel.local_bytes, limits.local_memory_bytes);
  });
  table.require(kernel.images == Images{} || limits.image_support, "images",
                "must be empty: device.limits.image_support of this profile is false");
}

// Fields that only some roles use must be absent or have their neutral value for the others.
void check_role(const KernelRecord& kernel, const RuleTable& table) {
  const Role role = kernel.role;
  const bool product = is_product(role);
  table.require(!product || kernel.layout_b, "layout_b",
                "is missing: gemm and gemv kernels have an operand B");
  table.require(product || !kernel.layout_b, "layout_b",
                "must be absent: only gemm and gemv kernels have an operand B");
  const bool scales = product || role == Role::kReduce;
  table.require(kernel.epilogue == (scales ? Epilogue::kAlphaBeta : Epilogue::kNone), "epilogue",
                scales ? "must be 'alpha_beta' for gemm, gemv and reduce kernels"
                       : "must be 'none' for pack, activation and softmax kernels");
  table.require((role == Role::kGemv) == (kernel.narrow != Dimension::kNone), "narrow",
                role == Role::kGemv ? "must be 'm' or 'n' for a gemv kernel"
                                    : "must be 'none': only gemv kernels have a narrow dimension");
  table.require(product || kernel.split_k == 1, "split_k",
                "must be 1: only gemm and gemv kernels split k");
  table.require(product || kernel.edges == Edges::kGuarded, "edges",
                "must be 'guarded': only gemm and gemv kernels have padded operands");
  // The parts of a divided k are incomplete sums, so nothing can be applied to them.
  const bool applies =
      (scales || role == Role::kActivation) && kernel.split_k == 1 && kernel.stream_k == 0;
  table.require(applies || kernel.bias == Dimension::kNone, "bias",
                "must be 'none': pack and softmax kernels, and kernels that split k, add no bias");
  const bool is_log = kernel.activation == Activation::kLogSoftmax;
  table.require(role == Role::kSoftmax || !is_log, "activation",
                "must not be 'log': only softmax kernels compute logarithms");
  table.require(
      applies || (is_log && role == Role::kSoftmax) || kernel.activation == Activation::kIdentity,
      "activation",
      "must be 'identity' (or 'log' for softmax): pack and softmax kernels, and kernels that split "
      "k, apply no activation");
  table.require(kernel.id_order != IdOrder::kFlat || role == Role::kActivation, "id_order",
                "must be 'nm' or 'mn': only activation kernels run along memory");
}

// Activation and softmax kernels support any offset and any extents.
void check_layer(const KernelRecord& kernel, const RuleTable& table) {
  if (kernel.role != Role::kActivation && kernel.role != Role::kSoftmax) return;
  table.require(kernel.layout_c == kernel.layout_a, "layout_c",
                "must be layout_a: activation and softmax kernels do not change the layout");
  table.require(kernel.multiples == Tile{}, "multiples",
                "must be 1 each: activation and softmax kernels support all dimensions");
  table.require(kernel.alignment == 1, "alignment",
                "must be 1: activation and softmax kernels support all offsets");
  table.require(kernel.role == Role::kActivation || kernel.id_order == IdOrder::kNM, "id_order",
                "must be 'nm': the work-items of a softmax kernel share rows along global id 0");
  if (kernel.id_order != IdOrder::kFlat) return;
  table.require(kernel.work_group[1] <= 1, "work_group",
                "must have 1 in dimension 1: id_order is 'flat'");
  table.require(kernel.tile.m == 1, "tile", "must have 1 row: id_order is 'flat'");
}

void check_images(const KernelRecord& kernel, const RuleTable& table) {
  const Images& images = kernel.images;
  table.require((!images.a && !images.b) || kernel.role == Role::kGemm, "images",
                "must not have a or b: only gemm kernels read images");
  table.require(!images.c || kernel.role == Role::kPack, "images",
                "must not have c: only pack kernels write images");
  const auto plain = [&](bool image, const Layout& layout, std::string_view key) {
    table.require(!image || layout.is_plain(), key, "must be R or C: the matrix is an image");
  };
  plain(images.a, kernel.layout_a, "layout_a");
  plain(images.b, kernel.layout_b.value_or(Layout()), "layout_b");
  plain(images.c, kernel.layout_c, "layout_c");
}

// Images need single precision, networks single or half precision.
void check_precision(const KernelRecord& kernel, const RuleTable& table) {
  const bool half_product = kernel.role == Role::kGemm && kernel.precision == Precision::kHalf &&
                            kernel.bias == Dimension::kNone &&
                            kernel.activation == Activation::kIdentity;
  table.require(
      kernel.accumulate_k == 0 || (half_product && kernel.accumulate_k > 0), "accumulate_k",
      "must be absent: only half-precision gemm kernels without bias and activation accumulate in "
      "half precision");
  if (kernel.precision == Precision::kSingle) return;
  table.require(kernel.images == Images{}, "images",
                "must be empty: images hold single-precision numbers");
  if (is_network_type(kernel.precision)) return;
  table.require(
      kernel.role != Role::kActivation && kernel.role != Role::kSoftmax, "precision",
      "must be absent or 'h': there are no double-precision activation and softmax kernels");
  table.require(kernel.bias == Dimension::kNone, "bias",
                "must be 'none': double-precision kernels add no bias");
  table.require(kernel.activation == Activation::kIdentity, "activation",
                "must be 'identity': double-precision kernels apply no activation");
}

void check_layouts(const KernelRecord& kernel, const RuleTable& table) {
  if (kernel.role == Role::kReduce) {
    table.require(kernel.layout_a == Layout::R(), "layout_a", "must be R for a reduce kernel");
    table.require(kernel.layout_c == Layout::R(), "layout_c", "must be R for a reduce kernel");
  }
  const bool has_parts = kernel.split_k > 1 || kernel.stream_k > 0;
  table.require(!has_parts || kernel.layout_c == Layout::R(), "layout_c",
                "must be R: the parts of a split k are stored row by row");
  if (!kernel.layout_b) return;  // not a product
  const Tile& multiples = kernel.multiples;
  const auto holds_chunks = [](const Layout& layout, int rows, int columns) {
    return rows % layout.chunk_rows() == 0 && columns % layout.chunk_columns() == 0;
  };
  table.require(holds_chunks(kernel.layout_a, multiples.m, multiples.k), "multiples",
                "must be whole blocks of layout_a in m and k");
  table.require(holds_chunks(*kernel.layout_b, multiples.k, multiples.n), "multiples",
                "must be whole blocks of layout_b in k and n");
  table.require(holds_chunks(kernel.layout_c, multiples.m, multiples.n), "multiples",
                "must be whole blocks of layout_c in m and n");
}

void check_source(const KernelRecord& kernel, const RuleTable& table) {
  table.require(is_identifier(kernel.entry), "entry", "must be the name of an OpenCL C function");
  if (const auto option = forbidden_build_option(kernel.build_options)) {
    table.require(false, "build_options", in_quotes(*option) + " is not an allowed build option");
  }
  if (const auto reason = forbidden_source(kernel.source)) {
    table.require(false, "source", *reason);
  } else {
    table.require(declares_kernel(kernel.source, kernel.entry), "entry", [&] {
      return in_quotes(kernel.entry) + " is not a __kernel function of the source";
    });
    // Pack kernels store whole vectors only where they find that the address allows it.
    const int width = is_product(kernel.role) ? widest_global_vector(kernel.source) : 1;
    table.require(kernel.alignment >= width, "alignment", [&] {
      return fmt::format("is {}, but the source accesses whole vectors of {} elements",
                         kernel.alignment, width);
    });
  }
}

void check_kernels(const Profile& profile, std::vector<Violation>& found) {
  // All kernels of a tuned profile may be built-in kernels that this program no longer has.
  if (profile.kernels.empty() && profile.kind != ProfileKind::kTuned) {
    found.push_back({"kernel", "is missing: a profile needs at least one kernel"});
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const KernelRecord& kernel = profile.kernels[i];
    const RuleTable table("kernel", i, found);
    table.require(!kernel.name.empty(), "name", "must not be empty");
    table.require(!kernel.built_in || profile.kind != ProfileKind::kGeneric, "name",
                  "must not be that of a built-in kernel: a generic profile refers to no other");
    table.require(names.insert(kernel.name).second, "name", [&] {
      return in_quotes(kernel.name) + " is also the name of an earlier kernel";
    });
    check_source(kernel, table);
    check_launch(kernel, table);
    if (profile.kind != ProfileKind::kGeneric) {
      check_limits(kernel, profile.device.limits, table);
      table.require(kernel.classes.empty(), "classes",
                    "must be absent: only generic profiles have kernels for classes of devices");
    }
    check_role(kernel, table);
    check_layer(kernel, table);
    check_images(kernel, table);
    check_layouts(kernel, table);
    check_precision(kernel, table);
  }
}

}  // namespace

std::vector<Violation> violations(const Profile& profile) {
  std::vector<Violation> found;
  if (profile.kind != ProfileKind::kGeneric) {
    check_device(profile.device, found);
    check_rates(profile.rates, found);
  }
  if (profile.kind == ProfileKind::kPredicted) check_predicted(profile.device, found);
  check_validation(profile, found);
  check_kernels(profile, found);
  check_results(profile, found);
  check_pack_results(profile, found);
  check_models(profile, found);
  return found;
}

std::string digest_table(std::string_view body) {
  return fmt::format("[digest]\nprofile = \"{}\"\n", digest_bytes(body));
}

}  // namespace tilewright
