#include "tuner/journal/records/tuning_json.hpp"

#include <cstdlib>

#include "codelets/model/gpu_facts_fields.hpp"
#include "codelets/point/space_limits_fields.hpp"
#include "runtime/call/gemm_shape.hpp"
#include "tuner/journal/records/json_error.hpp"
#include "tuner/journal/records/json_fields.hpp"

namespace tilewright {
namespace {

void round_numbers(nlohmann::json& json) {
  if (json.is_number_float()) {
    json = rounded(json.get<double>());
  } else if (json.is_structured()) {
    for (nlohmann::json& item : json) round_numbers(item);
  }
}

std::string_view to_text(WorkerActivityKind kind) {
  return kind == WorkerActivityKind::kStart   ? "start"
         : kind == WorkerActivityKind::kBuild ? "build"
                                              : "launch";
}

std::optional<WorkerActivityKind> parse_activity_kind(std::string_view text) {
  for (const WorkerActivityKind kind :
       {WorkerActivityKind::kStart, WorkerActivityKind::kBuild, WorkerActivityKind::kLaunch}) {
    if (to_text(kind) == text) return kind;
  }
  return std::nullopt;
}

std::optional<DeviceKind> parse_device_kind(std::string_view text) {
  for (const DeviceKind kind : {DeviceKind::kCpu, DeviceKind::kGpu, DeviceKind::kOther}) {
    if (tilewright::to_text(kind) == text) return kind;
  }
  return std::nullopt;
}

// Parses the text of a point with the given parser.
template <class Parse>
auto parsed_point(const nlohmann::json& json, const Parse& parse) {
  if (!json.is_string()) throw JsonError(to_short_json(json) + " is not a point");
  try {
    return parse(json.get_ref<const std::string&>());
  } catch (const ParameterError& error) {
    throw JsonError(fmt::format("{} is not a point: {}", to_short_json(json), error.what()));
  }
}

}  // namespace

double rounded(double value) {
  return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

std::string to_line(nlohmann::json json) {
  round_numbers(json);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string valid_utf8(const std::string& text) {
  return nlohmann::json::parse(to_line(text)).get<std::string>();
}

std::string pretty(const nlohmann::ordered_json& json) {
  // Messages of drivers and names of files need not be UTF-8.
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::json parse_line(std::string_view line) {
  try {
    return nlohmann::json::parse(line);
  } catch (const nlohmann::json::exception& error) {
    throw JsonError(json_error_text(error, line));
  }
}

std::string to_short_json(const nlohmann::json& json) {
  if (json.is_structured()) return fmt::format("an {}", json.type_name());
  constexpr std::size_t kMaxBytes = 100;
  const std::string text = to_line(json);
  return text.size() <= kMaxBytes ? text : text.substr(0, kMaxBytes) + "...";
}

// Defines the conversion of a type that is written as a word. An unknown word is an error.
#define TILEWRIGHT_JSON_WORD(Word, parse, description)                                             \
  void to_json(nlohmann::json& json, const Word& value) {                                          \
    json = to_text(value);                                                                         \
  }                                                                                                \
  void from_json(const nlohmann::json& json, Word& value) {                                        \
    const auto parsed = json.is_string() ? parse(json.get<std::string>()) : std::optional<Word>(); \
    if (!parsed) throw JsonError(to_short_json(json) + " is no " description);                     \
    value = *parsed;                                                                               \
  }

TILEWRIGHT_JSON_WORD(Op, parse_op, "op")
TILEWRIGHT_JSON_WORD(Precision, parse_precision, "precision")
TILEWRIGHT_JSON_WORD(OutcomeClass, parse_outcome_class, "result of a trial")
TILEWRIGHT_JSON_WORD(DeviceKind, parse_device_kind, "type of device")
TILEWRIGHT_JSON_WORD(WorkerActivityKind, parse_activity_kind, "kind of activity")
TILEWRIGHT_JSON_WORD(GemmShape, parse_shape, "shape MxNxK")
#undef TILEWRIGHT_JSON_WORD

void to_json(nlohmann::json& json, const KernelId& value) {
  json = value.text();
}
void from_json(const nlohmann::json& json, KernelId& value) {
  value = parsed_point(json, parse_kernel);
}
void to_json(nlohmann::json& json, const ParameterPoint& value) {
  json = to_text(value);
}
void from_json(const nlohmann::json& json, ParameterPoint& value) {
  value = parsed_point(json, parse_point);
}

// Limits and GPU facts have lists of their members elsewhere.
void to_json(nlohmann::json& json, const SpaceLimits& value) {
  FieldWriter fields(json);
  visit_space_limits(value, [&](const char* key, const auto& member) {
    if (key != kOptionalLimit || value.half_arithmetic) fields(key, member);
  });
}
void from_json(const nlohmann::json& json, SpaceLimits& value) {
  value = {};
  FieldReader fields(json);
  visit_space_limits(value, [&](const char* key, auto& member) {
    key == kOptionalLimit ? fields.optional(key, member) : fields(key, member);
  });
}

void to_json(nlohmann::json& json, const GpuFacts& value) {
  FieldWriter fields(json);
  visit_gpu_facts(value, [&](const char* key, const auto& member) { fields(key, member); });
  visit_optional_gpu_facts(value,
                           [&](const char* key, int member) { fields.optional(key, member); });
}
void from_json(const nlohmann::json& json, GpuFacts& value) {
  value = {};
  FieldReader fields(json);
  visit_gpu_facts(value, [&](const char* key, auto& member) { fields(key, member); });
  visit_optional_gpu_facts(value,
                           [&](const char* key, int& member) { fields.optional(key, member); });
}

// clang-format off
TILEWRIGHT_JSON(ShapeSamples,
  ("shape", r.shape)
  .optional("ns", r.ns).optional("reference_ns", r.reference_ns)
  .optional("reference_known_ns", r.reference_known_ns).optional("slice_m", r.slice_m)
  .optional("clocks_hz", r.clocks_hz).optional("rejected_ns", r.rejected_ns))

TILEWRIGHT_JSON(Outcome,
  ("point", r.kernel)("task", r.task)("result", r.result)
  .optional("name", r.name).optional("process", r.process).optional("round", r.round)
  .optional("reason", r.reason).optional("build_log", r.build_log)
  .optional("max_error", r.max_error).optional("took_s", r.took_s)
  .optional("predicted_ns", r.predicted_ns)
  .optional("reference", r.reference).optional("shapes", r.shapes))

TILEWRIGHT_JSON(Finalists, .optional("kernels", r.kernels).optional("baselines", r.baselines))

TILEWRIGHT_JSON(ValidatedProduct,
  ("op", r.op)("shape", r.shape)
  .optional("held_out", r.held_out).optional("plans", r.plans).optional("call_ns", r.call_ns)
  .optional("built_in_ns", r.built_in_ns).optional("max_times_call", r.max_times_call)
  .optional("launch_ns", r.launch_ns)
  .optional("other_profile", r.other_profile).optional("other_ns", r.other_ns)
  .optional("failure", r.failure))

TILEWRIGHT_JSON(DeviceLimits,
  .optional("max_work_group_size", r.max_work_group_size)
  .optional("max_work_item_sizes", r.max_work_item_sizes)
  .optional("local_memory_bytes", r.local_memory_bytes)
  .optional("local_memory_is_dedicated", r.local_memory_is_dedicated)
  .optional("image_support", r.image_support))

TILEWRIGHT_JSON(DeviceIdentity,
  ("vendor", r.vendor)("name", r.name)("opencl_c_version", r.opencl_c_version)("limits", r.limits)
  .optional("processor", r.processor)
  .optional("platform", r.platform).optional("driver", r.driver)
  .optional("compute_units", r.compute_units).optional("max_clock_mhz", r.max_clock_mhz))

TILEWRIGHT_JSON(DeviceInfo,
  ("identity", r.identity)("limits", r.limits)
  .optional("type", r.kind, d.kind)
  .optional("native_vector_width", r.native_vector_width, d.native_vector_width)
  .optional("has_double", r.has_double).optional("memory_bytes", r.memory_bytes)
  .optional("max_image_width", r.max_image_width).optional("max_image_height", r.max_image_height)
  .optional("max_buffer_bytes", r.max_buffer_bytes)
  .optional("min_work_group", r.min_work_group, d.min_work_group)
  .optional("side_by_side", r.side_by_side).optional("vector_registers", r.vector_registers)
  .optional("gpu", r.gpu).optional("name_is_shared", r.name_is_shared)
  .optional("clock_governor", r.clock_governor).optional("clock_path", r.clock_path)
  .optional("clock_warning", r.clock_warning))

TILEWRIGHT_JSON(MultiplyAddRate,
  ("vector_width", r.vector_width)("form", r.form)("gflops", r.gflops)
  .optional("precision", r.precision))

TILEWRIGHT_JSON(DeviceRates,
  .optional("event_time", r.event_time, d.event_time)
  .optional("multiply_adds", r.multiply_adds).optional("peak_gflops", r.peak_gflops)
  .optional("copy_gbytes_per_s", r.copy_gbytes_per_s)
  .optional("local_gbytes_per_s", r.local_gbytes_per_s)
  .optional("image_gbytes_per_s", r.image_gbytes_per_s)
  .optional("launch_ns", r.launch_ns).optional("round_trip_ns", r.round_trip_ns)
  .optional("timer_step_ns", r.timer_step_ns)
  .optional("double_peak_gflops", r.double_peak_gflops)
  .optional("half_peak_gflops", r.half_peak_gflops)
  .optional("half_is_emulated", r.half_is_emulated))

TILEWRIGHT_JSON(WorkerActivity,
  ("kind", r.kind).optional("what", r.what).optional("expected_s", r.expected_s)
  .optional("kernel", r.kernel).optional("is_new", r.is_new))

TILEWRIGHT_JSON(MeasureOptions,
  ("sample_ns", r.sample_ns)("samples", r.samples)("max_dispatch_ns", r.max_dispatch_ns)
  ("cold_caches", r.cold_caches)("event_time", r.event_time)("sysfs", r.sysfs)("seed", r.seed))

TILEWRIGHT_JSON(MeasureRequest,
  .optional("kernels", r.kernels).optional("names", r.names)
  .optional("task", r.task).optional("process", r.process).optional("round", r.round)
  .optional("expected_ns", r.expected_ns).optional("verify", r.verify, d.verify).optional("is_new", r.is_new, d.is_new)
  .optional("trying_s", r.trying_s, d.trying_s)
  .optional("max_rounds", r.max_rounds, d.max_rounds).optional("options", r.options, d.options)
  .optional("profile", r.profile).optional("shapes", r.shapes)
  .optional("one_process", r.one_process).optional("best_ns", r.best_ns)
  .optional("reference", r.reference).optional("reference_ns", r.reference_ns)
  .optional("max_kernels", r.max_kernels).optional("seconds", r.seconds))

TILEWRIGHT_JSON(OpenedDevice,
  ("device", r.device).optional("failures", r.failures)
  .optional("has_timer", r.has_timer, d.has_timer))

// clang-format on

void to_json(nlohmann::json& json, const MeasuredRates& value) {
  json = static_cast<const DeviceRates&>(value);
  if (value.partial) json["partial"] = true;
}
void from_json(const nlohmann::json& json, MeasuredRates& value) {
  value = {};
  json.get_to(static_cast<DeviceRates&>(value));
  FieldReader{json}.optional("partial", value.partial);
}

}  // namespace tilewright
