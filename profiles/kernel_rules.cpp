#include "kernel_rules.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "profiles/base/printable.hpp"
#include "source_rules.hpp"

namespace tilewright {
namespace {

void check_launch(const KernelRecord& kernel, const TomlTable& table) {
  const auto& [x, y] = kernel.work_group;
  // If the driver chooses the size, nothing in the kernel may depend on it.
  const bool free = x == 0 && y == 0 && kernel.work_group_k == 1 && kernel.local_bytes == 0;
  table.require(
      free || (x >= 1 && y >= 1), "work_group",
      "must be at least 1 each, or [0, 0] (the driver chooses), which needs a kernel without local "
      "memory");
  table.require(
      kernel.work_group_k == 1 || kernel.role == Role::kGemm, "work_group",
      "must have two elements: only gemm kernels have a third, for work-items that share k");
  table.require(
      kernel.stream_k == 0 ||
          (kernel.role == Role::kGemm && kernel.split_k == 1 && kernel.work_group_k == 1 && x >= 1),
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
  // Vectors have such lengths, and plans are stored by the largest power of two that divides the
  // alignment.
  constexpr int kMaxAlignment = 16;
  table.require(kernel.alignment >= 1 && kernel.alignment <= kMaxAlignment &&
                    (kernel.alignment & (kernel.alignment - 1)) == 0,
                "alignment", "must be a power of two up to 16");
  table.require(!kernel.any_c || product, "any_c",
                "must be absent: only gemm and gemv kernels have it");
  table.require(kernel.iteration_k == 1 || kernel.role == Role::kGemm, "iteration_k",
                "must be 1: only gemm kernels have vectors along k");
}

// Fields that only some roles use must be absent or have their neutral value for the others.
void check_role(const KernelRecord& kernel, const TomlTable& table) {
  const Role role = kernel.role;
  const bool product = is_product(role);
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
void check_layer(const KernelRecord& kernel, const TomlTable& table) {
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

void check_images(const KernelRecord& kernel, const TomlTable& table) {
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
void check_precision(const KernelRecord& kernel, const TomlTable& table) {
  const bool half_product = kernel.role == Role::kGemm && kernel.precision == Precision::kHalf &&
                            kernel.bias == Dimension::kNone &&
                            kernel.activation == Activation::kIdentity;
  table.require(
      kernel.accumulate_k == 0 || half_product, "accumulate_k",
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

void check_layouts(const KernelRecord& kernel, const TomlTable& table) {
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

void check_source(const KernelRecord& kernel, const TomlTable& table) {
  table.require(is_identifier(kernel.entry), "entry", "must be the name of an OpenCL C function");
  if (const auto option = forbidden_build_option(kernel.build_options)) {
    table.fail("build_options", in_quotes(*option) + " is not an allowed build option");
  }
  if (const auto reason = forbidden_source(kernel.source)) table.fail("source", *reason);
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

}  // namespace

std::optional<ExceededLimit> exceeded_limit(const KernelRecord& kernel,
                                            const DeviceLimits& limits) {
  const std::int64_t x = kernel.work_group[0];
  const std::int64_t y = kernel.work_group[1];
  if (x * y > limits.max_work_group_size / kernel.work_group_k) {
    // The product of three extents may overflow 64 bits.
    const std::string items = kernel.work_group_k == 1
                                  ? fmt::format("{}", x * y)
                                  : fmt::format("{} times {}", x * y, kernel.work_group_k);
    return ExceededLimit{
        "work_group",
        fmt::format("has {} work-items, but device.limits.max_work_group_size of this profile is "
                    "{}",
                    items, limits.max_work_group_size)};
  }
  if (x > limits.max_work_item_sizes[0] || y > limits.max_work_item_sizes[1]) {
    return ExceededLimit{"work_group", "exceeds device.limits.max_work_item_sizes of this profile"};
  }
  if (kernel.local_bytes > limits.local_memory_bytes) {
    return ExceededLimit{
        "local_bytes",
        fmt::format("is {}, but device.limits.local_memory_bytes of this profile is {}",
                    kernel.local_bytes, limits.local_memory_bytes)};
  }
  if (kernel.images != Images{} && !limits.image_support) {
    return ExceededLimit{"images",
                         "must be empty: device.limits.image_support of this profile is false"};
  }
  return std::nullopt;
}

void check_kernel(const KernelRecord& kernel, const TomlTable& table) {
  check_source(kernel, table);
  check_launch(kernel, table);
  check_role(kernel, table);
  check_layer(kernel, table);
  check_images(kernel, table);
  check_layouts(kernel, table);
  check_precision(kernel, table);
}

}  // namespace tilewright
