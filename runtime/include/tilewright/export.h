/** @file
 * Macros for exported symbols and for enumerations. */
#ifndef TILEWRIGHT_EXPORT_H
#define TILEWRIGHT_EXPORT_H

/** Marks the exported symbols of the shared library: public functions and classes. */
#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

/** The type of an enumeration that a caller may give any int: in C++ a value beyond the enumerators
    would otherwise be undefined before the library can refuse it. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define TW_INT_ENUM : int
#else
#define TW_INT_ENUM
#endif

#endif
