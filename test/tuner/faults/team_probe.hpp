// A part of fault_probe.
#pragma once

// Two members, each with a context of its own, compute products in host memory. Returns the exit
// code.
int run_team_probe();
// Two members of one context compute a product in buffers. Returns the exit code.
int run_team_in_buffers_probe();
// A library with the cache of $TILEWRIGHT_CACHE computes a product. Returns the exit code.
int run_library_probe();
