// A part of fault_probe.
#pragma once

// Returns the exit code.
int run_team_probe();
