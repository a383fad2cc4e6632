/* X10's names of the simple types, under the name that X10's own runtime has for this header. */
#ifndef X10AUX_CONFIG_H
#define X10AUX_CONFIG_H
#include <stdint.h>
typedef int8_t x10_byte;
typedef int16_t x10_short;
typedef int32_t x10_int;
typedef int64_t x10_long;
typedef uint8_t x10_ubyte;
typedef uint16_t x10_ushort;
typedef uint32_t x10_uint;
typedef uint64_t x10_ulong;
typedef float x10_float;
typedef double x10_double;
typedef bool x10_boolean;
typedef unsigned x10_char;          /* a Unicode code point */

/* The name of an X10 field. */
#define FMGL(x) x10__##x
#endif
