// Products of a team whose matrices are in buffers of one context.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/team/team.hpp"

namespace tilewright {
namespace {

// The context of a buffer; null if there is none.
cl_context buffer_context(const cl::Buffer& buffer) {
  cl_context context = nullptr;
  if (buffer() == nullptr || clGetMemObjectInfo(buffer(), CL_MEM_CONTEXT, sizeof(context), &context,
                                                nullptr) != CL_SUCCESS) {
    return nullptr;
  }
  return context;
}

Matrix advanced(Matrix matrix, std::size_t elements) {
  matrix.offset += elements;
  return matrix;
}

// The wait list, and the commands that a member has enqueued before it failed: if beta is 0, they
// may write C.
std::vector<cl::Event> after_commands_of(const DeviceMember& failed,
                                         std::vector<cl::Event> wait_list) {
  try {
    wait_list.push_back(failed.enqueue_marker({}));
  } catch (const Error&) {
    // A device that accepts no marker runs no commands either.
  }
  return wait_list;
}

}  // namespace

// The first device whose context contains C; otherwise the first device, whose checks then name the
// argument that is wrong.
const DeviceMember& Team::device_for(const Matrix& c) const {
  const cl_context context = buffer_context(c.buffer);
  const DeviceMember* first = nullptr;
  for (const auto& member : members_) {
    const DeviceMember* device = member->device();
    if (device == nullptr) continue;
    if (first == nullptr) first = device;
    if (device->context() == context) return *device;
  }
  if (first != nullptr) return *first;
  throw Error(TW_INVALID_VALUE, "the team has no OpenCL device, so it cannot use buffers");
}

// The event that completes after all of them, from the first device that accepts a marker.
cl::Event Team::join(const std::vector<cl::Event>& events, cl_context context) const {
  std::optional<Error> refused;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const DeviceMember* device = members_[i]->device();
    if (device == nullptr || device->context() != context || *drop_reason(i) != '\0') continue;
    try {
      return device->enqueue_marker(events);
    } catch (const Error& error) {
      refused = error;
    }
  }
  throw refused.value_or(Error(TW_OPENCL_ERROR, "no device of the team accepts a marker"));
}

cl::Event Team::enqueue(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                        const std::vector<cl::Event>& wait_list) {
  const DeviceMember& first = device_for(c);
  first.check(call, a, b, c, wait_list);
  if (call.m == 0 || call.n == 0) return first.enqueue_marker(wait_list);
  std::vector<cl::Event> events;
  enqueue_parts(call, {a, b, c}, wait_list, first.context(), {}, events);
  return events.size() == 1 ? events.front() : join(events, first.context());
}

Team::Work Team::plan_in_buffers(const GemmCall& call, cl_context context, const Indices& failed) {
  Indices members = usable_members(call.type, context, failed);
  const bool all_share = std::all_of(members.begin(), members.end(), [&](std::size_t i) {
    return members_[i]->device()->shares_host_memory();
  });
  if (all_share || members.size() == 1) return plan(call, std::move(members), Use::kInBuffers);
  // Drivers copy whole buffers between devices that have their own memories, so several devices
  // cannot write one buffer at the same time. The one with the largest part is the fastest.
  Work work = plan(call, std::move(members), Use::kInBuffers);
  std::vector<TeamPart>& parts = work.plan.parts;
  const auto largest = std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  for (TeamPart& part : parts) part.size = 0;
  largest->size = static_cast<std::int64_t>(axis_extent(call, work.plan.axis));
  return work;
}

void Team::enqueue_parts(const GemmCall& call, const Matrices& matrices,
                         const std::vector<cl::Event>& wait_list, cl_context context,
                         Indices failed, std::vector<cl::Event>& events) {
  const Work work = plan_in_buffers(call, context, failed);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < work.members.size(); ++i) {
    const auto size = static_cast<std::size_t>(work.plan.parts[i].size);
    if (size == 0) continue;
    const ProductPart part{work.plan.axis, begin, size};
    begin += size;
    const PartOffsets offsets =
        part_offsets(call, matrices.a.ld, matrices.b.ld, matrices.c.ld, part);
    const Matrices parts{advanced(matrices.a, offsets.a), advanced(matrices.b, offsets.b),
                         advanced(matrices.c, offsets.c)};
    const DeviceMember& device = *members_[work.members[i]]->device();
    try {
      events.push_back(device.enqueue(part_call(call, part), parts.a, parts.b, parts.c, wait_list));
      continue;
    } catch (const PartialResultError& error) {
      note_failure(work.members[i], error);
      throw;
    } catch (const Error& error) {
      note_failure(work.members[i], error);
    }
    failed.push_back(work.members[i]);
    enqueue_parts(part_call(call, part), parts, after_commands_of(device, wait_list), context,
                  failed, events);
  }
}

}  // namespace tilewright
