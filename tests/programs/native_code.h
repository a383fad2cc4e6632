/* Beside native_code.x10. */
#include <stdint.h>
struct pair_of_ints { int32_t first, second; };
double total_of(const double *xs, long length);
void fill_pair(pair_of_ints *pair, int seed);
/* Elements and values of each type, as X10's names and those of <stdint.h> have them. */
#define LAST_OF(name, x10, c) inline c name(x10 *p, x10_long n) { c *last = p + n - 1; return *last; }
LAST_OF(last_byte, x10_byte, int8_t)
LAST_OF(last_short, x10_short, int16_t)
LAST_OF(last_int, x10_int, int32_t)
LAST_OF(last_long, x10_long, int64_t)
LAST_OF(last_ubyte, x10_ubyte, uint8_t)
LAST_OF(last_ushort, x10_ushort, uint16_t)
LAST_OF(last_uint, x10_uint, uint32_t)
LAST_OF(last_ulong, x10_ulong, uint64_t)
LAST_OF(last_float, x10_float, float)
LAST_OF(last_double, x10_double, double)
LAST_OF(last_boolean, x10_boolean, bool)
LAST_OF(last_char, x10_char, x10_char)
inline void count_up(int64_t *value) { ++*value; }
