// Reads small files of sysfs: numbers, lines and names of entries.
#pragma once

#include <string>
#include <vector>

#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {

// Returns the number at the start of a file, multiplied by `scale`, or a sentence that names the
// file, says why there is none, and what to do if the user may not read it.
SensorReading read_scaled_number(const std::string& file, double scale);

// Returns the first line of a file, or of a text of a device tree, without white space at its end;
// "" if there is none.
std::string read_first_line(const std::string& file);

// Returns the sorted names of the entries of a folder that start with `prefix`; none if there is no
// such folder.
std::vector<std::string> list_names(const std::string& folder, const std::string& prefix);

// Fills in whether the sensor can be read, by reading it once. `file` is the file that it reads,
// and `scale` converts its number to joules or watts.
void read_from_file(EnergySensor& sensor, const std::string& file, double scale);

}  // namespace tilewright
