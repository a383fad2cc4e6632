#include "native_code.h"
double total_of(const double *xs, long length) {
  double total = 0;
  for (long i = 0; i < length; ++i) total += xs[i];
  return total;
}
void fill_pair(pair_of_ints *pair, int seed) { pair->first = seed; pair->second = 2 * seed; }
