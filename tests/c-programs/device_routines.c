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

static int number_of_thread(void) { return omp_get_thread_num(); }
static int threads_of_level(int level) { return omp_get_team_size(level); }

/* A function knows what encloses its call. */
static void in_functions(void) {
  int own[64], called[64], wrong = 0, inner = -1, around = -1, sizes = 0;
  #pragma omp target teams distribute parallel for map(from: own, called) num_teams(2) thread_limit(8)
  for (int i = 0; i < 64; i++) { own[i] = omp_get_thread_num(); called[i] = number_of_thread(); }
  for (int i = 0; i < 64; i++) wrong += own[i] != called[i];
  CHECK(wrong == 0);
  #pragma omp target parallel for schedule(static) num_threads(4) map(from: called)
  for (int i = 0; i < 64; i++) called[i] = number_of_thread();
  for (int i = 1; i < 64; i++) wrong += called[i] < called[i - 1];
  CHECK(wrong == 0);
  #pragma omp target parallel num_threads(4) map(from: inner, around, sizes)
  {
    #pragma omp single
    {
      #pragma omp parallel num_threads(1)
      {
        inner = number_of_thread();
        around = omp_get_ancestor_thread_num(0);
        sizes = threads_of_level(0) == 1 && threads_of_level(1) >= 1 && threads_of_level(2) == 1 &&
                threads_of_level(3) == -1 && omp_get_ancestor_thread_num(2) == 0 && omp_get_ancestor_thread_num(-1) == -1;
      }
    }
  }
  CHECK(inner == 0 && around == 0 && sizes);
}

/* What a device has, and the time. */
static void surroundings(void) {
  int threads = 0, processors = 0, final = -1, dynamic = -1, bind = -1, places = -1, chunk = -1;
  omp_sched_t kind = 0;
  double start = 0, end = 0, tick = 0;
  #pragma omp target map(from: threads, processors, final, dynamic, bind, places, start, end, tick, kind, chunk)
  {
    start = omp_get_wtime();
    threads = omp_get_max_threads();
    processors = omp_get_num_procs();
    final = omp_in_final();
    dynamic = omp_get_dynamic();
    bind = omp_get_proc_bind();
    places = omp_get_num_places();
    omp_get_schedule(&kind, &chunk);
    tick = omp_get_wtick();
    end = omp_get_wtime();
  }
  CHECK(threads >= 1 && processors >= 1 && final == 0 && bind >= 0 && places >= 0);
  CHECK(dynamic == 0 || dynamic == 1);
  CHECK(end >= start && tick > 0 && kind != 0 && chunk >= 0);
}

int main(int count, char **words) {
  devices();
  levels();
  in_functions();
  surroundings();
  printf("%s: %d failures, devices: %s\n", words[count - 1], failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
