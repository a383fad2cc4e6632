// A stencil of 19 points in three dimensions with coefficients, as in the Himeno benchmark: planes are divided
// among the places.
//
//     apg run examples/xmp/stencil.c --places 4

#include <stdio.h>

#define X 64
#define Y 48
#define Z 48
#define ITERATIONS 20

#pragma xmp nodes q[*]
#pragma xmp template t[X][Y][Z]
#pragma xmp distribute t[block][*][*] onto q
float p[X][Y][Z], work[X][Y][Z], a[X][Y][Z][4], bound[X][Y][Z];
#pragma xmp align [i][j][k] with t[i][j][k] :: p, work, bound
#pragma xmp align a[i][j][k][*] with t[i][j][k]
#pragma xmp shadow p[1][0][0]

static const float omega = 0.8f;

int main(void) {
#pragma xmp loop (i, j, k) on t[i][j][k]
    for (int i = 0; i < X; i++)
        for (int j = 0; j < Y; j++)
            for (int k = 0; k < Z; k++) {
                p[i][j][k] = (float)(i * i) / ((X - 1) * (X - 1));
                work[i][j][k] = 0;
                bound[i][j][k] = 1;
                for (int n = 0; n < 3; n++) a[i][j][k][n] = 1;
                a[i][j][k][3] = 1.0f / 6;
            }
    double error = 0;
    for (int n = 0; n < ITERATIONS; n++) {
        error = 0;
#pragma xmp reflect (p)
#pragma xmp loop (i, j, k) on t[i][j][k] reduction(+:error)
        for (int i = 1; i < X - 1; i++)
            for (int j = 1; j < Y - 1; j++)
                for (int k = 1; k < Z - 1; k++) {
                    float mixed = p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k]
                        + p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1]
                        + p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1];
                    float sum = a[i][j][k][0] * (p[i + 1][j][k] + p[i - 1][j][k])
                        + a[i][j][k][1] * (p[i][j + 1][k] + p[i][j - 1][k])
                        + a[i][j][k][2] * (p[i][j][k + 1] + p[i][j][k - 1]) + 0.05f * mixed;
                    float change = (sum * a[i][j][k][3] - p[i][j][k]) * bound[i][j][k];
                    error += (double)change * change;
                    work[i][j][k] = p[i][j][k] + omega * change;
                }
#pragma xmp loop (i, j, k) on t[i][j][k]
        for (int i = 1; i < X - 1; i++)
            for (int j = 1; j < Y - 1; j++)
                for (int k = 1; k < Z - 1; k++) p[i][j][k] = work[i][j][k];
    }
#pragma xmp task on q[0]
    printf("error %.9f\n", error);
    return 0;
}
