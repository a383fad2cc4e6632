#include <omp.h>
#include <stdio.h>

#define N 64
#define DEVICE_IS_WANTED 1
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

/* The host has the first directive, a device the second one. */
static int threads_of(int *a, int n) {
  int threads = 1;
  #pragma omp metadirective when(device={kind(host)}: parallel num_threads(2) shared(threads)) default(nothing)
  {
    #pragma omp metadirective \
      when(device={kind(nohost)}: \
        nothing) \
      default(for)
    for (int i = 0; i < n; i++) a[i] = omp_get_num_threads();
    if (omp_get_thread_num() == 0) threads = omp_get_num_threads();
  }
  return threads;
}

static void functions(void) {
  int a[N] = {0}, threads = 0;
  CHECK(threads_of(a, N) == 2 && a[0] == 2 && a[N - 1] == 2);
  #pragma omp target map(tofrom: a) map(from: threads)
  threads = threads_of(a, N);
  CHECK(omp_get_num_devices() == 0 || (threads == 1 && a[0] == 1 && a[N - 1] == 1));
}

/* A region is chosen by a constant condition. */
static void regions(void) {
  int a[N], on_host = -1;
  #pragma omp metadirective when(user={condition(DEVICE_IS_WANTED)}: target teams distribute parallel for map(from: a)) \
    default(parallel for)
  for (int i = 0; i < N; i++) a[i] = 2 * i;
  for (int i = 0; i < N; i++) CHECK(a[i] == 2 * i);
  #pragma omp metadirective when(user={condition(!DEVICE_IS_WANTED)}: parallel) default(target map(from: on_host))
  on_host = omp_is_initial_device();
  CHECK(on_host == (omp_get_num_devices() == 0));
  #pragma omp metadirective when(device={arch(nvptx64)}: parallel) otherwise(target data map(tofrom: a))
  {
    #pragma omp target
    a[0] = 5;
  }
  CHECK(a[0] == 5);
  CHECK(__LINE__ == 49);
}

/* What a region of the host has. */
static void on_host(void) {
  int count = 0, sum = 0;
  #pragma omp parallel num_threads(3)
  {
    #pragma omp metadirective when(construct={parallel}: for reduction(+: sum)) default(parallel for)
    for (int i = 0; i < N; i++) sum += i;
    #pragma omp metadirective when(construct={target}: nothing) otherwise(critical (lock))
    count++;
  }
  CHECK(sum == N * (N - 1) / 2 && count == 3);
  sum = 0;
  #pragma omp target map(tofrom: sum) if(0)
  {
    #pragma omp metadirective when(device={kind(host)}: parallel num_threads(2) reduction(+: sum)) default(nothing)
    sum += 1;
  }
  CHECK(sum == 2);
}

int main(int count, char **words) {
  functions();
  regions();
  on_host();
  printf("%s: %d failures, devices: %s\n", words[count - 1], failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
