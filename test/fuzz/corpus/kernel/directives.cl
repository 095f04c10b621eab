f
-cl-mad-enable -cl-std=CL1.1
tile_m=4 tile_n=8
/* comment */ // and
__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void f(__global float *c) {
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
  __builtin_nontemporal_store(0.0f, c);
#endif
#endif
}
