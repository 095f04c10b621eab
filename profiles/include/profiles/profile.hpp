// A profile: the data that ship for one device.
//
// It contains everything that the runtime needs to run on a device: the device's identity, the
// kernels with their full source, and how fast each was on which problem. It is pure data;
// profile_text.hpp converts it to text and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/device_info.hpp"
#include "profiles/kernel_model.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Version of the text format. It is incremented by any change that an older program would reject or
// misread.
inline constexpr int kProfileFormat = 1;

struct Profile;

// Returns the precision of the profile's first tuning: single precision if any product kernel has
// it.
Precision measured_precision(const Profile&);

// Returns the largest accumulate_k of the profile's kernels.
int max_half_sums(const Profile&);

// How a profile was made.
enum class ProfileKind {
  kGeneric,    // fits any device; never measured; the built-in one
  kTuned,      // measured by `tilewright tune` on the device that it names
  kPredicted,  // chosen by models for devices of that name; never measured
};
std::string_view to_text(ProfileKind);
std::optional<ProfileKind> parse_profile_kind(std::string_view);

// True if both processors are known and differ. If one has all cores of the other, they do not:
// some cores of an ARM processor may be offline. Kernels of another processor run, but at other
// speeds: a profile of a Zen 4 is on the whole no better than the built-in one on a Zen 5, and much
// worse on some products.
bool is_other_processor(std::string_view profiled, std::string_view device);

// Returns the first hard field that differs too much for `device` to use a profile of `profiled`,
// as a sentence, or nullopt.
std::optional<std::string> hard_mismatch(const DeviceIdentity& profiled,
                                         const DeviceIdentity& device);
// Returns the soft fields that differ, as a sentence, or nullopt.
std::optional<std::string> soft_mismatch(const DeviceIdentity& profiled,
                                         const DeviceIdentity& device);

// Origin of a profile.
struct Provenance {
  std::string tool_version;
  std::string command_line;
  std::uint64_t seed = 0;
  std::string space_digest;  // digest of the searched space
  bool complete = false;     // false: the tuning was stopped before its end
  std::string statistic;     // the statistic that median, low and high belong to
  std::string date;          // UTC, ISO 8601
  // The products for which calls run as without the profile, because it knows nothing of them:
  // "NT, TN; NN with an extent below 64". Empty if there are none.
  std::string not_covered = {};
  bool operator==(const Provenance&) const = default;
};

// Measured rate of multiply-adds in one form and vector width.
struct MultiplyAddRate {
  int vector_width = 1;
  std::string form;     // "expression" (a * b + c), "mad" or "fma"
  double gflops = 0.0;  // median
  // Precision of the arithmetic; half only if the device supports it.
  Precision precision = Precision::kSingle;
  bool operator==(const MultiplyAddRate&) const = default;
};

// Results of micro-benchmarks, as medians. 0: not measured.
struct DeviceRates {
  std::vector<MultiplyAddRate> multiply_adds;
  double peak_gflops = 0.0;  // of the fastest single-precision form, or of a kernel that was faster
  double copy_gbytes_per_s = 0.0;   // large buffer: bytes read and written
  double local_gbytes_per_s = 0.0;  // read from local memory by all work-groups
  double image_gbytes_per_s = 0.0;  // read through image2d
  double launch_ns = 0.0;           // one more launch in a sequence of launches (wall time)
  double round_trip_ns = 0.0;       // from enqueueing one empty kernel to its end (wall time)
  double timer_step_ns = 0.0;       // minimum step of event timestamps
  bool event_time = true;           // event timestamps are plausible
  double double_peak_gflops = 0.0;  // the same for double precision
  double half_peak_gflops = 0.0;    // the same for half precision
  // No cl_khr_fp16: half-precision arithmetic is done in single precision.
  bool half_is_emulated = false;
  bool operator==(const DeviceRates&) const = default;
};

// The peak rate of arithmetic in the given type.
double& arithmetic_peak(DeviceRates& rates, Precision arithmetic);
double arithmetic_peak(const DeviceRates& rates, Precision arithmetic);
// Upper bound for products of such elements. For half precision it is the higher of the single- and
// half-precision peaks, because kernels may accumulate in either.
double product_peak(const DeviceRates& rates, Precision precision);

// Raises the peak of the kernel's arithmetic to its rate, in case the micro-benchmarks missed what
// the device can do. An unknown peak (0) is not changed, and half-precision arithmetic does not
// raise a peak, because some of its sums are single precision.
void raise_peak(DeviceRates& rates, double gflops, Precision arithmetic = Precision::kSingle);
// True if product_peak() was raised. Then it is a lower bound of what the device can do.
bool is_raised_peak(const DeviceRates& rates, Precision precision = Precision::kSingle);
// Raises the peaks to the rates of the profile's results. Ignores results of kernels with a bias or
// an activation, which are not plain products.
void raise_peaks(Profile&);

// Measured time of one kernel on one problem. Times are device (event) times of one launch.
struct ShapeResult {
  Op op = Op::kNN;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::string kernel;  // name of a kernel of the same profile
  double median_ns = 0.0;
  double low_ns = 0.0;   // 10th percentile of the samples
  double high_ns = 0.0;  // 90th percentile of the samples
  int samples = 0;
  // Maximum |C - reference| relative to the error bound; below 1 is correct.
  double max_error = 0.0;
  bool operator==(const ShapeResult&) const = default;
};

// 2 m n k / median_ns.
double computed_gflops(const ShapeResult&);

// Extents of the square matrices on which auxiliary kernels are measured: one that caches may hold
// and, for pack kernels, one that they do not. On CPUs, the pack kernels for matrices that are not
// large are also measured on a medium one: the caches hold neither the matrix nor its copy.
inline constexpr int kMovedExtent = 1000;
inline constexpr int kMediumMovedExtent = 2000;
inline constexpr int kLargeMovedExtent = 4000;
// Matrices with at least this many elements count as large. It is the geometric mean of the first
// and the last of the sizes.
inline constexpr std::int64_t kLargeMovedElements = std::int64_t{kMovedExtent} * kLargeMovedExtent;

// Measured time of a pack, activation or softmax kernel: device time on a square matrix.
struct PackResult {
  std::string kernel;  // name of a pack, activation or softmax kernel of the same profile
  double ns_per_element = 0.0;
  int extent = kMovedExtent;  // rows and columns of the matrix
  bool operator==(const PackResult&) const = default;
};

// How good the choices of a profile are on random products of one type that took no part in making
// it. Speeds are of whole calls, measured in turns.
struct Validation {
  int products = 0;
  double of_best = 0.0;               // speed as a share of the best known plan's, geometric mean
  double worst_of_best = 0.0;         // the least of these
  double times_built_in = 0.0;        // speed over that with built-in kernels, geometric mean
  double worst_times_built_in = 0.0;  // the least of these
  Precision precision = Precision::kSingle;
  // The name of the profile's file that the device used at the time of the tuning; empty if there
  // was none. Then the two figures are 0.
  std::string other_profile = {};
  double times_other = 0.0;        // speed over that with the other profile, likewise
  double worst_times_other = 0.0;  // the least of these
  bool operator==(const Validation&) const = default;
};

// Names a kernel of the built-in profile, whose text is not repeated.
struct BuiltInReference {
  std::string name;
  std::string digest;  // compute_code_digest()
  bool fails = false;  // it could not be used in the tuning
  bool operator==(const BuiltInReference&) const = default;
};

// A profile.
struct Profile {
  ProfileKind kind = ProfileKind::kTuned;
  DeviceIdentity device;  // unused and not written for kGeneric
  Provenance provenance;
  DeviceRates rates;  // unused and not written for kGeneric
  std::vector<KernelRecord> kernels;
  // Built-in kernels that must not run on the device, because they fail.
  std::vector<BuiltInReference> failing_built_in;
  // Names of built-in kernels that the tuning measured and that differ in this program. What the
  // profile's text says about them is ignored. Not written.
  std::vector<std::string> changed_built_in;
  std::vector<ShapeResult> results;
  std::vector<PackResult> pack_results;
  std::vector<KernelModel> models;      // models of product kernels, at most one for each
  std::vector<Validation> validations;  // at most one for each precision
  bool operator==(const Profile&) const = default;
};

// True if a driver's device name denotes this kind of GPU. The name must contain the kind, not
// followed by another digit: "Mali-G71 r0p0" is a Mali-G71, "Mali-G710" is not. `?` matches any
// character. Alternative names are separated by `|`: "Mali-G610|Mali-LODX".
bool names_kind(std::string_view device_name, std::string_view kinds);

// Returns the first reason why the profile cannot be used on `device`, as a sentence, or nullopt. A
// generic profile can be used on all devices. A predicted profile can be used on devices whose name
// denotes its kind (names_kind) and that have at least its limits; vendor, driver and the type of
// local memory are ignored.
std::optional<std::string> hard_mismatch(const Profile& profile, const DeviceIdentity& device);
// Returns why its kernels must be verified before they are used, or nullopt: the software differs
// from that of the tuning, or the profile was never measured.
std::optional<std::string> soft_mismatch(const Profile& profile, const DeviceIdentity& device);

// Returns the kernel of that name, or nullptr.
const KernelRecord* find_kernel(const Profile&, std::string_view name);

}  // namespace tilewright
