/* A stencil of 19 points with coefficients, as in the Himeno benchmark: planes are divided among the nodes. Prints the seconds of the
   best round, and the error. */
#include <stdio.h>
#include <xmp.h>

#define X 128
#define Y 64
#define Z 64
#define ITERATIONS 20
#define ROUNDS 5

#pragma xmp nodes q[*]
#pragma xmp template t[X][Y][Z]
#pragma xmp distribute t[block][*][*] onto q
float p[X][Y][Z], work[X][Y][Z], a[X][Y][Z][4], bound[X][Y][Z];
#pragma xmp align [i][j][k] with t[i][j][k] :: p, work, bound
#pragma xmp align a[i][j][k][*] with t[i][j][k]
#pragma xmp shadow p[1][0][0]

static const float omega = 0.8f;

static void initialize(void) {
#pragma xmp loop on t[i][*][*]
    for (int i = 0; i < X; i++)
        for (int j = 0; j < Y; j++)
            for (int k = 0; k < Z; k++) {
                p[i][j][k] = (float)(i * i) / ((X - 1) * (X - 1));
                work[i][j][k] = 0;
                bound[i][j][k] = 1;
                for (int n = 0; n < 3; n++) a[i][j][k][n] = 1;
                a[i][j][k][3] = 1.0f / 6;
            }
}

int main(void) {
    double best = 1e9, error = 0;
    for (int round = 0; round < ROUNDS; round++) {
        initialize();
#pragma xmp barrier
        double start = xmp_wtime();
        for (int n = 0; n < ITERATIONS; n++) {
            error = 0;
#pragma xmp reflect (p)
#pragma xmp loop on t[i][*][*] reduction(+:error)
            for (int i = 1; i < X - 1; i++)
                for (int j = 1; j < Y - 1; j++)
                    for (int k = 1; k < Z - 1; k++) {
                        float mixed = p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k]
                            + p[i - 1][j - 1][k] + p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1]
                            + p[i][j - 1][k - 1] + p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1]
                            + p[i - 1][j][k - 1];
                        float sum = a[i][j][k][0] * (p[i + 1][j][k] + p[i - 1][j][k])
                            + a[i][j][k][1] * (p[i][j + 1][k] + p[i][j - 1][k])
                            + a[i][j][k][2] * (p[i][j][k + 1] + p[i][j][k - 1]) + 0.05f * mixed;
                        float change = (sum * a[i][j][k][3] - p[i][j][k]) * bound[i][j][k];
                        error += (double)change * change;
                        work[i][j][k] = p[i][j][k] + omega * change;
                    }
#pragma xmp loop on t[i][*][*]
            for (int i = 1; i < X - 1; i++)
                for (int j = 1; j < Y - 1; j++)
                    for (int k = 1; k < Z - 1; k++) p[i][j][k] = work[i][j][k];
        }
        double seconds = xmp_wtime() - start;
        if (seconds < best) best = seconds;
    }
#pragma xmp task on q[0]
    printf("stencil %.9f %.9f\n", best, error);
    return 0;
}
