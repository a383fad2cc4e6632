#include <stdio.h>
#define N 24
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic] onto p
#pragma xmp template d[N]
#pragma xmp distribute d[cyclic(3)] onto p
#pragma xmp template s[N][N]
#pragma xmp distribute s[block][*] onto p
int a[N], b[N], kept[N], deal[N], cards[N], table[N][N], other[N];
#pragma xmp align [i] with t[i] :: a, b, kept
#pragma xmp align deal[i] with c[i]
#pragma xmp align cards[i] with d[i]
#pragma xmp align [i][j] with s[i][j] :: table
#pragma xmp shadow a[1]
#pragma acc declare create(kept)
int scale = 3;

static int twice(int x) { return 2 * x; }

static long sum(int which) {
    long total = 0;
#pragma xmp loop on t[i] reduction(+:total)
    for (int i = 0; i < N; i++) total += which == 0 ? a[i] * (i + 1) : which == 1 ? b[i] * (i + 1) : kept[i];
    return total;
}

int main(void) {
    int i, j, t1, count = 0, most = 0, flag = 7;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++) a[i] = i, b[i] = 1;
    // A loop nest in a region, with counters and a scalar of the function.
#pragma acc data copy(a) copyin(b)
    {
#pragma acc parallel loop
#pragma xmp loop on t[i]
        for (i = 0; i < N; i++) {
            t1 = twice(b[i]);
            for (j = 0; j < 3; j++) t1 += j * scale;
            a[i] += t1;
        }
#pragma acc update host(a)
    }
#pragma xmp task on p[0]
    printf("nest\n");
    long first = sum(0);
    // Several loops of one region, and a loop whose nodes are told inside of it.
#pragma acc kernels copy(a, b)
    {
#pragma xmp loop on t[i]
#pragma acc loop gang vector independent
        for (i = 0; i < N; i++) b[i] = a[i] + 1;
#pragma xmp loop on t[i]
#pragma acc loop
        for (i = 0; i < N; i++) a[i] = b[i] * 2;
    }
    long second = sum(0), third = sum(1);
    // Axes that are dealt out.
#pragma acc data copyout(deal, cards)
    {
#pragma xmp loop on c[i]
#pragma acc parallel loop
        for (i = 0; i < N; i++) deal[i] = i * i;
#pragma xmp loop on d[i]
#pragma acc parallel loop async
        for (i = N - 1; i >= 0; i--) cards[i] = i + 100;
#pragma acc wait
    }
    long dealt = 0;
#pragma xmp loop on c[i] reduction(+:dealt)
    for (i = 0; i < N; i++) dealt += deal[i] * (i % 5);
#pragma xmp loop on d[i] reduction(+:dealt)
    for (i = 0; i < N; i++) dealt += cards[i] * (i % 7);
    // Two axes, and reductions on the device.
#pragma acc enter data create(table)
#pragma xmp loop (i, j) on s[i][j]
#pragma acc parallel loop collapse(2) present(table)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) table[i][j] = i * j % 11;
#pragma acc data copy(count)
    {
#pragma xmp loop (i, j) on s[i][j] reduction(+:count) acc
#pragma acc parallel loop collapse(2) reduction(+:count)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) count += table[i][j];
    }
#pragma acc exit data copyout(table)
    long written = 0;
#pragma xmp loop (i, j) on s[i][j] reduction(+:written)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) written += table[i][j] * (1 + (i + 2 * j) % 13);
#pragma acc update device(kept)
    // Data that lives as long as the program, and the other spelling.
#pragma xmp acc replicate (a)
    {
#pragma xmp acc replicate_sync in (a)
#pragma xmp reflect (a) acc
#pragma xmp loop on t[i] acc private(j) firstprivate(flag)
        for (i = 1; i < N - 1; i++) {
            j = a[i - 1] + a[i + 1];
            kept[i] = j + flag;
        }
#pragma xmp loop on t[i] reduction(max:most) acc num_threads(32)
        for (i = 1; i < N - 1; i++)
            if (kept[i] > most) most = kept[i];
    }
#pragma acc update self(kept)
    long last = sum(2);
    // Communication of what the device has.
#ifdef _XCALABLEMP
#pragma acc data copy(a) copyout(b)
    {
#pragma xmp gmove acc
        b[0:N] = a[0:N];
    }
#else
    for (i = 0; i < N; i++) b[i] = a[i];
#endif
    long moved = sum(1);
#pragma xmp task on p[0]
    printf("%ld %ld %ld %ld %d %ld %ld %d %ld %d\n", first, second, third, dealt, count, written, last, most, moved, flag);
    return 0;
}
