/* Objects of devices in a header that the first lines of a file include. No file defines the second. */
#pragma omp declare target
static double header_factor = 5;
extern double other_factor;
#pragma omp end declare target
extern int redeclared;
