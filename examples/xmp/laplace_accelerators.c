// Laplace's equation by Jacobi iterations: the rows of the grid are divided among the places, and `reflect`
// renews the rows that each has copies of.
// Each place computes on its accelerator, in the spelling of XcalableACC: OpenACC for data and loops.
//
//     apg run examples/xmp/laplace_accelerators.c -lm --places 4
//     apg run examples/xmp/laplace_accelerators.c -lm --places 4 --accels cpu    # to try it without a GPU

#include <math.h>
#include <stdio.h>

#define N 512
#define ITERATIONS 200

#pragma xmp nodes p[*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][*] onto p
double u[N][N], next[N][N];
#pragma xmp align [i][j] with t[i][j] :: u, next
#pragma xmp shadow u[1][0]

int main(void) {
#pragma xmp loop (i, j) on t[i][j]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            u[i][j] = i == 0 ? sin(3.0 * j / N) : 0;
            next[i][j] = 0;
        }
    double residual = 0;
#pragma acc data copy(u) copyin(next)
    for (int n = 0; n < ITERATIONS; n++) {
#pragma xmp reflect (u) acc
#pragma xmp loop (i, j) on t[i][j]
#pragma acc parallel loop collapse(2)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                next[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        residual = 0;
#pragma xmp loop (i, j) on t[i][j] reduction(max:residual)
#pragma acc parallel loop collapse(2) reduction(max:residual)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++) {
                double change = fabs(next[i][j] - u[i][j]);
                if (change > residual) residual = change;
                u[i][j] = next[i][j];
            }
    }
#pragma xmp task on p[0]
    printf("residual %.12f\n", residual);
    return 0;
}
