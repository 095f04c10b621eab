/* Calls of the functions of CLBlast that the drop-in has, for its C and its C++ interface. */
#ifndef TILEWRIGHT_TEST_CLBLAST_CASES_H
#define TILEWRIGHT_TEST_CLBLAST_CASES_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values of the enumerations. */
enum { kRow = 101, kColumn = 102, kNo = 111, kYes = 112, kConjugate = 113 };

/* The interface under test, with enumerations as ints. */
struct interface {
  int (*sgemm)(int layout, int ta, int tb, size_t m, size_t n, size_t k, float alpha, cl_mem a,
               size_t offset_a, size_t lda, cl_mem b, size_t offset_b, size_t ldb, float beta,
               cl_mem c, size_t offset_c, size_t ldc, cl_command_queue* queue, cl_event* event);
  int (*strided)(int layout, int ta, int tb, size_t m, size_t n, size_t k, float alpha, cl_mem a,
                 size_t offset_a, size_t lda, size_t stride_a, cl_mem b, size_t offset_b,
                 size_t ldb, size_t stride_b, float beta, cl_mem c, size_t offset_c, size_t ldc,
                 size_t stride_c, size_t count, cl_command_queue* queue, cl_event* event);
  int (*batched)(int layout, int ta, int tb, size_t m, size_t n, size_t k, const float* alphas,
                 cl_mem a, const size_t* offsets_a, size_t lda, cl_mem b, const size_t* offsets_b,
                 size_t ldb, const float* betas, cl_mem c, const size_t* offsets_c, size_t ldc,
                 size_t count, cl_command_queue* queue, cl_event* event);
  int (*sgemv)(int layout, int trans, size_t m, size_t n, float alpha, cl_mem a, size_t offset_a,
               size_t lda, cl_mem x, size_t offset_x, size_t incx, float beta, cl_mem y,
               size_t offset_y, size_t incy, cl_command_queue* queue, cl_event* event);
  /* `type` is a letter of BLAS; alpha has a real and an imaginary part. */
  int (*omatcopy)(char type, int layout, int trans, size_t m, size_t n, const double alpha[2],
                  cl_mem a, size_t offset_a, size_t lda, cl_mem b, size_t offset_b, size_t ldb,
                  cl_command_queue* queue, cl_event* event);
  int (*clear_cache)(void);
  /* For elements of float. */
  int (*override_parameters)(cl_device_id device, const char* kernel, size_t count,
                             const char** names, const size_t* values);
};

/* Prints a line for each call: its status, and whether C is right. Prints the file of the library
 * that has the code at `served_by` to stderr. Returns the exit status: 1 if a C is wrong, 77
 * without a device. */
int run_cases(const struct interface* blas, void (*served_by)(void));

/* Prints the statuses of functions that only CLBlast has. Returns 77 without a device. */
int run_passed_on(const struct interface* blas, void (*served_by)(void));

/* Those of gemv. Returns 1 if a y is wrong. */
int run_gemv_cases(const struct interface* blas, cl_context context, cl_command_queue queue);

#ifdef __cplusplus
}
#endif

#endif
