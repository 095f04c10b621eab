// Contains the OpenCL C sources of the micro-benchmark kernels.
//
// These kernels are only measured; no product uses them, so they are not codelets. The kernels for
// multiply-adds have the signature of gemm kernels and are in micro_benchmark_device.cpp.
#pragma once

#include <string>

namespace tilewright {

// nothing(): an empty kernel.
std::string empty_source();

// fill(out): each work-item writes one float, out[i] = i mod 1024. Benchmarks must write their
// buffers first: pages that were never written may all share one physical page. The values must
// differ, because zeros may be compressed.
std::string fill_source();

// copy(in, out): each work-item copies one vector of `vector_width` floats.
std::string copy_source(int vector_width);

// read_local(iterations, out): in each of `iterations` iterations, each work-item reads kLocalReads
// float4 vectors from local memory; neighbouring work-items read neighbouring vectors. Each
// work-item writes one float to `out`. The size of the work-group must be a power of two.
inline constexpr int kLocalReads = 8;
std::string local_source(int work_group_size);
// Returns the local memory that the kernel uses, in bytes.
int local_source_bytes(int work_group_size);

// read_image(image, iterations, out): in each of `iterations` iterations, each work-item reads
// kImageReads pixels of an image of kImageSide x kImageSide pixels. Neighbours in dimension 0 read
// neighbouring pixels of a row, and each work-item moves down its column. The global size in
// dimension 0 must be kImageSide. Each work-item writes one float to `out`.
inline constexpr int kImageReads = 4;
inline constexpr int kImageSide = 1024;
std::string image_source();

}  // namespace tilewright
