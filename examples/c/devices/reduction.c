/* Reductions on a device with several operators over one loop, and what they must give. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static int check(const char *what, long found, long expected) {
  if (found == expected) return 0;
  fprintf(stderr, "%s is %ld, expected %ld\n", what, found, expected);
  return 1;
}

int main(void) {
  long sum = 0, product = 1;
  int all = 1, any = 0, least = INT_MAX, greatest = INT_MIN;
  unsigned bits_and = ~0u, bits_or = 0, bits_xor = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(* : product) reduction(&& : all) \
    reduction(|| : any)                                                                                    \
    reduction(min : least) reduction(max : greatest) reduction(& : bits_and) reduction(| : bits_or)        \
    reduction(^ : bits_xor)
  for (int i = 1; i <= N; i++) {
    int value = (i * 37) % 1009;
    sum += i;
    product *= i % 100 == 0 ? 2 : 1;
    all = all && value != 0;
    any = any || value == 1008;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    bits_and &= 0xf0u | (unsigned)i;
    bits_or |= (unsigned)i & 0xffu;
    bits_xor ^= (unsigned)i;
  }
  int least_expected = INT_MAX, greatest_expected = INT_MIN, any_expected = 0;
  for (int i = 1; i <= N; i++) {
    int value = (i * 37) % 1009;
    if (value < least_expected) least_expected = value;
    if (value > greatest_expected) greatest_expected = value;
    any_expected = any_expected || value == 1008;
  }
  int failures = check("the sum", sum, (long)N * (N + 1) / 2) + check("the product", product, 1024) +
                 check("all", all, 1) + check("any", any, any_expected) +
                 check("the least", least, least_expected) + check("the greatest", greatest, greatest_expected) +
                 check("and", (long)bits_and, 0xf0) + check("or", (long)bits_or, 0xff) +
                 check("exclusive or", (long)bits_xor, N); /* 1 ^ ... ^ N is N where 4 divides N */
  if (failures > 0) return EXIT_FAILURE;
  printf("reduction: the sum to %d is %ld\n", N, sum);
  return EXIT_SUCCESS;
}
