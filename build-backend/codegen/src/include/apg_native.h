/* Interface for C++ code in X10 programs: simple types, rails and strings. */
#ifndef APG_NATIVE_H
#define APG_NATIVE_H
#include "apg_program.h"
#include "x10aux/config.h"
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

/* Lengths are stored as a type that does not alias elements (apg_stored_length). */
typedef x10_long apg_native_length __attribute__((may_alias));

/* A `Rail[T]`; `raw` are its elements. */
template <class T> struct apg_native_rail {
  const apg_type *type;
  apg_native_length FMGL(size);
  T raw[];
  T &operator[](x10_long i) { return raw[i]; }
};

/* A `String`. The result of `c_str` is valid for 64 further calls in the same thread. */
struct apg_native_string {
  const apg_type *type;
  apg_native_length size;
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
