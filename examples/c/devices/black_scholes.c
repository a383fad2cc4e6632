/* Black-Scholes prices of European options (Black and Scholes 1973) on a device: the options stay there for two
   regions, and their prices come back. Put-call parity checks the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OPTIONS 100000

static double spot[OPTIONS], strike[OPTIONS], years[OPTIONS], call[OPTIONS], put[OPTIONS];

#pragma omp declare target
static const double rate = 0.02, volatility = 0.30;

/* Cumulative distribution of the standard normal. */
static double normal(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

#pragma omp end declare target

int main(void) {
  for (int i = 0; i < OPTIONS; i++) {
    spot[i] = 5.0 + i % 26;
    strike[i] = 1.0 + i % 100;
    years[i] = 0.25 + (i % 40) * 0.25;
  }
  double error = 0.0, sum = 0.0;
#pragma omp target enter data map(to : spot, strike, years) map(alloc : call, put)
#pragma omp target teams distribute parallel for
  for (int i = 0; i < OPTIONS; i++) {
    double root = volatility * sqrt(years[i]);
    double d1 = (log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / root;
    double d2 = d1 - root;
    double discounted = strike[i] * exp(-rate * years[i]);
    call[i] = spot[i] * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - spot[i] * normal(-d1);
  }
#pragma omp target teams distribute parallel for reduction(max : error) reduction(+ : sum)
  for (int i = 0; i < OPTIONS; i++) {
    double parity = call[i] - put[i] - (spot[i] - strike[i] * exp(-rate * years[i]));
    if (fabs(parity) > error) error = fabs(parity);
    sum += call[i];
  }
#pragma omp target exit data map(from : call, put) map(release : spot, strike, years)
  if (!(error < 1e-9) || !(sum > 0.0)) {
    fprintf(stderr, "put-call parity is wrong by %g\n", error);
    return EXIT_FAILURE;
  }
  printf("Black-Scholes: %d options, their calls are worth %.3f\n", OPTIONS, sum);
  return EXIT_SUCCESS;
}
