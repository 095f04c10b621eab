// An OpenCL device as a member of a team.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/team/team_member.hpp"

namespace tilewright {

class DeviceMember : public TeamMember {
 public:
  // Throws Error if the queue does not belong to the library's context and device.
  DeviceMember(LibraryHandle library, const cl::CommandQueue& queue);

  const std::string& name() const override { return name_; }
  // The name and the number of compute units: a part of a device has the name of the whole.
  std::string profile_name() const override;
  std::string profile_digest() const override;
  bool supports(ElementType type) const override;
  std::optional<MemberPrediction> predict(const GemmCall& call, bool in_host_memory) const override;
  void multiply(const HostGemm& product) const override;
  const DeviceMember* device() const override { return this; }

  cl_context context() const { return context_(); }
  // True if the device uses the host's memory.
  bool shares_host_memory() const { return shares_; }
  // Checks all arguments of a product of matrices in buffers. Throws Error.
  void check(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
             const std::vector<cl::Event>& wait_list) const;
  // Enqueues a checked product and flushes the queue. Throws Error; then C is unchanged, unless
  // beta is 0 or the error is a PartialResultError.
  cl::Event enqueue(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                    const std::vector<cl::Event>& wait_list) const;
  // Enqueues a command that completes after the events, and flushes the queue. Throws Error.
  cl::Event enqueue_marker(const std::vector<cl::Event>& wait_list) const;

 private:
  Library& library() const;
  // Make a matrix in host memory accessible to the device: in place (nullopt if the driver would
  // copy much more than the matrix, or refuses), or as a copy without gaps.
  std::optional<cl::Buffer> mapped(const HostPointer& matrix, const StoredLines& stored,
                                   std::size_t element_bytes) const;
  Matrix copied(const HostPointer& matrix, const StoredLines& stored,
                std::size_t element_bytes) const;
  // A and B.
  std::pair<Matrix, Matrix> read_operands(const HostGemm& product) const;
  void multiply_into_copy(const HostGemm& product, const Matrix& a, const Matrix& b) const;
  // `c` is in the memory of the product's C.
  void multiply_in_place(const HostGemm& product, const Matrix& a, const Matrix& b,
                         const cl::Buffer& c) const;
  void flush() const;
  void wait_for_everything() const noexcept;

  LibraryHandle library_;
  cl::CommandQueue queue_;
  cl::Context context_;
  std::string name_;
  bool shares_ = false;
  bool is_cpu_ = false;
};

}  // namespace tilewright
