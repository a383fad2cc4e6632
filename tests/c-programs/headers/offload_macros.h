/* Macros that make directives where files use them. */
#define WITH_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define TEST_OFFLOADING(result) \
  do { \
    WITH_PRAGMA(omp target map(from: result)) \
    { result = omp_is_initial_device(); } \
  } while (0)
#define counted(n) (calls++, counted(n))
