/* What C++ code in X10 programs may use: X10's names of the simple types, rails and strings. */
#ifndef APG_NATIVE_H
#define APG_NATIVE_H
#include "apg_program.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string>
#include <sys/time.h>
#include <unistd.h>
#include <utility>
#include <vector>

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
typedef apg_char x10_char;

#define FMGL(x) x10__##x

/* A `Rail[T]`: its elements are `raw`. */
template <class T> struct apg_native_rail {
  const apg_type *type;
  long FMGL(size);
  T raw[];
  T &operator[](long i) { return raw[i]; }
};

/* A `String`. What `c_str` gives is good for 64 calls in one thread. */
struct apg_native_string {
  const apg_type *type;
  long size;
  char bytes[];
  int length() const { return (int)size; }
  const char *c_str() const {
    static thread_local std::string kept[64];
    static thread_local unsigned next = 0;
    std::string &text = kept[next++ % 64];
    text.assign(bytes, (size_t)size);
    return text.c_str();
  }
};
#endif
