/* Functions of the host with the addresses of objects that one thread of a region has. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define COUNT 40

struct word {
  char text[20];
  long length;
};

static int failures;

static void check(int is_right, const char *what) {
  if (is_right) return;
  failures++;
  printf("wrong: %s\n", what);
}

/* A function of the file, which the region calls: it tells the time by an object of its own. */
static double now(void) {
  struct timeval time;
  if (gettimeofday(&time, NULL) != 0) return -1;
  return (double)time.tv_sec + time.tv_usec / 1e6;
}

static void say(char *to, const char *text) { sprintf(to, "%s", text); }

static void objects(void) {
  int wrong = 0, late = 0;
#pragma omp parallel for num_threads(4) reduction(+ : wrong, late)
  for (int i = 0; i < COUNT; i++) {
    double start = now();
    struct timespec moment = {0, 1000};
    nanosleep(&moment, NULL);
    nanosleep(&(struct timespec){0, 1000}, &moment);
    if (start < 0 || now() < start) late++;

    char text[40], *end = NULL;
    snprintf(text, sizeof text, "%d.5 rest of %d", i, i);
    if (strtod(text, &end) != i + 0.5 || *end != ' ' || end != text + (i < 10 ? 3 : 4)) wrong++;
    if (strcmp(strcpy(text + 4, "changed"), "changed") != 0 || text[4] != 'c' || text[0] != '0' + (i < 10 ? i : i / 10)) wrong++;

    struct word words[2];
    memset(words, 0, sizeof words);
    for (int k = 0; k < 2; k++) {
      sprintf(words[k].text, "word %d", i + k);
      words[k].length = (long)strlen(words[k].text);
    }
    if (words[0].length != (i < 10 ? 6 : 7) || strcmp(words[1].text, words[0].text) == 0) wrong++;
    memmove(words, words + 1, sizeof words[1]);
    if (strcmp(words[0].text, words[1].text) != 0 || atoi(&words[0].text[5]) != i + 1) wrong++;
  }
  check(wrong == 0, "objects of a thread");
  check(late == 0, "the time");
}

static void texts(void) {
  char all[4][30];
#pragma omp parallel num_threads(4)
  {
    char own[30] = "thread ";
    own[7] = (char)('0' + omp_get_thread_num()), own[8] = 0;
    if (omp_get_thread_num() < 4) say(all[omp_get_thread_num()], own);
  }
  check(!strcmp(all[0], "thread 0"), "the text of a pointer");
}

/* Static objects of functions, which code of the host and of the device changes. */
static int counted(int by) {
  static int calls = 5, table[4] = {1, 2, 3, 4}, *last __attribute__((aligned(16))) = table;
#pragma omp critical
  {
    calls += by;
    table[calls % 4]++;
    last = &table[calls % 4];
  }
  return *last > 0 ? calls : -1;
}

static void statics(void) {
  static double total = 1;
  int wrong = 0;
  check(counted(1) == 6, "a static object in front of a region");
#pragma omp parallel num_threads(4)
  {
    static int inside = 3;
    if (counted(1) < 6) {
#pragma omp atomic
      wrong++;
    }
#pragma omp atomic
    total += 0.5;
#pragma omp atomic
    inside++;
#pragma omp barrier
    if (inside != 7) wrong++;
  }
  check(wrong == 0 && total == 3 && counted(0) == 10, "static objects of functions");
}

int main(int count, char **words) {
  objects();
  texts();
  statics();
  printf("%s: %d failures\n", count > 1 ? words[1] : "none", failures);
  return failures > 0;
}
