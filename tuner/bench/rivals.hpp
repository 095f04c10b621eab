// Who else multiplies matrices on this machine?
//
// A competitor computes the same product from the same data, and returns when C is complete: what a
// caller waits for, packing and launch included. Competitors on the device share the workload's
// buffers; one on the CPU has a copy.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/library.hpp>

#include "tuner/bench/rival_program.hpp"
#include "tuner/measure/measurement.hpp"

namespace tilewright {

class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual std::string name() const = 0;
  // What it is and how it is set up, as a condition of its figures; may be empty.
  virtual std::string details() const { return ""; }
  // Computes C = op(A) op(B) once and waits for it. Throws Error if that fails.
  virtual void multiply() = 0;
  // Wall time in seconds of so many such calls, one after the other.
  virtual double seconds_of(int calls);
  // Where elements are halfs: k steps that it may add up in halfs.
  virtual int half_sums() const { return 0; }
  // Does it use the device from another process? Then the device changes hands between competitors.
  virtual bool is_foreign() const { return false; }
  // Some elements of C, for a check: element (i, j) of each pair. Of complex numbers the parts,
  // side by side in a row.
  virtual std::vector<double> result_at(
      const std::vector<std::pair<std::int64_t, std::int64_t>>& at) = 0;
};

// What a competitor works with.
struct Arena {
  cl::Context context;
  cl::CommandQueue queue;
  const Workload& workload;
};

// The library call that computes a problem.
GemmCall call_of(const GemmProblem& problem);

// Elements (i, j) of the workload's C, read from the device; as of Competitor::result_at.
std::vector<double> elements_of_c(const Arena& arena,
                                  const std::vector<std::pair<std::int64_t, std::int64_t>>& at);

// Ours, or another profile's kernels, by the library that is given.
std::unique_ptr<Competitor> library_competitor(const std::string& name, Library library,
                                               int half_sums, const Arena& arena);

// OpenBLAS on the CPU through CBLAS, with as many threads as it likes; null where it is not on
// this machine.
std::unique_ptr<Competitor> cblas_competitor(const Arena& arena);

// CLBlast on the same device; null where it is not on this machine, or the device lacks what it
// needs.
std::unique_ptr<Competitor> clblast_competitor(const Arena& arena);
// Why not, and what to install.
std::string missing_clblast();

// The program computes the arena's product from now on.
std::unique_ptr<Competitor> program_competitor(const std::string& name,
                                               std::shared_ptr<RivalProgram> program,
                                               const Arena& arena);

// Makes competitors by their names, and keeps the programs that it starts for the next product.
class Rivals {
 public:
  // The competitor of that name, or null where this machine lacks it. Throws Error if a profile
  // cannot be opened or a program cannot be started.
  std::unique_ptr<Competitor> make(const std::string& name, const Arena& arena);

 private:
  std::map<std::string, std::shared_ptr<RivalProgram>> programs_;
};

// Does the name mean the library with another profile: a file "....toml"?
bool is_profile_name(const std::string& rival);
// Does it mean a program: "exec:PATH"?
bool is_program_name(const std::string& rival);

// Every name that --rivals understands beside profiles and programs, whether this machine has it or
// not.
std::vector<std::string> known_rivals();

// Why this machine lacks one, of SGEMM or of nets, and what to install.
std::string why_missing(const std::string& rival);

}  // namespace tilewright
