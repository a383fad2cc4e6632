/* A linked structure: one thread walks a list and makes a task of each element, which computes in the element;
   a binary tree is summed by recursive tasks. */
#include <stdio.h>
#include <stdlib.h>

#define ELEMENTS 2000
#define DEPTH 12

struct element {
  int number;
  long steps;
  struct element *next;
};

struct node {
  long value;
  struct node *left, *right;
};

/* Steps until n -> n/2 or 3n+1 reaches 1 (Collatz). */
static long collatz(long n) {
  long steps = 0;
  for (; n != 1; steps++) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

static struct node *tree(int depth, long value) {
  if (depth == 0) return NULL;
  struct node *made = malloc(sizeof *made);
  if (made == NULL) exit(EXIT_FAILURE);
  *made = (struct node){value, tree(depth - 1, 2 * value), tree(depth - 1, 2 * value + 1)};
  return made;
}

static long sum(const struct node *node) {
  if (node == NULL) return 0;
  long left, right;
#pragma omp task shared(left)
  left = sum(node->left);
#pragma omp task shared(right)
  right = sum(node->right);
#pragma omp taskwait
  return node->value + left + right;
}

static void release(struct node *node) {
  if (node == NULL) return;
  release(node->left);
  release(node->right);
  free(node);
}

int main(void) {
  struct element *first = NULL;
  for (int i = ELEMENTS; i >= 1; i--) {
    struct element *element = malloc(sizeof *element);
    if (element == NULL) return EXIT_FAILURE;
    *element = (struct element){i, -1, first};
    first = element;
  }
#pragma omp parallel
#pragma omp single
  for (struct element *it = first; it != NULL; it = it->next) {
#pragma omp task firstprivate(it)
    it->steps = collatz(it->number);
  }
  long longest = 0;
  int failures = 0;
  while (first != NULL) {
    struct element *next = first->next;
    if (first->steps != collatz(first->number)) failures++;
    if (first->steps > longest) longest = first->steps;
    free(first);
    first = next;
  }
  struct node *root = tree(DEPTH, 1);
  long total = 0, count = (1L << DEPTH) - 1;
#pragma omp parallel
#pragma omp single
  total = sum(root);
  release(root);
  if (failures != 0 || total != count * (count + 1) / 2) {
    fprintf(stderr, "%d elements are wrong, and the tree's sum is %ld\n", failures, total);
    return EXIT_FAILURE;
  }
  printf("linked structure: the longest of %d is %ld, the tree's sum %ld\n", ELEMENTS, longest, total);
  return EXIT_SUCCESS;
}
