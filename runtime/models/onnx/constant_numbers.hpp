// The arithmetic of single numbers of constants: casts, ranges of integers, and extents that are
// not known when a file is read. All functions report errors through ModelPlace::fail().
#pragma once

#include "model_place.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {

// Returns the result of an element-wise operation on elements of a type. A placeholder
// (is_placeholder()) is an extent, or gives a number that follows from its being at least 1; fails
// if the result depends on the extent in another way, is no integer of the type, or is a quotient
// of integers by 0.
double computed_number(NetworkOperation operation, double a, double b, double c, int type,
                       const ModelPlace& place);

// Returns the result of arithmetic, without its fraction if the type is an integer one. Integers
// beyond 2^53 are not exact here, and those beyond the range of their type are others in other
// libraries, so both fail.
double checked_number(double result, int type, const ModelPlace& place);

// Returns the number as an element of this type; fails if the type is an integer one that does not
// have it. Placeholders stay.
double cast_number(double value, int type, const ModelPlace& place);

}  // namespace tilewright
