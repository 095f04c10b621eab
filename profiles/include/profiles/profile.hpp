// What is shipped for one device?
//
// A Profile holds everything the runtime needs to serve a device: who the device is, the kernels
// with their full source, and how fast each was on which problem. It is pure data; profile_text.hpp
// turns it into text and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/device_info.hpp"
#include "profiles/kernel_model.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// The number of the text format. A change that an older program would refuse or misread raises it.
inline constexpr int kProfileFormat = 1;

// The precision of its first tuning: single where any kernel of a product is.
struct Profile;
Precision measured_precision(const Profile&);

// The largest accumulate_k of its kernels.
int most_half_sums(const Profile&);

// Why a profile exists.
enum class ProfileKind {
  kGeneric,    // fits any device; never measured; the built-in one
  kTuned,      // measured by `tilewright tune` on the device that it names
  kPredicted,  // chosen by models for devices of that name; never measured
};
std::string_view to_text(ProfileKind);
std::optional<ProfileKind> parse_profile_kind(std::string_view);

// The first hard field in which `device` cannot stand for `profiled`, as a sentence, or nullopt.
std::optional<std::string> hard_mismatch(const DeviceIdentity& profiled,
                                         const DeviceIdentity& device);
// The soft fields that differ, as a sentence, or nullopt.
std::optional<std::string> soft_mismatch(const DeviceIdentity& profiled,
                                         const DeviceIdentity& device);

// Where a profile comes from.
struct Provenance {
  std::string tool_version;
  std::string command_line;
  std::uint64_t seed = 0;
  std::string space_digest;  // digest of the searched space
  bool complete = false;     // false: the tuning was stopped before its end
  std::string statistic;     // what median, low and high are statistics of
  std::string date;          // UTC, ISO 8601
  bool operator==(const Provenance&) const = default;
};

// How fast a device multiplies and adds in one form and vector width.
struct MultiplyAddRate {
  int vector_width = 1;
  std::string form;                          // "expression" (a * b + c), "mad" or "fma"
  double gflops = 0.0;                       // median
  Precision precision = Precision::kSingle;  // of the arithmetic: halfs where the device has them
  bool operator==(const MultiplyAddRate&) const = default;
};

// What micro-benchmarks say of a device, as medians. 0 where nothing was measured.
struct DeviceRates {
  std::vector<MultiplyAddRate> multiply_adds;
  double peak_gflops = 0.0;         // of the best of floats, or of a kernel that was faster
  double copy_gbytes_per_s = 0.0;   // of a large buffer: bytes read and written
  double local_gbytes_per_s = 0.0;  // read from local memory by all work-groups
  double image_gbytes_per_s = 0.0;  // read through image2d
  double launch_ns = 0.0;           // what one more launch costs, back to back (wall time)
  double round_trip_ns = 0.0;       // from enqueueing one empty kernel to its end (wall time)
  double timer_step_ns = 0.0;       // least step of event timestamps
  bool event_time = true;           // event timestamps make sense
  double double_peak_gflops = 0.0;  // of doubles, likewise
  double half_peak_gflops = 0.0;    // of the best of halfs
  bool half_is_emulated = false;    // no cl_khr_fp16: arithmetic in halfs is in floats
  bool operator==(const DeviceRates&) const = default;
};

// The peak of arithmetic in that type.
double& arithmetic_peak(DeviceRates& rates, Precision arithmetic);
double arithmetic_peak(const DeviceRates& rates, Precision arithmetic);
// What bounds products of such elements: of halfs the greater peak of floats and of halfs, since
// kernels may add up in either.
double peak_of(const DeviceRates& rates, Precision precision);

// Micro-benchmarks may miss what a device can do, and a kernel then computes faster than their
// peak: that of the kernel's arithmetic is raised to its rate, unless it is not known. Arithmetic
// in halfs raises none: some of its sums are floats.
void raise_peak(DeviceRates& rates, double gflops, Precision arithmetic = Precision::kSingle);
// Was peak_of() raised? Then it is a lower bound of what the device can do.
bool is_raised_peak(const DeviceRates& rates, Precision precision = Precision::kSingle);
// Raises the peaks to the rates of the profile's results. Results of few samples may be noise, and
// those of kernels with a bias or an activation are not of plain products: both are left out.
struct Profile;
void raise_peaks(Profile&);

// How one kernel did on one problem. Times are device (event) times of one launch.
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
  double gflops = 0.0;     // 2 m n k / median_ns
  double max_error = 0.0;  // worst |C - reference| as a share of the error bound; below 1 is right
  // Counts as compared with the built-in kernels though none has a result of this op on this shape:
  // none can be measured there.
  bool compared = false;
  bool operator==(const ShapeResult&) const = default;
};

// The squares on which kernels that run beside products are measured: one that caches may hold,
// and, for packs, one that they do not.
inline constexpr int kMovedExtent = 1000;
inline constexpr int kLargeMovedExtent = 4000;
// A matrix of as many elements lies halfway between (by logarithms), and counts as large.
inline constexpr std::int64_t kLargeMovedElements = std::int64_t{kMovedExtent} * kLargeMovedExtent;

// How fast a pack, activation or softmax kernel is: device time on a square matrix.
struct PackResult {
  std::string kernel;  // name of a kernel of the same profile, of such a role
  double ns_per_element = 0.0;
  int extent = kMovedExtent;  // rows and columns of the matrix
  bool operator==(const PackResult&) const = default;
};

struct Profile {
  ProfileKind kind = ProfileKind::kTuned;
  DeviceIdentity device;  // meaningless for kGeneric, and not written
  Provenance provenance;
  DeviceRates rates;  // likewise
  std::vector<KernelRecord> kernels;
  std::vector<ShapeResult> results;
  std::vector<PackResult> pack_results;
  std::vector<KernelModel> models;  // of kernels for products; one at most of each
  bool operator==(const Profile&) const = default;
};

// Does a driver's device name tell this kind of GPU? It holds the kind, not followed by a further
// digit: "Mali-G71 r0p0" is a Mali-G71, "Mali-G710" is not. `?` stands for any character. A kind
// that drivers call by several names has all of them, `|` between: "Mali-G610|Mali-LODX".
bool names_kind(std::string_view device_name, std::string_view kinds);

// The first reason why the profile cannot serve `device`, as a sentence, or nullopt. A generic one
// serves all. A predicted one serves devices whose name tells its kind (names_kind) and that offer
// its limits; it knows neither vendor nor driver, and what kind local memory is does not matter.
std::optional<std::string> hard_mismatch(const Profile& profile, const DeviceIdentity& device);
// Why its kernels must be looked at again before they serve, or nullopt: other software than the
// profile was tuned under, or that it was never measured.
std::optional<std::string> soft_mismatch(const Profile& profile, const DeviceIdentity& device);

// The kernel of that name, or nullptr.
const KernelRecord* find_kernel(const Profile&, std::string_view name);

}  // namespace tilewright
