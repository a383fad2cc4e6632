/* Pointers at file scope to memory that `malloc` of the program has not given. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static char *name;
static int *mapped;
static struct {
  long number;
  int *inside;
} nested;

static int use(int round) {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += mapped[round] + (name[0] != 0) + (nested.inside != NULL);
  return sum;
}

/* A region may name memory before it can be read. */
static int use_later(size_t bytes) {
  name = program_invocation_short_name;
  mapped = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  use(0);
  if (mprotect(mapped, bytes, PROT_READ | PROT_WRITE) != 0) return 1;
  use(0);
  printf("the end\n");
  return 0;
}

int main(int count, char **words) {
  const int bytes = 1 << 16;
  if (count > 1 && strcmp(words[1], "later") == 0) return use_later(bytes);
  const int is_file = count > 1, file = is_file ? open(words[1], O_RDONLY) : -1;
  name = program_invocation_short_name;
  mapped = mmap(NULL, bytes, PROT_READ | (is_file ? 0 : PROT_WRITE), MAP_PRIVATE | (is_file ? 0 : MAP_ANONYMOUS), file, 0);
  nested.number = 0x7fffffffffff;
  nested.inside = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int round = 0; round < 3; round++) use(round);
  munmap(mapped, bytes);
  printf("the end\n");
  return 0;
}
