#include "runtime/api/call_log.h"

void tilewright_call_log(tw_log log, tw_log_severity severity, const char* line, void* user) {
  log(severity, line, user);
}
