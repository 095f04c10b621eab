#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <tilewright/tilewright.h>

int main(void) {
  printf("tilewright %d\n", tw_version());
  return tw_version() == TW_VERSION ? 0 : 1;
}
