// Converts nodes that only change the extents of a value.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "onnx/onnx_importer.hpp"

namespace tilewright {

OnnxImporter::Computed OnnxImporter::identity(const Node& node) {
  return std::get<Computed>(expect(node, 0, "value"));
}

// In inference Dropout changes nothing.
OnnxImporter::Computed OnnxImporter::dropout(const Node& node) {
  const Computed x = expect_computed(node);
  const auto training = optional_numbers(node, 2, "training_mode");
  if (training && std::any_of(training->values.begin(), training->values.end(),
                              [](double value) { return value != 0.0; })) {
    node.place.fail("is in training mode; export the network for inference");
  }
  return x;
}

// Unknown extents become placeholders.
ConstantTensor OnnxImporter::shape_tensor(const Node& node, const Computed& x) const {
  std::vector<double> extents;
  for (const std::int64_t extent : x.extents) {
    extents.push_back(extent == kBatch     ? batch_extent()
                      : extent == kUnknown ? unknown_extent()
                                           : static_cast<double>(extent));
  }
  return extents_tensor(node.proto, extents, node.place);
}

OnnxImporter::Computed OnnxImporter::flatten(const Node& node) {
  const Computed x = expect_computed(node);
  const auto rank = static_cast<std::int64_t>(x.extents.size());
  const std::int64_t given = integer_attribute(node.proto, "axis", 1, node.place);
  const std::int64_t axis = given < 0 ? given + rank : given;
  const auto refuse = [&] {
    node.place.fail(
        fmt::format("has axis {}; only 1, one row per sample, is supported; export it so", given));
  };
  if (axis < 0 || axis > rank) refuse();
  const Extents outer(x.extents.begin(), x.extents.begin() + axis);
  const Extents inner(x.extents.begin() + axis, x.extents.end());
  const bool has_samples = batch_axis(x.extents).has_value();
  if (has_samples && (!batch_axis(outer) || columns(outer).value_or(0) != 1)) refuse();
  const std::int64_t rows = has_samples ? kBatch : columns(outer).value_or(kUnknown);
  return {x.value, {rows, columns(inner).value_or(kUnknown)}, false};
}

// Accepts all extents that do not mix samples.
OnnxImporter::Computed OnnxImporter::reshape(const Node& node) {
  const Computed x = expect_computed(node);
  const ConstantTensor shape = numbers(node, expect_constant(node, 1, "shape"));
  const bool zero_is_zero = integer_attribute(node.proto, "allowzero", 0, node.place) != 0;
  const auto width = columns(x.extents);
  std::vector<std::string> texts;
  for (const double extent : shape.values) {
    texts.push_back(is_batch_extent(extent)     ? "batch"
                    : is_unknown_extent(extent) ? "an unknown extent"
                                                : fmt::format("{}", extent));
  }
  const auto refuse = [&] {
    node.place.fail(fmt::format(
        "makes {} of samples of {} elements; only one row per sample is supported: export it "
        "with the shape [-1, columns]",
        fmt::join(texts, " x "), width ? fmt::format("{}", *width) : "an unknown number of"));
  };
  // The extents, with kOpen for the one that must be computed.
  constexpr std::int64_t kOpen = -2;
  Extents extents;
  for (std::size_t i = 0; i < shape.values.size(); ++i) {
    // Reshape computes at most one extent that is not known, as if it were -1.
    const double given = is_unknown_extent(shape.values[i]) ? -1.0 : shape.values[i];
    const bool copies = given == 0.0 && !zero_is_zero;
    if (copies && i >= x.extents.size()) refuse();
    if (!is_batch_extent(given) && !copies && given != -1.0 && !(given >= 1.0)) refuse();
    extents.push_back(is_batch_extent(given) ? kBatch
                      : copies               ? x.extents[i]
                      : given == -1.0        ? kOpen
                                             : to_integer(given, node.place));
    if (extents.back() == kUnknown) extents.back() = kOpen;
  }
  if (std::count(extents.begin(), extents.end(), kOpen) > 1 ||
      std::count(extents.begin(), extents.end(), kBatch) > 1) {
    refuse();
  }
  const auto open = std::find(extents.begin(), extents.end(), kOpen);
  std::int64_t known = 1;  // product of the extents, without the open extent and the batch
  for (const std::int64_t extent : extents) {
    if (extent < 1) continue;
    if (known > std::numeric_limits<std::int64_t>::max() / extent) refuse();
    known *= extent;
  }
  const bool has_samples = batch_axis(x.extents).has_value();
  const auto is_one = [](std::int64_t extent) { return extent == 1; };
  const auto samples_first = [&](const Extents& of) {
    const auto at = static_cast<std::ptrdiff_t>(batch_axis(of).value_or(0));
    return std::all_of(of.begin(), of.begin() + at, is_one);
  };
  if (!samples_first(x.extents)) {
    node.place.fail("reads a value whose first dimension is not the batch; transpose it before");
  }
  const auto fill_open = [&] {
    if (open == extents.end()) {
      if (width && *width != known) refuse();
      return;
    }
    if (width && *width % known != 0) refuse();
    *open = width ? *width / known : kUnknown;
  };
  if (batch_axis(extents) || !has_samples) {
    if (batch_axis(extents) && !has_samples) refuse();
    fill_open();
  } else if (open != extents.end() && std::all_of(extents.begin(), open, is_one) &&
             (width ? *width == known : open == extents.begin())) {
    *open = kBatch;
  } else if (!extents.empty() && extents.front() > 0 && extents.front() == file_batch_ &&
             (open != extents.end() || !width || known / extents.front() == *width)) {
    known /= extents.front();
    extents.front() = kBatch;
    fill_open();
  } else if (open == extents.end() && width && !extents.empty() &&
             known / extents.front() == *width && extents.front() * *width == known) {
    extents.front() = kBatch;  // a row has as many elements as a sample
  } else if (file_batch_ == 1 && (open != extents.end() || width == known)) {
    fill_open();  // of one sample
  } else if (open == extents.begin() && open != extents.end() && known == 1 && width) {
    return {x.value, {kBatch, 1}, true};
  } else if (!extents.empty() && extents.front() > 0 && (open != extents.end() || !width)) {
    node.place.fail(fmt::format(
        "makes {} rows of a batch whose size {}; only one row per sample is supported: export it "
        "with the shape [-1, columns]",
        extents.front(),
        file_batch_ == kUnknown ? "the file leaves open" : fmt::format("is {}", file_batch_)));
  } else {
    refuse();
  }
  if (!samples_first(extents)) refuse();
  return {x.value, std::move(extents), false};
}

OnnxImporter::Computed OnnxImporter::squeeze(const Node& node) {
  Computed x = expect_computed(node);
  const std::vector<std::int64_t> dropped = axes(node, 1, "axes");
  // If the file has one sample, the batch dimension may be removed.
  for (const std::int64_t axis : dropped) {
    const auto at = static_cast<std::size_t>(checked_axis(axis, x.extents.size(), node.place));
    if (x.extents[at] == kBatch && file_batch_ == 1) x.extents[at] = 1;
  }
  x.extents = squeeze_extents(x.extents, dropped, node.place);
  return x;
}

OnnxImporter::Computed OnnxImporter::unsqueeze(const Node& node) {
  Computed x = expect_computed(node);
  x.extents = unsqueeze_extents(x.extents, axes(node, 1, "axes"), node.place);
  return x;
}

}  // namespace tilewright
