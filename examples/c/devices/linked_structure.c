/* A linked structure on a device: a binary search tree is mapped node by node, so that the pointers of the copies
   lead to copies; then all threads search in it. */
#include <stdio.h>
#include <stdlib.h>

#define NODES 1023
#define SEARCHES 100000

struct node {
  int key, value;
  struct node *left, *right;
};

/* A balanced tree of the keys from `first` on, before `end`. */
static struct node *tree(int first, int end) {
  if (first == end) return NULL;
  int middle = first + (end - first) / 2;
  struct node *made = malloc(sizeof *made);
  if (made == NULL) exit(EXIT_FAILURE);
  *made = (struct node){2 * middle, middle * middle, tree(first, middle), tree(middle + 1, end)};
  return made;
}

/* The children of a node are mapped after it: the pointers of its copy then point to their copies. */
static void map_children(struct node *node) {
  if (node->left != NULL) {
#pragma omp target enter data map(to : node->left[0 : 1])
    map_children(node->left);
  }
  if (node->right != NULL) {
#pragma omp target enter data map(to : node->right[0 : 1])
    map_children(node->right);
  }
}

static void release_children(struct node *node) {
  if (node->left != NULL) {
    release_children(node->left);
#pragma omp target exit data map(release : node->left[0 : 1])
    free(node->left);
  }
  if (node->right != NULL) {
    release_children(node->right);
#pragma omp target exit data map(release : node->right[0 : 1])
    free(node->right);
  }
}

#pragma omp declare target
static int find(const struct node *node, int key) {
  while (node != NULL && node->key != key) node = key < node->key ? node->left : node->right;
  return node == NULL ? -1 : node->value;
}
#pragma omp end declare target

static int found[SEARCHES];

int main(void) {
  struct node *root = tree(0, NODES);
#pragma omp target enter data map(to : root[0 : 1])
  map_children(root);
#pragma omp target teams distribute parallel for map(from : found)
  for (int i = 0; i < SEARCHES; i++) found[i] = find(root, i % (2 * NODES));
  int failures = 0, hits = 0;
  for (int i = 0; i < SEARCHES; i++) {
    int key = i % (2 * NODES);
    if (found[i] != (key % 2 == 0 ? (key / 2) * (key / 2) : -1)) failures++;
    if (found[i] >= 0) hits++;
  }
  release_children(root);
#pragma omp target exit data map(release : root[0 : 1])
  free(root);
  if (failures != 0) {
    fprintf(stderr, "%d of %d searches are wrong\n", failures, SEARCHES);
    return EXIT_FAILURE;
  }
  printf("linked structure: %d of %d keys are in the tree\n", hits, SEARCHES);
  return EXIT_SUCCESS;
}
