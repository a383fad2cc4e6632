/* Synchronization: barriers hold all threads, locks and critical regions exclude others, flushes make values visible. */
#include <stdio.h>
#include <omp.h>

static int failures;
static int balance;
static omp_lock_t lock;
static void check(int is_right, const char *what) {
  if (!is_right) { printf("wrong: %s\n", what); failures++; }
}

static void deposit(void) {
#pragma omp critical(account)
  balance = balance + 1;
}

static void critical(void) {
  int others = 0;
#pragma omp parallel num_threads(6)
  for (int i = 0; i < 300; i++) {
    deposit();
#pragma omp critical
    others++;
#pragma omp critical(account)
    balance++;
  }
  check(balance == 3600 && others == 1800, "critical");
}

/* Threads that arrive together, some of them, and regions inside of regions. */
static void together(void) {
  int all = 0, thirds = 0, odd = 0, steps[4] = {0};
#pragma omp parallel num_threads(64)
  for (int i = 0; i < 10; i++) {
#pragma omp critical
    {
      if (++all % 3 == 0) {
#pragma omp critical(third)
        thirds++;
      }
      for (int k = 0; k < 4; k++) {
        if (k == 3) break;
        steps[k] += k;
      }
    }
    if (omp_get_thread_num() % 2) {
#pragma omp critical(odd)
      odd++;
    }
  }
  check(all == 640 && thirds == 213 && odd == 320 && steps[2] == 1280 && steps[3] == 0, "critical together");
}

/* A waiter: threads get their locks one after the other, and give them back behind the region. */
static void waiter(void) {
  omp_lock_t forks[8];
  int meals = 0;
  for (int i = 0; i < 8; i++) omp_init_lock(&forks[i]);
#pragma omp parallel num_threads(8)
  {
    int own = omp_get_thread_num(), next = (own + 1) % omp_get_num_threads();
    for (int i = 0; i < 10; i++) {
#pragma omp critical(waiter)
      {
        omp_set_lock(&forks[own]);
        if (next != own) omp_set_lock(&forks[next]);
      }
#pragma omp atomic
      meals++;
      omp_unset_lock(&forks[own]);
      if (next != own) omp_unset_lock(&forks[next]);
    }
  }
  check(meals == 80, "waiter");
}

static void barriers(void) {
  int phase[8] = {0}, wrong = 0;
#pragma omp parallel num_threads(8)
  {
    int own = omp_get_thread_num();
    for (int round = 1; round <= 40; round++) {
      phase[own] = round;
#pragma omp barrier
      for (int i = 0; i < 8; i++)
        if (phase[i] != round) {
#pragma omp atomic
          wrong++;
        }
#pragma omp barrier
    }
  }
  check(wrong == 0, "barrier");
}

static void locks(void) {
  int count = 0, tried = 0, depth = 0, deepest = 0;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 200; i++) {
    omp_set_lock(&lock);
    count++;
    omp_unset_lock(&lock);
    while (!omp_test_lock(&lock)) {
#pragma omp flush
    }
    tried++;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    int now = omp_test_nest_lock(&nest);
    depth++;
    if (depth > deepest) deepest = depth;
    if (now != 2) deepest = 99;
    depth--;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_nest_lock(&nest);
  omp_destroy_lock(&lock);
  check(count == 800 && tried == 800 && deepest == 1, "locks");
}

static void handshake(void) {
  int flag = 0, data = 0, seen = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      data = 42;
#pragma omp flush
      flag = 1;
#pragma omp flush(flag)
    } else {
      int ready = 0;
      while (!ready) {
#pragma omp flush
        ready = flag;
      }
#pragma omp flush
      seen = data;
    }
  }
  check(seen == 42, "flush");
}

static void atomics(void) {
  int count = 0, wrong = 0;
  double sum = 0, product = 1;
  unsigned char small = 0;
  long shifted = 1;
#pragma omp parallel num_threads(5)
  for (int i = 0; i < 10; i++) {
    int before = 0;
    unsigned char now = 0;
    if (i % 2) {
#pragma omp atomic
      count++;
#pragma omp atomic
      small += 2;
#pragma omp atomic read
      now = small;
    } else {
#pragma omp atomic capture
      before = count++;
#pragma omp atomic capture
      now = small += 2;
    }
    if (before < 0 || before >= 50 || now < 2 || now > 100) {
#pragma omp atomic write
      wrong = 1;
    }
#pragma omp atomic
    sum += 0.5;
#pragma omp atomic
    product *= 2;
#pragma omp atomic
    shifted <<= 1;
  }
  check(count == 50 && !wrong && sum == 25 && product == 1125899906842624.0, "atomic");
  check(small == 100 && shifted == 1L << 50, "atomic of other types");
}

static void master(void) {
  int runs = 0, number = -1, sum = 0, own = 1;
#pragma omp parallel num_threads(3)
  {
#pragma omp master
    { runs++; number = omp_get_thread_num(); }
  }
  check(runs == 1 && number == 0, "master");
#pragma omp parallel master num_threads(3) reduction(+ : sum) firstprivate(own)
  { own += 4; sum += own; }
  check(sum == 5 && own == 1, "clauses of parallel master");
}

int main(int count, char **words) {
  critical();
  together();
  waiter();
  barriers();
  locks();
  handshake();
  atomics();
  master();
  printf("%s: %d failures\n", words[count - 1], failures);
  return failures != 0;
}
