// Histogram: values in blocks are dealt out one by one by `gmove`, so that all places have equally many of each
// range, and counted; `reduction` adds the counts of the places.
//
//     apg run examples/xmp/histogram.c --places 4

#include <stdio.h>

#define N 100000
#define BINS 16

#pragma xmp nodes p[*]
#pragma xmp template blocks[N]
#pragma xmp template cards[N]
#pragma xmp distribute blocks[block] onto p
#pragma xmp distribute cards[cyclic] onto p
int value[N], dealt[N];
#pragma xmp align value[i] with blocks[i]
#pragma xmp align dealt[i] with cards[i]

int main(void) {
    long count[BINS] = {0};
#pragma xmp loop on blocks[i]
    for (int i = 0; i < N; i++) value[i] = (int)((i * 7919L + 104729L) % 1000003L);
#pragma xmp gmove
#ifdef _XCALABLEMP
    dealt[:] = value[:];
#else
    for (int i = 0; i < N; i++) dealt[i] = value[i];
#endif
#pragma xmp loop on cards[i]
    for (int i = 0; i < N; i++) count[dealt[i] % BINS]++;
#pragma xmp reduction(+:count)
#pragma xmp task on p[0]
    for (int n = 0; n < BINS; n++) printf("bin %2d: %ld\n", n, count[n]);
    return 0;
}
