/* What exchanges cost: shadows of planes of several sizes, those of columns, and a matrix divided by rows to one divided by columns.
   Prints for each the seconds of one exchange in the best round, and a sum of elements that have come. */
#include <stdio.h>
#include <xmp.h>

#define P 64
#define ROUNDS 7
#define M 2048

#pragma xmp nodes p[*]
#pragma xmp template t[P]
#pragma xmp distribute t[block] onto p
#pragma xmp template columns[M]
#pragma xmp distribute columns[block] onto p
double small[P][16][16], middle[P][64][64], large[P][384][384], wide[1024][P];
#pragma xmp align small[i][*][*] with t[i]
#pragma xmp align middle[i][*][*] with t[i]
#pragma xmp align large[i][*][*] with t[i]
#pragma xmp align wide[*][i] with t[i]
#pragma xmp shadow small[1][0][0]
#pragma xmp shadow middle[1][0][0]
#pragma xmp shadow large[1][0][0]
#pragma xmp shadow wide[0][1]
double rows[M][M], turned[M][M];
#pragma xmp align rows[i][*] with columns[i]
#pragma xmp align turned[*][i] with columns[i]

/* The best of several rounds of an exchange. */
#define BEST(best, count, exchange) \
    for (int round = 0; round < ROUNDS; round++) { \
        xmp_sync_all(NULL); \
        double start = xmp_wtime(); \
        for (int n = 0; n < count; n++) { exchange } \
        xmp_sync_all(NULL); \
        double seconds = (xmp_wtime() - start) / count; \
        if (seconds < best) best = seconds; \
    }

int main(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < P; i++) {
        for (int j = 0; j < 16 * 16; j++) small[i][j / 16][j % 16] = i;
        for (int j = 0; j < 64 * 64; j++) middle[i][j / 64][j % 64] = i;
        for (int j = 0; j < 384 * 384; j++) large[i][j / 384][j % 384] = i;
        for (int j = 0; j < 1024; j++) wide[j][i] = i;
    }
#pragma xmp loop on columns[i]
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) rows[i][j] = i + 2.0 * j;

    double best = 1e9, sum = 0;
    BEST(best, 500, _Pragma("xmp reflect (small)"))
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < P - 1; i++) sum += small[i - 1][3][3] + small[i + 1][15][15];
#pragma xmp task on p[0]
    printf("reflect-2-KiB %.9f %.1f\n", best, sum);

    best = 1e9, sum = 0;
    BEST(best, 200, _Pragma("xmp reflect (middle)"))
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < P - 1; i++) sum += middle[i - 1][3][3] + middle[i + 1][63][63];
#pragma xmp task on p[0]
    printf("reflect-32-KiB %.9f %.1f\n", best, sum);

    best = 1e9, sum = 0;
    BEST(best, 20, _Pragma("xmp reflect (large)"))
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < P - 1; i++) sum += large[i - 1][3][3] + large[i + 1][383][383];
#pragma xmp task on p[0]
    printf("reflect-1152-KiB %.9f %.1f\n", best, sum);

    best = 1e9, sum = 0;
    BEST(best, 200, _Pragma("xmp reflect (wide)"))
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < P - 1; i++) sum += wide[1023][i - 1] + wide[7][i + 1];
#pragma xmp task on p[0]
    printf("reflect-column-8-KiB %.9f %.1f\n", best, sum);

    best = 1e9, sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        xmp_sync_all(NULL);
        double start = xmp_wtime();
#pragma xmp gmove
        turned[:][:] = rows[:][:];
        xmp_sync_all(NULL);
        double seconds = xmp_wtime() - start;
        if (seconds < best) best = seconds;
    }
#pragma xmp loop on columns[i] reduction(+:sum)
    for (int i = 0; i < M; i++) sum += turned[5][i] + turned[M - 3][i];
#pragma xmp task on p[0]
    printf("gmove-rows-to-columns-32-MiB %.9f %.1f\n", best, sum);
    return 0;
}
