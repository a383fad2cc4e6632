/* Beside native_code.x10. */
#include <stdint.h>
struct pair_of_ints { int32_t first, second; };
double total_of(const double *xs, long length);
void fill_pair(pair_of_ints *pair, int seed);
