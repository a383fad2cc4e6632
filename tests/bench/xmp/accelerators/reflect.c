/* What `reflect` of blocks on accelerators costs: shadows of planes of several sizes, and columns. Prints for each the seconds of one in
   the best round, and a sum of elements that have come. Two nodes. */
#include <stdio.h>
#include <xmp.h>

#define P 8
#define ROUNDS 7

#pragma xmp nodes p[2]
#pragma xmp template t[P]
#pragma xmp distribute t[block] onto p
double tiny[P][16][16], small[P][32][32], middle[P][128][256], large[P][512][1024], huge[P][1024][4096], wide[1024][P], cubic[128][128][P];
#pragma xmp align [i][*][*] with t[i] :: tiny, small, middle, large, huge
#pragma xmp align wide[*][i] with t[i]
#pragma xmp align cubic[*][*][i] with t[i]
#pragma xmp shadow [1][0][0] :: tiny, small, middle, large, huge
#pragma xmp shadow wide[0][1]
#pragma xmp shadow cubic[0][0][1]

#define DIRECTIVE(words) _Pragma(#words)
/* An array of planes: the best of several rounds. */
#define PLANES(a, rows, columns, count) \
    { \
        DIRECTIVE(xmp loop on t[i]) \
        for (int i = 0; i < P; i++) for (int j = 0; j < rows; j++) for (int k = 0; k < columns; k++) a[i][j][k] = i + j % 7; \
        double best = 1e9, sum = 0; \
        DIRECTIVE(acc data copy(a)) \
        for (int round = 0; round < ROUNDS; round++) { \
            DIRECTIVE(xmp barrier) \
            double start = xmp_wtime(); \
            for (int n = 0; n < count; n++) { DIRECTIVE(xmp reflect (a) acc) } \
            DIRECTIVE(xmp barrier) \
            double seconds = (xmp_wtime() - start) / count; \
            if (seconds < best) best = seconds; \
        } \
        DIRECTIVE(xmp loop on t[i] reduction(+:sum)) \
        for (int i = 1; i < P - 1; i++) sum += a[i - 1][3][3] + a[i + 1][rows - 1][columns - 1]; \
        DIRECTIVE(xmp task on p[0]) \
        printf("reflect-acc-%s %.9f %.1f\n", #a, best, sum); \
    }

int main(void) {
    PLANES(tiny, 16, 16, 200)
    PLANES(small, 32, 32, 200)
    PLANES(middle, 128, 256, 200)
    PLANES(large, 512, 1024, 50)
    PLANES(huge, 1024, 4096, 20)
    double best = 1e9, sum = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < P; i++) {
        for (int j = 0; j < 1024; j++) wide[j][i] = i;
        for (int j = 0; j < 128 * 128; j++) cubic[j / 128][j % 128][i] = i;
    }
#pragma acc data copy(wide, cubic)
    {
        for (int round = 0; round < ROUNDS; round++) {
#pragma xmp barrier
            double start = xmp_wtime();
            for (int n = 0; n < 100; n++) {
#pragma xmp reflect (wide) acc
            }
            double seconds = (xmp_wtime() - start) / 100;
            if (seconds < best) best = seconds;
        }
#pragma xmp task on p[0]
        printf("reflect-acc-columns-of-8-KiB %.9f 0\n", best);
        best = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
#pragma xmp barrier
            double start = xmp_wtime();
            for (int n = 0; n < 100; n++) {
#pragma xmp reflect (cubic) acc
            }
            double seconds = (xmp_wtime() - start) / 100;
            if (seconds < best) best = seconds;
        }
    }
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < P - 1; i++) sum += wide[77][i - 1] + wide[1023][i + 1] + cubic[127][3][i - 1] + cubic[0][0][i + 1];
#pragma xmp task on p[0]
    printf("reflect-acc-faces-of-128-KiB %.9f %.1f\n", best, sum);
    return 0;
}
