/* ../stencil.c by hand: the same iterations, with messages of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define X 128
#define Y 64
#define Z 64
#define ITERATIONS 20
#define ROUNDS 5

static const float omega = 0.8f;
static float (*p)[Y][Z], (*work)[Y][Z], (*bound)[Y][Z], (*a)[Y][Z][4];
static int planes, low;

static void initialize(void) {
    for (int i = 1; i <= planes; i++)
        for (int j = 0; j < Y; j++)
            for (int k = 0; k < Z; k++) {
                int x = low + i - 1;
                p[i][j][k] = (float)(x * x) / ((X - 1) * (X - 1));
                work[i][j][k] = 0;
                bound[i][j][k] = 1;
                for (int n = 0; n < 3; n++) a[i][j][k][n] = 1;
                a[i][j][k][3] = 1.0f / 6;
            }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    planes = X / size, low = rank * planes;
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    p = calloc(planes + 2, sizeof *p), work = calloc(planes + 2, sizeof *work);
    bound = calloc(planes + 2, sizeof *bound), a = calloc(planes + 2, sizeof *a);
    int first = low == 0 ? 2 : 1, last = low + planes == X ? planes - 1 : planes;
    double best = 1e9, error = 0;
    for (int round = 0; round < ROUNDS; round++) {
        initialize();
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int n = 0; n < ITERATIONS; n++) {
            MPI_Request requests[4];
            MPI_Irecv(p[0], Y * Z, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(p[planes + 1], Y * Z, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Isend(p[1], Y * Z, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[2]);
            MPI_Isend(p[planes], Y * Z, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[3]);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            double own = 0;
            for (int i = first; i <= last; i++)
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
                        own += (double)change * change;
                        work[i][j][k] = p[i][j][k] + omega * change;
                    }
            for (int i = first; i <= last; i++)
                for (int j = 1; j < Y - 1; j++)
                    for (int k = 1; k < Z - 1; k++) p[i][j][k] = work[i][j][k];
            MPI_Allreduce(&own, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        double seconds = MPI_Wtime() - start;
        if (seconds < best) best = seconds;
    }
    if (rank == 0) printf("stencil %.9f %.9f\n", best, error);
    MPI_Finalize();
    return 0;
}
