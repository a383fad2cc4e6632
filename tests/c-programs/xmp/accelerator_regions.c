#include <stdio.h>
#define N 24
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(2)] onto p
#pragma xmp template s[N][N]
#pragma xmp distribute s[block][*] onto p
int a[N], deal[N], table[N][N];
#pragma xmp align a[i] with t[i]
#pragma xmp align deal[i] with c[i]
#pragma xmp align table[i][j] with s[i][j]
static int chain[1000], other[1000];

int main(void) {
    int i, j, sum = 0, flag = 0, late = 0, total = 0, steps = 0;
    for (i = 0; i < 1000; i++) chain[i] = other[i] = 1;
    // Iterations that depend on each other: no directive says that threads may share them.
#pragma acc serial copy(chain)
    for (i = 1; i < 1000; i++) chain[i] += chain[i - 1];
    int serial = chain[999];
#pragma acc parallel copy(chain)
    for (i = 1; i < 1000; i++) chain[i] += chain[i - 1];
    int parallel = chain[999];
#pragma acc kernels copy(chain)
    for (i = 1; i < 1000; i++) {
        chain[i] = (chain[i] + chain[i - 1]) % 997;
        steps++;
    }
    int kernels = chain[999];
    // A sequential loop around a loop that threads share.
#pragma acc parallel loop seq copy(chain)
    for (j = 1; j < 4; j++) {
#pragma acc loop
        for (i = 0; i < 1000; i++) chain[i] = chain[i] * j % 1000 + 1;
    }
    int nested = chain[999];
    // Reductions and data of regions that consist of several loops.
#pragma acc kernels copyin(other) copy(sum)
    {
#pragma acc loop independent reduction(+:sum)
        for (i = 0; i < 1000; i++) sum += other[i];
#pragma acc loop independent reduction(+:sum)
        for (i = 0; i < 1000; i++) sum += 2 * other[i];
    }
#pragma acc parallel reduction(+:total) copyin(other)
    {
#pragma acc loop gang
        for (i = 0; i < 1000; i++) total += other[i];
#pragma acc loop gang
        for (i = 0; i < 1000; i++) total += 3 * other[i];
    }
#pragma acc kernels copyin(other) copy(flag, late)
    {
#pragma acc loop independent
        for (i = 0; i < 1000; i++) if (other[i] == 1) flag = 1;
#pragma acc loop independent
        for (i = 0; i < 1000; i++) if (other[i] == 2) late = 1;
    }
    // Loops of one region over an axis in several parts, and over rows of different nodes.
#pragma xmp loop on c[i]
    for (i = 0; i < N; i++) deal[i] = i;
#pragma acc kernels copy(deal)
    {
#pragma xmp loop on c[i]
#pragma acc loop
        for (i = 0; i < N; i++) deal[i] += 1;
#pragma xmp loop on c[i]
#pragma acc loop
        for (i = 0; i < N; i++) {
            int next = i;
            next++;
            deal[i] += next;
        }
    }
    int dealt = 0;
#pragma xmp loop on c[i] reduction(+:dealt)
    for (i = 0; i < N; i++) dealt += deal[i] * (i % 5);
#pragma xmp loop (i, j) on s[i][j]
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) table[i][j] = 0;
#pragma acc kernels copy(table)
    {
#pragma xmp loop on s[0][j]
#pragma acc loop
        for (j = 0; j < N; j++) table[0][j] = j;
#pragma xmp loop on s[N - 1][j]
#pragma acc loop
        for (j = 0; j < N; j++) table[N - 1][j] = 2 * j;
    }
    int rows = 0;
#pragma xmp loop (i, j) on s[i][j] reduction(+:rows)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) rows += table[i][j];
    // Two reductions of one variable over the nodes.
    int both = 5;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++) a[i] = i;
#pragma acc parallel copy(both) copyin(a)
    {
#pragma xmp loop on t[i] reduction(+:both)
#pragma acc loop reduction(+:both)
        for (i = 0; i < N; i++) both += a[i];
#pragma acc loop reduction(+:both)
#pragma xmp loop on t[i] reduction(+:both)
        for (i = 0; i < N; i++) both += 2 * a[i];
    }
#pragma xmp task on p[0]
    printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", serial, parallel, kernels, steps, nested, sum, total, flag, late,
           dealt, rows, both);
    return 0;
}
