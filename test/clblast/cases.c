#define _GNU_SOURCE /* dladdr */
#include "cases.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxProducts = 3 };

struct device {
  cl_context context;
  cl_command_queue queue;
};

/* A batch of products of one shape; a single product is a batch of 1. */
struct call {
  int layout, ta, tb;
  size_t m, n, k;
  size_t gap;    /* leading dimensions are larger than need be by this */
  size_t offset; /* of the first matrix in each buffer */
  size_t count;
  float alpha, beta;
};

/* A matrix as stored: `lines` lines of `length` elements, ld apart; one for each product. */
struct stored {
  size_t lines, length, ld, offset, stride, elements;
  float* data;
  cl_mem buffer;
};

static uint32_t next_random(uint32_t* state) {
  return *state = *state * 1664525u + 1013904223u;
}

static void* checked(void* pointer) {
  if (pointer != NULL) return pointer;
  fputs("no memory\n", stderr);
  exit(2);
}

static struct stored make(const struct device* d, const struct call* call, size_t rows,
                          size_t columns, int transposed, uint32_t* seed) {
  const int rows_are_lines = (call->layout == kRow) == !transposed;
  struct stored s;
  s.lines = rows_are_lines ? rows : columns;
  s.length = rows_are_lines ? columns : rows;
  s.ld = s.length + call->gap;
  s.offset = call->offset;
  s.stride = (s.lines - 1) * s.ld + s.length + call->gap;
  /* The buffer ends with the last element. */
  s.elements = s.offset + (call->count - 1) * s.stride + (s.lines - 1) * s.ld + s.length;
  s.data = checked(malloc(s.elements * sizeof(float)));
  for (size_t i = 0; i < s.elements; ++i) {
    s.data[i] = (float)(next_random(seed) >> 8) / 8388608.0f - 1.0f;
  }
  s.buffer = checked(clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                    s.elements * sizeof(float), s.data, NULL));
  return s;
}

static void release(struct stored* s) {
  clReleaseMemObject(s->buffer);
  free(s->data);
}

/* Where element (i, j) of op(X) lies. */
static size_t place(const struct call* call, const struct stored* s, int transposed, size_t product,
                    size_t i, size_t j) {
  const int rows_are_lines = (call->layout == kRow) == !transposed;
  return s->offset + product * s->stride + (rows_are_lines ? i * s->ld + j : j * s->ld + i);
}

static float product_alpha(const struct call* call, size_t product) {
  return call->alpha + (float)product;
}

static int element_is_right(const struct call* call, const struct stored* a, const struct stored* b,
                            const struct stored* c, size_t product, size_t i, size_t j, float alpha,
                            float got) {
  double sum = 0.0, magnitude = 0.0;
  const double before = c->data[place(call, c, 0, product, i, j)];
  for (size_t p = 0; p < call->k; ++p) {
    const double term = (double)alpha * a->data[place(call, a, call->ta != kNo, product, i, p)] *
                        b->data[place(call, b, call->tb != kNo, product, p, j)];
    sum += term;
    magnitude += fabs(term);
  }
  sum += call->beta * before;
  magnitude += fabs(call->beta * before);
  return fabs(got - sum) <= (double)(call->k + 8) * ldexp(magnitude, -23) + 1e-30;
}

/* Are all products right, and what lies between them untouched? */
static int is_right(const struct call* call, const struct stored* a, const struct stored* b,
                    const struct stored* c, int own_alphas, const float* got) {
  int right = 1;
  float* rest = checked(malloc(c->elements * sizeof(float)));
  memcpy(rest, got, c->elements * sizeof(float));
  for (size_t product = 0; product < call->count; ++product) {
    const float alpha = own_alphas ? product_alpha(call, product) : call->alpha;
    for (size_t i = 0; i < call->m; ++i) {
      for (size_t j = 0; j < call->n; ++j) {
        const size_t at = place(call, c, 0, product, i, j);
        right = right && element_is_right(call, a, b, c, product, i, j, alpha, got[at]);
        rest[at] = c->data[at];
      }
    }
  }
  right = right && memcmp(rest, c->data, c->elements * sizeof(float)) == 0;
  free(rest);
  return right;
}

enum kind { kSingle, kStrided, kListed };

static int launch(const struct interface* blas, struct device* d, enum kind kind,
                  const struct call* x, const struct stored* a, const struct stored* b,
                  const struct stored* c, cl_event* event) {
  if (kind == kSingle) {
    return blas->sgemm(x->layout, x->ta, x->tb, x->m, x->n, x->k, x->alpha, a->buffer, a->offset,
                       a->ld, b->buffer, b->offset, b->ld, x->beta, c->buffer, c->offset, c->ld,
                       &d->queue, event);
  }
  if (kind == kStrided) {
    return blas->strided(x->layout, x->ta, x->tb, x->m, x->n, x->k, x->alpha, a->buffer, a->offset,
                         a->ld, a->stride, b->buffer, b->offset, b->ld, b->stride, x->beta,
                         c->buffer, c->offset, c->ld, c->stride, x->count, &d->queue, event);
  }
  size_t at_a[kMaxProducts], at_b[kMaxProducts], at_c[kMaxProducts];
  float alphas[kMaxProducts], betas[kMaxProducts];
  for (size_t i = 0; i < x->count; ++i) {
    at_a[i] = a->offset + i * a->stride;
    at_b[i] = b->offset + i * b->stride;
    at_c[i] = c->offset + i * c->stride;
    alphas[i] = product_alpha(x, i);
    betas[i] = x->beta;
  }
  return blas->batched(x->layout, x->ta, x->tb, x->m, x->n, x->k, alphas, a->buffer, at_a, a->ld,
                       b->buffer, at_b, b->ld, betas, c->buffer, at_c, c->ld, x->count, &d->queue,
                       event);
}

/* Makes the call and prints its line; 1 if it is not right. */
static int run(const struct interface* blas, struct device* d, enum kind kind,
               const struct call* x) {
  static const char* const kKinds[] = {"single", "strided", "listed"};
  uint32_t seed = 1;
  struct stored a = make(d, x, x->m, x->k, x->ta != kNo, &seed);
  struct stored b = make(d, x, x->k, x->n, x->tb != kNo, &seed);
  struct stored c = make(d, x, x->m, x->n, 0, &seed);
  float* got = checked(malloc(c.elements * sizeof(float)));
  cl_event event = NULL;
  const int status = launch(blas, d, kind, x, &a, &b, &c, &event);
  int right = status == 0 && event != NULL;
  if (right) {
    right = clEnqueueReadBuffer(d->queue, c.buffer, CL_TRUE, 0, c.elements * sizeof(float), got, 1,
                                &event, NULL) == CL_SUCCESS;
    right = right && is_right(x, &a, &b, &c, kind == kListed, got);
    clReleaseEvent(event);
  }
  printf("%s layout %d transposes %d %d, %zux%zux%zu gap %zu offset %zu alpha %g beta %g: %d %s\n",
         kKinds[kind], x->layout, x->ta, x->tb, x->m, x->n, x->k, x->gap, x->offset,
         (double)x->alpha, (double)x->beta, status, right ? "right" : "WRONG");
  free(got);
  release(&a);
  release(&b);
  release(&c);
  return !right;
}

static int run_products(const struct interface* blas, struct device* d) {
  static const size_t kSizes[][3] = {
      {7, 7, 7}, {7, 64, 7}, {64, 7, 33}, {1, 40, 9}, {150, 140, 130}};
  static const float kScalars[][2] = {{1.0f, 0.0f}, {0.0f, 3.14f}, {3.14f, 1.0f}};
  int wrong = 0;
  for (size_t i = 0; i < 2 * 3 * 2 * 5 * 2 * 3; ++i) {
    struct call x;
    size_t rest = i;
    x.layout = rest % 2 == 0 ? kRow : kColumn;
    rest /= 2;
    x.ta = kNo + (int)(rest % 3);
    rest /= 3;
    x.tb = kNo + (int)(rest % 2);
    rest /= 2;
    x.m = kSizes[rest % 5][0];
    x.n = kSizes[rest % 5][1];
    x.k = kSizes[rest % 5][2];
    rest /= 5;
    x.gap = rest % 2 * 5;
    x.offset = rest % 2 * 10;
    rest /= 2;
    x.alpha = kScalars[rest][0];
    x.beta = kScalars[rest][1];
    x.count = 1;
    wrong |= run(blas, d, kSingle, &x);
    if (x.ta == kConjugate || x.m > 64) continue;
    x.count = kMaxProducts;
    wrong |= run(blas, d, kStrided, &x);
    wrong |= run(blas, d, kListed, &x);
  }
  return wrong;
}

/* A call of which one thing or another is wrong. Each operand is 2 x 2 of leading dimension 2, its
 * buffer as large as need be. */
struct bad {
  const char* what;
  size_t m, n, k, lda, ldb, ldc, offset_a, offset_b, offset_c;
  int null_operand; /* 'A', 'B', 'C' or 0 */
};

static const struct bad kBad[] = {
    {"nothing", 2, 2, 2, 2, 2, 2, 0, 0, 0, 0},
    {"m is 0", 0, 2, 2, 2, 2, 2, 0, 0, 0, 0},
    {"n is 0", 2, 0, 2, 2, 2, 2, 0, 0, 0, 0},
    {"k is 0", 2, 2, 0, 2, 2, 2, 0, 0, 0, 0},
    {"lda", 2, 2, 2, 1, 2, 2, 0, 0, 0, 0},
    {"ldb", 2, 2, 2, 2, 1, 2, 0, 0, 0, 0},
    {"ldc", 2, 2, 2, 2, 2, 1, 0, 0, 0, 0},
    {"lda is 0", 2, 2, 2, 0, 2, 2, 0, 0, 0, 0},
    {"A is short by its offset", 2, 2, 2, 2, 2, 2, 1, 0, 0, 0},
    {"B is short by its offset", 2, 2, 2, 2, 2, 2, 0, 1, 0, 0},
    {"C is short by its offset", 2, 2, 2, 2, 2, 2, 0, 0, 1, 0},
    {"A is short by lda", 2, 2, 2, 3, 2, 2, 0, 0, 0, 0},
    {"B is short by ldb", 2, 2, 2, 2, 3, 2, 0, 0, 0, 0},
    {"C is short by ldc", 2, 2, 2, 2, 2, 3, 0, 0, 0, 0},
    {"A starts behind its end", 2, 2, 2, 2, 2, 2, 99, 0, 0, 0},
    {"A is null", 2, 2, 2, 2, 2, 2, 0, 0, 0, 'A'},
    {"B is null", 2, 2, 2, 2, 2, 2, 0, 0, 0, 'B'},
    {"C is null", 2, 2, 2, 2, 2, 2, 0, 0, 0, 'C'},
    {"k is 0, lda", 2, 2, 0, 1, 2, 2, 0, 0, 0, 0},
    {"lda, ldb, ldc", 2, 2, 2, 1, 1, 1, 0, 0, 0, 0},
    {"A is short, ldb", 2, 2, 2, 2, 1, 2, 1, 0, 0, 0},
    {"B is short, A is null", 2, 2, 2, 2, 2, 2, 0, 1, 0, 'A'},
    {"C is short, ldb", 2, 2, 2, 2, 1, 2, 0, 0, 1, 0},
    {"A is null, lda", 2, 2, 2, 1, 2, 2, 0, 0, 0, 'A'},
};

static void run_bad_arguments(const struct interface* blas, struct device* d, cl_mem four) {
  for (size_t i = 0; i < 2 * sizeof(kBad) / sizeof(*kBad); ++i) {
    const struct bad* x = &kBad[i / 2];
    const int layout = i % 2 == 0 ? kRow : kColumn;
    const float one = 1.0f;
    const cl_mem a = x->null_operand == 'A' ? NULL : four;
    const cl_mem b = x->null_operand == 'B' ? NULL : four;
    const cl_mem c = x->null_operand == 'C' ? NULL : four;
    const int single =
        blas->sgemm(layout, kNo, kYes, x->m, x->n, x->k, one, a, x->offset_a, x->lda, b,
                    x->offset_b, x->ldb, one, c, x->offset_c, x->ldc, &d->queue, NULL);
    const int strided =
        blas->strided(layout, kNo, kYes, x->m, x->n, x->k, one, a, x->offset_a, x->lda, 0, b,
                      x->offset_b, x->ldb, 0, one, c, x->offset_c, x->ldc, 4, 1, &d->queue, NULL);
    printf("bad: %s, layout %d: %d, strided %d", x->what, layout, single, strided);
    /* Of lists CLBlast does not check the leading dimensions of A and B. */
    if (x->lda >= 2 && x->ldb >= 2) {
      printf(", listed %d", blas->batched(layout, kNo, kYes, x->m, x->n, x->k, &one, a,
                                          &x->offset_a, x->lda, b, &x->offset_b, x->ldb, &one, c,
                                          &x->offset_c, x->ldc, 1, &d->queue, NULL));
    }
    printf("\n");
  }
}

/* Only batches have these faults. `four` holds one matrix, `eight` two. */
static void run_bad_batches(const struct interface* blas, struct device* d, cl_mem four,
                            cl_mem eight) {
  const float ones[] = {1.0f, 1.0f};
  const size_t same[] = {0, 0}, next[] = {0, 4}, beyond[] = {0, 5};
  printf("bad: no products: strided %d, listed %d\n",
         blas->strided(kRow, kNo, kNo, 2, 2, 2, 1.0f, four, 0, 2, 0, four, 0, 2, 0, 0.0f, four, 0,
                       2, 0, 0, &d->queue, NULL),
         blas->batched(kRow, kNo, kNo, 2, 2, 2, ones, four, same, 2, four, same, 2, ones, four,
                       same, 2, 0, &d->queue, NULL));
  printf("bad: the stride of C is 0, lda: strided %d\n",
         blas->strided(kRow, kNo, kNo, 2, 2, 2, 1.0f, four, 0, 1, 0, four, 0, 2, 0, 0.0f, eight, 0,
                       2, 0, 1, &d->queue, NULL));
  for (int i = 0; i < 4; ++i) {
    const size_t* const a = i == 0 ? beyond : same;
    const size_t* const b = i == 1 ? beyond : same;
    const size_t* const c = i == 2 ? beyond : next;
    printf("bad: the second %c is short: strided %d, listed %d\n", "ABC-"[i],
           blas -> strided(kRow, kNo, kNo, 2, 2, 2, 1.0f, four, 0, 2, a[1], four, 0, 2, b[1], 0.0f,
                           eight, 0, 2, c[1], 2, &d->queue, NULL),
           blas -> batched(kRow, kNo, kNo, 2, 2, 2, ones, four, a, 2, four, b, 2, ones, eight, c, 2,
                           2, &d->queue, NULL));
  }
}

static int open_device(struct device* d) {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    return 0;
  }
  d->context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  if (d->context == NULL) return 0;
  d->queue = clCreateCommandQueue(d->context, device, 0, NULL);
  return d->queue != NULL;
}

static void print_server(void (*served_by)(void)) {
  void* address = NULL;
  Dl_info info;
  memcpy(&address, &served_by, sizeof(address));
  fprintf(stderr, "served by %s\n", dladdr(address, &info) != 0 ? info.dli_fname : "?");
}

/* Copies the 2 x 2 matrix at the start of `eight` to its end. */
static void run_copies(const struct interface* blas, cl_command_queue queue, cl_mem eight) {
  static const double kOne[] = {1.0, 0.0};
  printf("Somatcopy: %d\n",
         blas->omatcopy('S', kRow, kYes, 2, 2, kOne, eight, 0, 2, eight, 4, 2, &queue, NULL));
  printf("Comatcopy: %d\n",
         blas->omatcopy('C', kRow, kYes, 1, 2, kOne, eight, 0, 2, eight, 2, 1, &queue, NULL));
  printf("Somatcopy, m is 0: %d\n",
         blas->omatcopy('S', kRow, kNo, 0, 2, kOne, eight, 0, 2, eight, 4, 2, &queue, NULL));
  clFinish(queue);
}

int run_passed_on(const struct interface* blas, void (*served_by)(void)) {
  static const char* names[] = {"VW", "WGS", "WPT"};
  static const size_t values[] = {1, 64, 1};
  struct device d;
  cl_device_id device = NULL;
  if (!open_device(&d) || clGetContextInfo(d.context, CL_CONTEXT_DEVICES, sizeof(device), &device,
                                           NULL) != CL_SUCCESS) {
    puts("SKIPPED: no OpenCL device");
    return 77;
  }
  print_server(served_by);
  printf("Xgemm: %d\n", blas->override_parameters(device, "Xgemm", 3, names, values));
  printf("Xaxpy: %d\n", blas->override_parameters(device, "Xaxpy", 3, names, values));
  printf("Xaxpy, incomplete: %d\n", blas->override_parameters(device, "Xaxpy", 0, names, values));
  printf("unknown: %d\n", blas->override_parameters(device, "no kernel", 3, names, values));
  cl_mem eight =
      checked(clCreateBuffer(d.context, CL_MEM_READ_WRITE, 8 * sizeof(float), NULL, NULL));
  run_copies(blas, d.queue, eight);
  clReleaseMemObject(eight);
  clReleaseCommandQueue(d.queue);
  clReleaseContext(d.context);
  return 0;
}

int run_cases(const struct interface* blas, void (*served_by)(void)) {
  struct device d;
  if (!open_device(&d)) {
    puts("SKIPPED: no OpenCL device");
    return 77;
  }
  print_server(served_by);
  int wrong = run_products(blas, &d);
  wrong |= run_gemv_cases(blas, d.context, d.queue);
  cl_mem four =
      checked(clCreateBuffer(d.context, CL_MEM_READ_WRITE, 4 * sizeof(float), NULL, NULL));
  run_bad_arguments(blas, &d, four);
  cl_mem eight =
      checked(clCreateBuffer(d.context, CL_MEM_READ_WRITE, 8 * sizeof(float), NULL, NULL));
  run_bad_batches(blas, &d, four, eight);
  clFinish(d.queue);
  printf("clear cache: %d\n", blas->clear_cache());
  const struct call again = {kRow, kNo, kNo, 7, 7, 7, 0, 0, 1, 1.0f, 0.0f};
  wrong |= run(blas, &d, kSingle, &again);
  clReleaseMemObject(four);
  clReleaseMemObject(eight);
  clReleaseCommandQueue(d.queue);
  clReleaseContext(d.context);
  return wrong;
}
