#include <omp.h>
#include <stdio.h>

#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

/* A variant for devices, whose result shows where it ran. */
int on_device(int x);
#pragma omp declare variant(on_device) match(device={kind(nohost)})
int kind(int x) { return x + 1; }
int on_device(int x) { return x + 2; }

/* The more constructs of the context match, the higher is the score. */
int in_target(void) { return 1; }
int in_teams(void) { return 2; }
#pragma omp declare variant(in_teams) match(construct={target, teams})
#pragma omp declare variant(in_target) match(construct={target})
int construct(void) { return 0; }

/* Conditions, and vendors that no device has. */
int chosen(void) { return 1; }
int never(void) { return 2; }
#pragma omp declare variant(never) match(user={condition(score(9): 0)})
#pragma omp declare variant(never) match(implementation={vendor(amd)})
#pragma omp declare variant(chosen) match(user={condition(1)})
int condition(void) { return 0; }

/* A call in a function that a region calls is one of the device, too. */
static int through(int x) { return kind(x); }

static void functions(void) {
  const int has_device = omp_get_num_devices() > 0;
  int here = 0, called = 0, target = 0, teams = 0, user = 0;
  CHECK(kind(5) == 6 && through(5) == 6 && construct() == 0 && condition() == 1);
  #pragma omp target map(from: here, called, target, user)
  {
    here = kind(5);
    called = through(5);
    target = construct();
    user = condition();
  }
  #pragma omp target teams num_teams(1) map(from: teams)
  teams = construct();
  CHECK(here == 6 + has_device && called == 6 + has_device);
  CHECK(target == 1 && teams == 2 && user == 1);
}

int main(int count, char **words) {
  functions();
  printf("%s: %d failures, devices: %s\n", words[count - 1], failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
