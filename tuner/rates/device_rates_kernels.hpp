// Which kernels measure a device?
//
// Their OpenCL C, in one place. They are measured and never served, so that they are no codelets.
// (Those of multiply-adds are gemm kernels in form, and stand in micro_benchmark_device.cpp.)
#pragma once

#include <string>

namespace tilewright {

// nothing(): one work-item, nothing to do.
std::string empty_source();

// fill(out): out[i] = i mod 1024, as floats, one a work-item. Pages that nobody wrote may be all
// the same one, and zeros may be compressed.
std::string fill_source();

// copy(in, out): one vector of that many floats a work-item. `placed`: each matrix is followed by
// what kernels of profiles have there, an offset and a leading dimension, which it does not look
// at.
std::string copy_source(int vector_width, bool placed = false);

// read_local(turns, out): kLocalReads vectors of four floats of local memory per turn and
// work-item; neighbours read neighbours. One float of out a work-item. The work-group is a power of
// two.
inline constexpr int kLocalReads = 8;
std::string local_source(int work_group_size);
// What it uses of local memory.
int local_source_bytes(int work_group_size);

// read_image(image, turns, out): kImageReads pixels per turn and work-item of an image of
// kImageSide x kImageSide; neighbours in dimension 0 read neighbours of a row, and each goes down
// its column. Dimension 0 has kImageSide work-items. One float of out a work-item.
inline constexpr int kImageReads = 4;
inline constexpr int kImageSide = 1024;
std::string image_source();

}  // namespace tilewright
