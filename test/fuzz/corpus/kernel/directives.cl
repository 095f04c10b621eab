f
-cl-mad-enable -cl-std=CL1.1
tile_m=4 tile_n=8
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define X(a) a\
##b
#ifdef X
#endif
/* comment */ // and
__kernel void f(__global float *c) {
#pragma unroll
}
