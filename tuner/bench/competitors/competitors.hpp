// The libraries and programs with which `bench` and `net bench` compare.
//
// A competitor computes the same result from the same data and returns when the result is complete.
// Its time includes packing and launches. Competitors on the device share the buffers of the
// product or network; a competitor on the CPU has copies.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/network/network.hpp"
#include "tuner/bench/competitors/competitor_program.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/measurement.hpp"

namespace tilewright {

class Competitor {
 public:
  virtual ~Competitor() = default;
  // Returns version and settings, for the conditions of the report; may be empty.
  virtual std::string details() const { return ""; }
  // Computes the result once and waits for it. Throws Error if that fails.
  virtual void run() = 0;
  // Makes that many runs, one after the other, and returns their wall time in seconds.
  virtual double time_runs(int runs);
  // Returns the process that computes; 0: this one.
  virtual pid_t process() const { return 0; }
};

// Row and column of an element.
using Elements = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Computes C = op(A) op(B).
class ProductCompetitor : public Competitor {
 public:
  // Returns the number of k steps that it may accumulate in half precision, if the elements are in
  // half precision.
  virtual int half_sums() const { return 0; }
  // Returns the names of tilewright's kernels that it runs, in order; none for other libraries.
  virtual std::vector<std::string> kernels() { return {}; }
  // Returns elements of C. A complex number is two adjacent elements of a row.
  virtual std::vector<double> result_at(const Elements& at) = 0;
};

// Computes the output of a network from its input.
class NetworkCompetitor : public Competitor {
 public:
  // Returns the output of the last run: batch x outputs, row-major.
  virtual std::vector<float> output() const = 0;
};

// The product that competitors compute.
struct ProductArena {
  const DeviceQueue& on;
  const Workload& workload;
};

// A competitor that writes C of the arena.
class DeviceProduct : public ProductCompetitor {
 public:
  explicit DeviceProduct(const ProductArena& arena) : arena_(arena) {}
  std::vector<double> result_at(const Elements& at) override;

 protected:
  const ProductArena arena_;
};

// The forward pass that competitors compute.
struct NetworkArena {
  const DeviceQueue& on;
  const NetworkModel& model;
  std::size_t batch = 0;
  const std::vector<float>& input;           // batch x inputs, row-major
  Matrix x;                                  // the same on the device
  Matrix y;                                  // batch x outputs, on the device
  Precision precision = Precision::kSingle;  // precision of x, y and the library's networks
};

// Returns the library call that computes a problem.
GemmCall to_gemm_call(const GemmProblem& problem);

// Return competitors that compute with tilewright's library, opened with some profile.
std::unique_ptr<ProductCompetitor> library_product(LibraryHandle library, int half_sums,
                                                   const ProductArena& arena);
// The network must outlive the competitor.
std::unique_ptr<NetworkCompetitor> library_network(const Network& net, const NetworkArena& arena);

// Return OpenBLAS on the CPU, with the number of threads that it chooses; null if this machine has
// no OpenBLAS. A network is computed by a product for each affine layer, and plain loops for biases
// and activations.
std::unique_ptr<ProductCompetitor> cblas_product(const ProductArena& arena);
std::unique_ptr<NetworkCompetitor> cblas_network(const NetworkArena& arena);

// Returns CLBlast on the same device; null if this machine has no CLBlast, or the device does not
// support an extension that it needs.
std::unique_ptr<ProductCompetitor> clblast_product(const ProductArena& arena);
// Returns the reason why it is null, and what to install.
std::string missing_clblast();

// Creates competitors from their names, and owns the libraries, networks and programs that it
// opens.
class Competitors {
 public:
  explicit Competitors(const DeviceQueue& on) : on_(on) {}

  // Returns the competitor with that name; null if it is missing on this machine. Throws Error if a
  // profile cannot be opened or a program cannot be started.
  std::unique_ptr<ProductCompetitor> product(const std::string& name, const ProductArena& arena);
  std::unique_ptr<NetworkCompetitor> net(const std::string& name, const NetworkArena& arena);

 private:
  const LibraryHandle& library(const std::string& name);

  const DeviceQueue& on_;
  std::map<std::string, LibraryHandle> libraries_;
  std::map<std::string, Network> nets_;
  std::map<std::string, std::shared_ptr<CompetitorProgram>> programs_;
};

// Throws UsageError unless each name is a valid competitor for products or networks, whether this
// machine has it or not: a known name, a profile ("....toml"), or for products a program
// ("exec:PATH").
void check_product_competitors(const std::vector<std::string>& names);
void check_network_competitors(const std::vector<std::string>& names);
bool is_program_name(const std::string& name);

// Returns why a competitor is missing on this machine, and what to install.
std::string why_missing(const std::string& name);

}  // namespace tilewright
