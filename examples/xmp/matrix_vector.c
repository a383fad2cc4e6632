// Matrix-vector product: the rows of the matrix are divided among the places, `gmove` gives all of them the
// result for the next step of the power method.
//
//     apg run examples/xmp/matrix_vector.c -lm --places 4

#include <math.h>
#include <stdio.h>

#define N 600
#define STEPS 20

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double a[N][N], y[N];
#pragma xmp align a[i][*] with t[i]
#pragma xmp align y[i] with t[i]
double x[N];

int main(void) {
#pragma xmp loop (i) on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = 1.0 / (1 + i + j);
    for (int j = 0; j < N; j++) x[j] = 1;
    double eigenvalue = 0;
    for (int n = 0; n < STEPS; n++) {
        double square = 0;
#pragma xmp loop (i) on t[i] reduction(+:square)
        for (int i = 0; i < N; i++) {
            y[i] = 0;
            for (int j = 0; j < N; j++) y[i] += a[i][j] * x[j];
            square += y[i] * y[i];
        }
        eigenvalue = sqrt(square);
#pragma xmp loop (i) on t[i]
        for (int i = 0; i < N; i++) y[i] /= eigenvalue;
#pragma xmp gmove
#ifdef _XCALABLEMP
        x[0:N] = y[0:N];
#else
        for (int i = 0; i < N; i++) x[i] = y[i];
#endif
    }
#pragma xmp task on p[0]
    printf("largest eigenvalue %.9f\n", eigenvalue);
    return 0;
}
