/* Jacobi iterations on a plane whose rows are divided among the nodes. Prints the seconds of the best round, and the residual. */
#include <math.h>
#include <stdio.h>
#include <xmp.h>

#define N 1024
#define ITERATIONS 100
#define ROUNDS 5

#pragma xmp nodes p[*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][*] onto p
double u[N][N], next[N][N];
#pragma xmp align [i][j] with t[i][j] :: u, next
#pragma xmp shadow u[1][0]

int main(void) {
    double best = 1e9, residual = 0;
    for (int round = 0; round < ROUNDS; round++) {
#pragma xmp loop on t[i][*]
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                u[i][j] = i == 0 ? sin(3.0 * j / N) : 0;
                next[i][j] = 0;
            }
#pragma xmp barrier
        double start = xmp_wtime();
        for (int n = 0; n < ITERATIONS; n++) {
#pragma xmp reflect (u)
#pragma xmp loop on t[i][*]
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++)
                    next[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            residual = 0;
#pragma xmp loop on t[i][*] reduction(max:residual)
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++) {
                    double change = fabs(next[i][j] - u[i][j]);
                    if (change > residual) residual = change;
                    u[i][j] = next[i][j];
                }
        }
        double seconds = xmp_wtime() - start;
        if (seconds < best) best = seconds;
    }
#pragma xmp task on p[0]
    printf("laplace %.9f %.12f\n", best, residual);
    return 0;
}
