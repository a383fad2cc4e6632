/* Functions of the C library that code of devices calls (C17 7.4, 7.22.1, 7.22.5, 7.24), lowered as code of the program is.
   Strings are those of the "C" locale. */

typedef unsigned long size_t;

/* 7.24.6.3 */
size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

/* POSIX */
size_t strnlen(const char *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length]) length++;
  return length;
}

/* 7.24.2 */
void *memmove(void *to, const void *from, size_t size) {
  unsigned char *target = to;
  const unsigned char *source = from;
  if (target < source)
    for (size_t i = 0; i < size; i++) target[i] = source[i];
  else
    for (size_t i = size; i > 0; i--) target[i - 1] = source[i - 1];
  return to;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  do to[i] = from[i];
  while (from[i++]);
  return to;
}

char *strncpy(char *to, const char *from, size_t size) {
  size_t i = 0;
  for (; i < size && from[i]; i++) to[i] = from[i];
  for (; i < size; i++) to[i] = 0;
  return to;
}

/* 7.24.3 */
char *strcat(char *to, const char *from) {
  strcpy(to + strlen(to), from);
  return to;
}

char *strncat(char *to, const char *from, size_t size) {
  char *end = to + strlen(to);
  size_t i = 0;
  for (; i < size && from[i]; i++) end[i] = from[i];
  end[i] = 0;
  return to;
}

/* 7.24.4 */
int memcmp(const void *first, const void *second, size_t size) {
  const unsigned char *a = first, *b = second;
  for (size_t i = 0; i < size; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

int strncmp(const char *first, const char *second, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char a = first[i], b = second[i];
    if (a != b) return a < b ? -1 : 1;
    if (!a) return 0;
  }
  return 0;
}

int strcmp(const char *first, const char *second) {
  return strncmp(first, second, -1UL);
}

/* 7.24.5 */
void *memchr(const void *bytes, int wanted, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    if (at[i] == (unsigned char)wanted) return (void *)(at + i);
  return 0;
}

char *strchr(const char *text, int wanted) {
  for (;; text++) {
    if (*text == (char)wanted) return (char *)text;
    if (!*text) return 0;
  }
}

char *strrchr(const char *text, int wanted) {
  char *found = 0;
  for (;; text++) {
    if (*text == (char)wanted) found = (char *)text;
    if (!*text) return found;
  }
}

size_t strspn(const char *text, const char *accepted) {
  size_t length = 0;
  while (text[length] && strchr(accepted, text[length])) length++;
  return length;
}

size_t strcspn(const char *text, const char *refused) {
  size_t length = 0;
  while (text[length] && !strchr(refused, text[length])) length++;
  return length;
}

char *strpbrk(const char *text, const char *wanted) {
  text += strcspn(text, wanted);
  return *text ? (char *)text : 0;
}

char *strstr(const char *text, const char *wanted) {
  size_t length = strlen(wanted);
  for (;; text++) {
    if (!strncmp(text, wanted, length)) return (char *)text;
    if (!*text) return 0;
  }
}

/* The classes of a character (7.4.1), as bits in the order of the headers of the GNU C library. */
unsigned short __builtin_character_classes(int c) {
  int upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
  int hex = digit || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
  int space = c == ' ' || (c >= '\t' && c <= '\r'), blank = c == ' ' || c == '\t';
  int graph = c > ' ' && c < 127, print = graph || c == ' ', control = (c >= 0 && c < ' ') || c == 127;
  int alphanumeric = upper || lower || digit;
  return upper << 8 | lower << 9 | (upper || lower) << 10 | digit << 11 | hex << 12 | space << 13 | print << 14 | graph << 15
       | blank | control << 1 | (graph && !alphanumeric) << 2 | alphanumeric << 3;
}

int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

/* 7.22.1.2 */
long atol(const char *text) {
  unsigned long value = 0;
  int is_negative;
  while (*text == ' ' || (*text >= '\t' && *text <= '\r')) text++;
  is_negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (*text - '0');
  return is_negative ? -value : value;
}

long long atoll(const char *text) { return atol(text); }
int atoi(const char *text) { return atol(text); }

/* GNU C, "Other Built-in Functions" */
int __builtin_popcountll(unsigned long long bits) {
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

int __builtin_ctzll(unsigned long long bits) { return __builtin_popcountll((bits & -bits) - 1); }

int __builtin_clzll(unsigned long long bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits |= bits >> shift;
  return 64 - __builtin_popcountll(bits);
}

int __builtin_popcountl(unsigned long bits) { return __builtin_popcountll(bits); }
int __builtin_popcount(unsigned bits) { return __builtin_popcountll(bits); }
int __builtin_ctzl(unsigned long bits) { return __builtin_ctzll(bits); }
int __builtin_ctz(unsigned bits) { return __builtin_ctzll(bits); }
int __builtin_clzl(unsigned long bits) { return __builtin_clzll(bits); }
int __builtin_clz(unsigned bits) { return __builtin_clzll(bits) - 32; }

/* 7.22.5 */
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *at = (const char *)base + middle * size;
    int order = compare(key, at);
    if (!order) return (void *)at;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return 0;
}

static void exchange(char *a, char *b, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

/* Heapsort (Williams 1964), which needs neither memory nor a stack. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *at = base;
  size_t start = count / 2, end = count;
  while (end > 1) {
    if (start > 0) start--;
    else {
      end--;
      exchange(at, at + end * size, size);
    }
    for (size_t root = start; 2 * root + 1 < end;) {
      size_t child = 2 * root + 1;
      if (child + 1 < end && compare(at + child * size, at + (child + 1) * size) < 0) child++;
      if (compare(at + root * size, at + child * size) >= 0) break;
      exchange(at + root * size, at + child * size, size);
      root = child;
    }
  }
}
