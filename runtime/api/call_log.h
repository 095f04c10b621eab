/* Calls the log function of an application. */
#pragma once

#include <tilewright/tilewright.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A log function may end its thread: with pthread_exit(), or in Python, when the process ends. glibc then unwinds the stack.
   A C++ library that is linked statically, as in the archives and wheels of scripts/portable, has an unwinder of its own,
   whose frames glibc's cannot pass. It stops at this function, which is compiled without unwind tables, and ends the thread
   without destructors. */
void tilewright_call_log(tw_log log, tw_log_severity severity, const char* line, void* user);

#ifdef __cplusplus
}
#endif
