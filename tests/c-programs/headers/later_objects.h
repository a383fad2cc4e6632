/* Objects of devices in a header that a line further down includes. */
#pragma omp declare target
static int later_table[2] = {1, 2};
#pragma omp end declare target
