/** @file
 * Which symbols does the shared library show?
 */
#ifndef TILEWRIGHT_EXPORT_H
#define TILEWRIGHT_EXPORT_H

/** Marks what the shared library shows: the public functions and classes. */
#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

#endif
