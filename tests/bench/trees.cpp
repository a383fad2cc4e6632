// The trees of trees.x10 with the collector of Boehm, Demers and Weiser, or (-DMALLOC) freed by hand.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#ifndef MALLOC
#include <gc.h>
#endif

struct Node {
    Node *left, *right;
};

static Node *make(int depth) {
#ifdef MALLOC
    Node *node = static_cast<Node *>(std::malloc(sizeof(Node)));
#else
    Node *node = static_cast<Node *>(GC_MALLOC(sizeof(Node)));
#endif
    node->left = depth ? make(depth - 1) : nullptr;
    node->right = depth ? make(depth - 1) : nullptr;
    return node;
}

static long count(const Node *node) { return node->left ? 1 + count(node->left) + count(node->right) : 1; }

static void forget([[maybe_unused]] Node *node) {
#ifdef MALLOC
    if (node->left) forget(node->left), forget(node->right);
    std::free(node);
#endif
}

int main(int, char **args) {
#ifndef MALLOC
    GC_INIT();
#endif
    int depth = std::atoi(args[1]);
    Node *lasting = make(depth);
    for (int round = 1; round <= 5; round++) {
        auto start = std::chrono::steady_clock::now();
        long nodes = 0;
        for (int small = 4; small <= depth; small += 4)
            for (long i = 0; i < 1L << (depth - small + 4); i++) {
                Node *tree = make(small);
                nodes += count(tree);
                forget(tree);
            }
        auto time = std::chrono::steady_clock::now() - start;
        std::printf("%lld\n", (long long)std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
        if (nodes < count(lasting)) std::printf("%ld\n", nodes);
    }
}
