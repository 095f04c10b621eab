#include "tuner/records/tuning_json.hpp"

#include <cmath>

#include "codelets/model/gpu_facts_fields.hpp"
#include "codelets/point/space_limits_fields.hpp"
#include "tuner/records/json_error.hpp"
#include "tuner/records/json_fields.hpp"

namespace tilewright {
namespace {

double rounded(double value, double per_unit) {
  constexpr double kMost = 1e12;  // beyond, a double is no finer anyhow
  return std::abs(value) < kMost ? std::round(value * per_unit) / per_unit : value;
}

}  // namespace

// The members of every record, with their keys.
template <class Visit>
void visit_fields(Fields<ShapeSamples>, Visit& visit) {
  visit.required("shape", &ShapeSamples::shape);
  visit.optional_ns("ns", &ShapeSamples::ns);
  visit.optional_ns("reference_ns", &ShapeSamples::reference_ns);
  visit.optional_ns("reference_known_ns", &ShapeSamples::reference_known_ns);
  visit.optional("slice_m", &ShapeSamples::slice_m);
  visit.optional("clocks_hz", &ShapeSamples::clocks_hz);
  visit.optional_ns("rejected_ns", &ShapeSamples::rejected_ns);
}

template <class Visit>
void visit_fields(Fields<Outcome>, Visit& visit) {
  visit.required("point", &Outcome::kernel);
  visit.required("phase", &Outcome::phase);
  visit.required("result", &Outcome::result);
  visit.optional("reason", &Outcome::reason);
  visit.optional("build_log", &Outcome::build_log);
  visit.optional("max_error", &Outcome::max_error);
  visit.optional_s("took_s", &Outcome::took_s);
  visit.optional_s("at_s", &Outcome::at_s);
  visit.optional("reference", &Outcome::reference);
  visit.optional("shapes", &Outcome::shapes);
}

template <class Visit>
void visit_fields(Fields<FinalPlan>, Visit& visit) {
  visit.required("op", &FinalPlan::op);
  visit.required("finalist", &FinalPlan::finalist);
}

template <class Visit>
void visit_fields(Fields<Lineup>, Visit& visit) {
  visit.optional("finalists", &Lineup::finalists);
  visit.optional("plans", &Lineup::plans);
  visit.optional("baselines", &Lineup::baselines);
}

template <class Visit>
void visit_fields(Fields<Round>, Visit& visit) {
  visit.optional("block", &Round::block);
  visit.optional("round", &Round::round);
  visit.required("shape", &Round::shape);
  visit.optional_ns("ns", &Round::ns);
  visit.optional("clocks_hz", &Round::clocks_hz);
  visit.optional_ns("rejected_ns", &Round::rejected_ns);
}

template <class Visit>
void visit_fields(Fields<DeviceLimits>, Visit& visit) {
  visit.optional("max_work_group_size", &DeviceLimits::max_work_group_size);
  visit.optional("max_work_item_sizes", &DeviceLimits::max_work_item_sizes);
  visit.optional("local_memory_bytes", &DeviceLimits::local_memory_bytes);
  visit.optional("local_memory_is_dedicated", &DeviceLimits::local_memory_is_dedicated);
  visit.optional("image_support", &DeviceLimits::image_support);
}

template <class Visit>
void visit_fields(Fields<DeviceIdentity>, Visit& visit) {
  visit.required("vendor", &DeviceIdentity::vendor);
  visit.required("name", &DeviceIdentity::name);
  visit.required("opencl_c_version", &DeviceIdentity::opencl_c_version);
  visit.required("limits", &DeviceIdentity::limits);
  visit.optional("platform", &DeviceIdentity::platform);
  visit.optional("driver", &DeviceIdentity::driver);
  visit.optional("compute_units", &DeviceIdentity::compute_units);
  visit.optional("max_clock_mhz", &DeviceIdentity::max_clock_mhz);
}

template <class Visit>
void visit_fields(Fields<DeviceInfo>, Visit& visit) {
  visit.required("identity", &DeviceInfo::identity);
  visit.optional("type", &DeviceInfo::kind);
  visit.optional("native_vector_width", &DeviceInfo::native_vector_width);
  visit.optional("has_double", &DeviceInfo::has_double);
  visit.optional("memory_bytes", &DeviceInfo::memory_bytes);
  visit.optional("max_image_width", &DeviceInfo::max_image_width);
  visit.optional("max_image_height", &DeviceInfo::max_image_height);
  visit.optional("max_buffer_bytes", &DeviceInfo::max_buffer_bytes);
  visit.required("limits", &DeviceInfo::limits);
  visit.optional("least_work_group", &DeviceInfo::least_work_group);
  visit.optional("side_by_side", &DeviceInfo::side_by_side);
  visit.optional("vector_registers", &DeviceInfo::vector_registers);
  visit.optional("gpu", &DeviceInfo::gpu);
  visit.optional("name_is_shared", &DeviceInfo::name_is_shared);
  visit.optional("clock_governor", &DeviceInfo::clock_governor);
  visit.optional("clock_path", &DeviceInfo::clock_path);
  visit.optional("clock_warning", &DeviceInfo::clock_warning);
}

template <class Visit>
void visit_fields(Fields<MultiplyAddRate>, Visit& visit) {
  visit.required("vector_width", &MultiplyAddRate::vector_width);
  visit.required("spelling", &MultiplyAddRate::form);
  visit.required("gflops", &MultiplyAddRate::gflops);
  visit.optional("precision", &MultiplyAddRate::precision);
}

template <class Visit>
void visit_fields(Fields<DeviceRates>, Visit& visit) {
  visit.optional("multiply_adds", &DeviceRates::multiply_adds);
  visit.optional("peak_gflops", &DeviceRates::peak_gflops);
  visit.optional("copy_gbytes_per_s", &DeviceRates::copy_gbytes_per_s);
  visit.optional("local_gbytes_per_s", &DeviceRates::local_gbytes_per_s);
  visit.optional("image_gbytes_per_s", &DeviceRates::image_gbytes_per_s);
  visit.optional("launch_ns", &DeviceRates::launch_ns);
  visit.optional("round_trip_ns", &DeviceRates::round_trip_ns);
  visit.optional("timer_step_ns", &DeviceRates::timer_step_ns);
  visit.optional("event_time", &DeviceRates::event_time);
  visit.optional("double_peak_gflops", &DeviceRates::double_peak_gflops);
  visit.optional("half_peak_gflops", &DeviceRates::half_peak_gflops);
  visit.optional("half_is_emulated", &DeviceRates::half_is_emulated);
}

template <class Visit>
void visit_fields(Fields<WorkerActivity>, Visit& visit) {
  visit.required("kind", &WorkerActivity::kind);
  visit.optional("what", &WorkerActivity::what);
  visit.optional_s("expected_s", &WorkerActivity::expected_s);
}

template <class Visit>
void visit_fields(Fields<MeasureOptions>, Visit& visit) {
  // All of them: a later version may have other defaults, and what was measured stays as it was.
  visit.required("sample_ns", &MeasureOptions::sample_ns);
  visit.required("samples", &MeasureOptions::samples);
  visit.required("max_dispatch_ns", &MeasureOptions::max_dispatch_ns);
  visit.required("cold_caches", &MeasureOptions::cold_caches);
  visit.required("event_time", &MeasureOptions::event_time);
  visit.required("sysfs", &MeasureOptions::sysfs);
  visit.required("seed", &MeasureOptions::seed);
}

template <class Visit>
void visit_fields(Fields<MeasureRequest>, Visit& visit) {
  visit.required("kernels", &MeasureRequest::kernels);
  visit.optional("profile", &MeasureRequest::profile);
  visit.optional("names", &MeasureRequest::names);
  visit.optional("shapes", &MeasureRequest::shapes);
  visit.optional("verify", &MeasureRequest::verify);
  visit.optional("is_new", &MeasureRequest::is_new);
  visit.optional("one_process", &MeasureRequest::one_process);
  visit.optional_ns("best_ns", &MeasureRequest::best_ns);
  visit.optional("reference", &MeasureRequest::reference);
  visit.optional_ns("reference_ns", &MeasureRequest::reference_ns);
  visit.optional_ns("expected_ns", &MeasureRequest::expected_ns);
  visit.optional("most_kernels", &MeasureRequest::most_kernels);
  visit.optional_ns("trying_s", &MeasureRequest::trying_s);
  visit.optional("seconds", &MeasureRequest::seconds);
  visit.optional("most_rounds", &MeasureRequest::most_rounds);
  visit.optional("options", &MeasureRequest::options);
}

template <class Visit>
void visit_fields(Fields<MeasureReply>, Visit& visit) {
  visit.required("outcomes", &MeasureReply::outcomes);
  visit.optional("device_time", &MeasureReply::device_time);
  visit.optional("worker_lost", &MeasureReply::worker_lost);
  visit.optional("large_bytes", &MeasureReply::large_bytes);
}

template <class Visit>
void visit_fields(Fields<RatesReply>, Visit& visit) {
  visit.required("rates", &RatesReply::rates);
  visit.optional("partial", &RatesReply::partial);
}

template <class Visit>
void visit_fields(Fields<RoundReply>, Visit& visit) {
  visit.required("round", &RoundReply::round);
  visit.optional("failures", &RoundReply::failures);
}

template <class Visit>
void visit_fields(Fields<PackReply>, Visit& visit) {
  visit.required("point", &PackReply::kernel);
  visit.optional("ns_per_element", &PackReply::ns_per_element);
}

std::string to_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string pretty(const nlohmann::ordered_json& json) {
  // Words of drivers, and names of files, need not be UTF-8.
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::json parse_line(std::string_view line) {
  try {
    return nlohmann::json::parse(line);
  } catch (const nlohmann::json::exception& error) {
    throw JsonError(json_error_text(error, line));
  }
}

std::string shown(const nlohmann::json& json) {
  if (json.is_structured()) return fmt::format("an {}", json.type_name());
  constexpr std::size_t kMost = 100;
  const std::string text = to_line(json);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

double rounded_ns(double ns) {
  constexpr double kFirstRounded = 1000.0;
  return ns < kFirstRounded ? ns : rounded(ns, 10.0);
}
double rounded_s(double seconds) {
  return rounded(seconds, 1000.0);
}

// Limits and the facts of a GPU have lists of their own.
void to_json(nlohmann::json& json, const SpaceLimits& value) {
  json = nlohmann::json::object();
  visit_space_limits(value, [&](const char* key, const auto& member) {
    if (key != kOptionalLimit || value.half_arithmetic) json[key] = encoded(member);
  });
}
void from_json(const nlohmann::json& json, SpaceLimits& value) {
  FieldReader<SpaceLimits> reader(json, value);
  visit_space_limits(value, [&](const char* key, auto& member) {
    if (key != kOptionalLimit || json.contains(key)) reader.required(key, member);
  });
}

void to_json(nlohmann::json& json, const GpuFacts& value) {
  json = nlohmann::json::object();
  visit_gpu_facts(value, [&](const char* key, const auto& member) { json[key] = encoded(member); });
  visit_optional_gpu_facts(value, [&](const char* key, int member) {
    if (member != 0) json[key] = member;
  });
}
void from_json(const nlohmann::json& json, GpuFacts& value) {
  FieldReader<GpuFacts> reader(json, value);
  visit_gpu_facts(value, [&](const char* key, auto& member) { reader.required(key, member); });
  visit_optional_gpu_facts(value, [&](const char* key, int& member) {
    if (json.contains(key)) reader.required(key, member);
  });
}

TILEWRIGHT_JSON(ShapeSamples)
TILEWRIGHT_JSON(Outcome)
TILEWRIGHT_JSON(FinalPlan)
TILEWRIGHT_JSON(Lineup)
TILEWRIGHT_JSON(Round)
TILEWRIGHT_JSON(DeviceLimits)
TILEWRIGHT_JSON(DeviceIdentity)
TILEWRIGHT_JSON(DeviceInfo)
TILEWRIGHT_JSON(MultiplyAddRate)
TILEWRIGHT_JSON(DeviceRates)
TILEWRIGHT_JSON(WorkerActivity)
TILEWRIGHT_JSON(MeasureOptions)
TILEWRIGHT_JSON(MeasureRequest)
TILEWRIGHT_JSON(MeasureReply)
TILEWRIGHT_JSON(RoundReply)
TILEWRIGHT_JSON(PackReply)
TILEWRIGHT_JSON(RatesReply)

}  // namespace tilewright
