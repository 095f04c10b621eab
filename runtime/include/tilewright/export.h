/* Which symbols does the shared library show? */
#ifndef TILEWRIGHT_EXPORT_H
#define TILEWRIGHT_EXPORT_H

#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

#endif
