/* What the pieces of code in the documents take for granted, for C and C++. */
#include <stdio.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>

extern size_t m, n, k, lda, ldb, ldc, count;
extern float alpha, beta;

#ifdef __cplusplus
#include <cstdio>
#include <thread>
#include <vector>

#include <tilewright/plan.hpp>

struct Layer {
  cl::Buffer a, c;
};
extern cl::Context context;
extern cl::Device device;
extern cl::CommandQueue queue;
extern cl::Buffer a, b, c, w;
extern std::vector<Layer> inputs;
extern tilewright::Library library;
extern const char *profile_text;
#else
extern cl_context context;
extern cl_device_id device;
extern cl_command_queue queue;
extern cl_event event, done;
extern cl_mem a, b, c, w;
extern tw_library *library;
extern tw_plan *plan;
extern tw_packed *weights;
extern const char *profile_text;
#endif
