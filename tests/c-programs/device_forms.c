/* Arrays of variable length, bit-fields, pointers to functions and functions of the C library in regions. */
#include <ctype.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 200
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

static double trace(int n, double a[n][n]) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i][i];
  return sum;
}

static double row_sum(int n, const double a[n]) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}

/* The length changes behind the declaration; returns in front of it and inside. */
static int rows(int n) {
  if (n < 0) return -1;
  int length = n + 1, table[length][n + 2];
  length = 0;
  for (int i = 0; i <= n; i++)
    for (int j = 0; j < n + 2; j++) table[i][j] = 10 * i + j;
  if (n == 3) return table[3][4] + length;
  return table[n][n + 1];
}

static double factorial(int n) {
  double own[n + 1];
  for (int i = 0; i <= n; i++) own[i] = i;
  return n == 0 ? 1 : own[n] * factorial(n - 1);
}

/* Pointers to rows move by rows. */
static double moved(int n, double a[n][n]) {
  double sum = 0, (*row)[n] = a;
  for (int i = 0; i < n; i++) sum += *(*(a + i) + i) + (&a[i])[0][0];
  row++, row += 1;
  sum += 100 * (*row)[0] + 1000 * (row - a) + 10000 * (int)(&a[n - 1] - row);
  return sum + (*(row - 1))[1];
}

static void set(int *to, int x) { to[0] = x, to[1] = to[2] = 2 * x; }

/* The region names the length in the declaration only. */
static double rows_of_constants(int n) {
  double sum = 0;
  #pragma omp target map(tofrom: sum)
  {
    int c[n][3];
    double d[n][2];
    c[0][0] = 0;
    for (int i = 0; i < 4; i++) set(c[i], i), d[i][0] = i, d[i][1] = *(c + i)[0];
    int *p = c[2], (*q)[3] = c + 1;
    sum = p[2] + (*q)[1] + q[1][0] + (&c[3])[0][2] + d[3][1] + *(*(d + 2) + 0);
  }
  return sum;
}

static void variable_lengths(void) {
  int n = 5;
  double a[n], sum = 0, of[N], all[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  int m[n][n];
  for (int i = 0; i < n; i++) {
    a[i] = i;
    for (int j = 0; j < n; j++) m[i][j] = i * j;
  }
  #pragma omp target map(tofrom: a, sum, m, all)
  {
    double b[n], *p = b;
    for (int i = 0; i < n; i++) b[i] = 2 * a[i] + m[i][n - 1];
    sum = row_sum(n, p) + trace(3, all) + row_sum(3, all[1]) + factorial(5);
    /* Each execution of the declaration has a length of its own. */
    for (int k = 1; k < 6; k++) {
      int c[2][k];
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < k; j++) c[i][j] = i + j;
      sum += c[1][k - 1];
    }
  }
  CHECK(sum == 60 + 15 + 15 + 120 + 15);
  CHECK(rows_of_constants(4) == 4 + 2 + 2 + 6 + 3 + 2);
  #pragma omp target map(tofrom: sum) map(to: all)
  sum = moved(3, all);
  CHECK(sum == moved(3, all) && sum == 15 + 12 + 700 + 2000 + 0 + 5);
  #pragma omp target teams distribute parallel for map(from: of)
  for (int i = 0; i < N; i++) {
    double own[i + 1];
    for (int j = 0; j <= i; j++) own[j] = j;
    of[i] = row_sum(i + 1, own) + rows(i % 7 - 1);
  }
  for (int i = 0; i < N; i++) CHECK(of[i] == i * (i + 1) / 2 + rows(i % 7 - 1));
}

struct flags {
  unsigned a : 3, b : 5;
  int c : 7;
  unsigned long d : 40;
  _Bool e : 1;
  char f;
  signed int : 0;
  unsigned short g : 9;
};
union view { unsigned whole; struct { unsigned low : 12, high : 20; }; };

/* The bit-fields are where other structs have padding. */
enum kind { A, B, C, D };
typedef enum { MINUS = -1, ZERO, PLUS } sign;
struct padded { char c; unsigned x : 3; enum kind kind : 2; sign sign : 2; int z; };

static void copied_bit_fields(void) {
  struct padded from[N], to[N];
  int equal = 0;
  for (int i = 0; i < N; i++) from[i] = (struct padded){.x = i % 8, .kind = i % 4, .sign = i % 3 - 1, .z = i};
  memset(to, 0, sizeof to);
  #pragma omp target map(to: from) map(tofrom: to, equal)
  for (int i = 0; i < N; i++) {
    struct padded v = from[i], *p = &to[i];
    v.z += 1;
    *p = v;
    equal += (p->kind == D) + (p->sign == MINUS);
  }
  CHECK(equal == N / 4 + 67);
  for (int i = 0; i < N; i++)
    CHECK(to[i].x == (unsigned)i % 8 && (int)to[i].kind == i % 4 && to[i].sign == i % 3 - 1 && to[i].z == i + 1);
}

static void bit_fields(void) {
  struct flags x = {1, 2, -3, 4, 0, 5, 6}, many[N] = {{0}};
  int sum = 0, is_less = 0, widths = 5;
  union view v = {0x12345678};
  #pragma omp target map(tofrom: x, sum, is_less, v)
  {
    struct flags own = {.c = -1, .e = 1, .f = 'x'}, copy = own, *p = &x;
    sum = x.a + x.b + x.c + (int)x.d + own.c + own.e + copy.f + copy.c;
    is_less = p->a - 5 < 0;
    p->a += 9, p->b = 31 + widths, p->c--, p->d |= 1UL << 39, p->e = widths, x.g = ~0;
    sum += p->a++ + (p->b = 32 + widths);
    v.high ^= v.low;
  }
  CHECK(sum == 1 + 2 - 3 + 4 - 1 + 1 + 'x' - 1 + 2 + 5);
  CHECK(is_less && x.a == 3 && x.b == 5 && x.c == -4 && x.d == ((1UL << 39) | 4) && x.e == 1);
  CHECK(x.f == 5 && x.g == 511);
  CHECK(v.low == 0x678 && v.high == (0x12345 ^ 0x678));
  #pragma omp target teams distribute parallel for map(tofrom: many)
  for (int i = 0; i < N; i++) many[i].b = i % 32, many[i].c = -(i % 64), many[i].g = i;
  for (int i = 0; i < N; i++)
    CHECK(many[i].a == 0 && many[i].b == (unsigned)i % 32 && many[i].c == -(i % 64) && many[i].g == i);
}

typedef double (*operation)(double);
struct step { operation what; int times; };

static double twice(double x) { return 2 * x; }
static double square(double x) { return x * x; }
double next(double x);
double next(double x) { return x + 1; }
static double applied(operation what, double x) { return what(x); }
static int count_of(int x) { return x; }
static void add(int *to, int x) { *to += x; }
static int compared(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void pointers_to_functions(void) {
  operation all[3] = {twice, square, next}, chosen = square, none = NULL;
  struct step steps[2] = {{twice, 3}, {next, 2}};
  int (*whole)(int) = count_of;
  void (*procedure)(int *, int) = add;
  double sum = 0, of[N];
  int counted = 0, list[7] = {5, 3, 9, 1, 7, 2, 8}, found = 0;
  #pragma omp target map(tofrom: sum, counted, list, found) map(to: all, steps)
  {
    operation own = counted ? twice : next;
    sum = chosen(3) + applied(twice, 4) + applied(&next, 1) + own(5) + (*all[1])(6) + all[2](0);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < steps[i].times; j++) sum = steps[i].what(sum);
    if (!none && chosen == square && own != square) procedure(&counted, whole(40)), procedure(&counted, 2);
    qsort(list, 7, sizeof list[0], compared);
    int key = 7, *at = bsearch(&key, list, 7, sizeof list[0], compared);
    found = at - list;
  }
  CHECK(sum == 8 * (9 + 8 + 2 + 6 + 36 + 1) + 2 && counted == 42 && found == 4);
  for (int i = 1; i < 7; i++) CHECK(list[i - 1] < list[i]);
  #pragma omp target teams distribute parallel for map(to: all) map(from: of)
  for (int i = 0; i < N; i++) of[i] = all[i % 3](i);
  for (int i = 0; i < N; i++) CHECK(of[i] == all[i % 3](i));
}

static void strings(void) {
  char name[32] = "device", other[32] = {0};
  int r[24] = {0};
  #pragma omp target map(tofrom: name, other, r)
  {
    strcpy(other, name), strcat(other, "-x");
    r[0] = (int)strlen(name), r[1] = strcmp(name, other) < 0, r[2] = strncmp(name, other, 6);
    memmove(other + 1, other, 5);
    r[3] = memcmp(name, other, 3) != 0, r[4] = (int)(strchr(name, 'v') - name);
    r[5] = (int)(strrchr(name, 'e') - name), r[6] = strchr(name, 'z') == NULL;
    r[7] = (int)(strstr(other, "ev") - other), r[8] = strstr(name, "vise") == NULL;
    strncpy(name, "ab", 4);
    r[9] = name[3], r[10] = name[4];
    strncat(name, "cd", 5);
    r[11] = (int)((char *)memchr(name, 'c', 5) - name), r[12] = (int)strspn("aabc", "ab");
    r[13] = (int)strcspn("hello", "l"), r[14] = atoi(" -42x"), r[15] = *strpbrk("some", "xem");
    r[16] = toupper('q') + tolower('Q'), r[17] = isdigit('7') && !isdigit('x') && isspace('\t') && isxdigit('F');
    r[18] = isalpha('A') && ispunct('!') && !isupper('a') && isalnum('0') && iscntrl('\n') && !isprint(127);
    r[19] = __builtin_popcount(255) + __builtin_clz(1) + __builtin_ctzl(8);
  }
  static const int expected[20] = {6, 1, 0, 1, 2, 5, 1, 2, 1, 0, 'c', 2, 3, 2, -42, 'm', 'Q' + 'q', 1, 1, 42};
  for (int i = 0; i < 20; i++) CHECK(r[i] == expected[i]);
  CHECK(!strcmp(name, "abcd") && !strcmp(other, "ddevic-x"));
}

static void numbers(void) {
  double r[12], whole = 0;
  float f = 0;
  int e = 0;
  long l = 0;
  #pragma omp target map(from: r) map(tofrom: whole, f, e, l)
  {
    r[0] = exp2(3) + log2(8) + rint(1.2) + nearbyint(2.5), r[1] = copysign(1, -0.0), r[2] = fdim(3, 1);
    r[3] = ldexp(1, 3) + scalbn(1, 2), r[4] = modf(3.25, &whole), r[5] = frexp(8, &e), r[6] = remainder(5, 3);
    r[7] = tgamma(5) + lgamma(1), r[8] = acosh(1) + asinh(0) + atanh(0), r[9] = nextafter(1, 2) > 1;
    r[10] = (signbit(-0.0) != 0) + 2 * (signbit(1.0) != 0) + 4 * isnormal(1.0) + 8 * isnormal(0.0);
    r[11] = ilogb(10.0) + logb(8.0);
    f = modff(-1.5f, &f) + copysignf(2, -1) + exp2f(2);
    l = lround(2.5) + llround(-3.5) + lrint(4.4) + lroundf(0.5f);
  }
  CHECK(r[0] == 8 + 3 + 1 + 2 && r[1] == -1 && r[2] == 2 && r[3] == 12 && r[4] == 0.25 && whole == 3);
  CHECK(r[5] == 0.5 && e == 4 && r[6] == -1 && fabs(r[7] - 24) < 1e-9 && r[8] == 0 && r[9] == 1);
  CHECK(r[10] == 5 && r[11] == 6 && f == 1.5 && l == 4);
}

static void filters(void) {
  int k = 1, x = 0, n = 0;
  #pragma omp target parallel num_threads(4) map(tofrom: x, n)
  {
    #pragma omp masked filter(k)
    x += 7;
    #pragma omp atomic
    n++;
  }
  CHECK(x == (n > 1 ? 7 : 0));
}

int main(int count, char **words) {
  variable_lengths();
  bit_fields();
  copied_bit_fields();
  pointers_to_functions();
  strings();
  numbers();
  filters();
  printf("%s: %d failures, devices: %s\n", words[count - 1], failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
