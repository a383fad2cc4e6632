#include <omp.h>
#include <stdio.h>

#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

static int device_here(void) { return omp_get_device_num(); }

/* Which device executes, from the region itself and from a function that it calls. */
static void devices(void) {
  const int count = omp_get_num_devices();
  CHECK(omp_get_device_num() == omp_get_initial_device());
  for (int number = 0; number <= count; number++) {
    int own = -2, called = -2, host = -2, all = -2;
    #pragma omp target map(from: own, called, host, all) device(number)
    {
      own = omp_get_device_num();
      called = device_here();
      host = omp_get_initial_device();
      all = omp_get_num_devices();
    }
    CHECK(own == number && called == number && host == count && all == count);
  }
}

/* What encloses the call. */
static void levels(void) {
  int level = -1, active = -1, parallel = -1, inner = -1, limit = -1, threads = 0, nested = -1;
  #pragma omp target map(from: level, active, parallel)
  {
    level = omp_get_level();
    active = omp_get_active_level();
    parallel = omp_in_parallel();
  }
  CHECK(level == 0 && active == 0 && parallel == 0);
  #pragma omp target parallel num_threads(2) map(from: level, active, parallel, threads)
  {
    #pragma omp masked
    {
      level = omp_get_level();
      active = omp_get_active_level();
      parallel = omp_in_parallel();
      threads = omp_get_num_threads();
    }
  }
  CHECK(level == 1 && active == (threads > 1) && parallel == active);
  #pragma omp target map(from: level, inner)
  {
    #pragma omp parallel num_threads(1)
    {
      level = omp_get_level();
      inner = omp_in_parallel();
    }
  }
  CHECK(level == 1 && inner == 0);
  #pragma omp target teams num_teams(1) thread_limit(8) map(from: limit, nested)
  #pragma omp parallel num_threads(1)
  {
    limit = omp_get_thread_limit();
    nested = omp_get_max_active_levels();
  }
  CHECK(limit >= 1 && limit <= 8 && nested >= 1);
}

int main(int count, char **words) {
  devices();
  levels();
  printf("%s: %d failures, devices: %s\n", words[count - 1], failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
