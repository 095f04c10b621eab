/* What the examples in the documents take for granted, for C and C++. */
#include <stdio.h>
#include <stdlib.h>
#include <tilewright/network.h>
#include <tilewright/team.h>
#include <tilewright/tilewright.h>

extern size_t m, n, k, lda, ldb, ldc, count, batch;
extern float alpha, beta;

#ifdef __cplusplus
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>
#include <cstdio>
#include <thread>
#include <vector>

#include <tilewright/network.hpp>
#include <tilewright/team.hpp>

extern cl::Context context;
extern cl::Device device;
extern cl::CommandQueue queue;
extern cl::Buffer a, b, c, w, x, y;
extern std::vector<float> weights_1, weights_2, bias_1, bias_2;
extern std::vector<std::size_t> offsets_a, offsets_c;
extern tw::Library library;
extern const unsigned char board_profile[];
#else
void my_log(tw_log_severity severity, const char* line, void* user);
extern cl_context context;
extern cl_device_id device;
extern cl_command_queue queue;
extern cl_event event, done;
extern cl_mem a, b, c, w, x, y;
extern const float *weights_1, *bias_1;
extern tw_library* library;
extern tw_plan* plan;
extern tw_packed* weights;
extern tw_network* net;
extern tw_gemm_desc product;
extern tw_matrix matrix_a, matrix_b, matrix_c;
extern const unsigned char board_profile[];
#endif
