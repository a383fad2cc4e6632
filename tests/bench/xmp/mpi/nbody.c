/* ../nbody.c by hand: the same steps, with collective operations of MPI. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#define N 4096
#define STEPS 4
#define ROUNDS 5

static const double dt = 1e-3, softening = 1e-2;
static double x[N], y[N], z[N], vx[N], vy[N], vz[N], mass[N];
static int count, low;

static void gather(double *all) {
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void initialize(void) {
    for (int i = low; i < low + count; i++) {
        x[i] = sin(i * 0.7) * (1 + i % 7);
        y[i] = cos(i * 1.3) * (1 + i % 5);
        z[i] = sin(i * 2.1) * (1 + i % 3);
        vx[i] = vy[i] = vz[i] = 0;
        mass[i] = (1.0 + i % 4) / N;
    }
    gather(x), gather(y), gather(z), gather(mass);
}

static void step(void) {
    for (int i = low; i < low + count; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            double square = dx * dx + dy * dy + dz * dz + softening;
            double factor = mass[j] / (square * sqrt(square));
            ax += factor * dx;
            ay += factor * dy;
            az += factor * dz;
        }
        vx[i] += dt * ax;
        vy[i] += dt * ay;
        vz[i] += dt * az;
    }
    for (int i = low; i < low + count; i++) {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
        z[i] += dt * vz[i];
    }
    gather(x), gather(y), gather(z);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    count = N / size, low = rank * count;
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        initialize();
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int n = 0; n < STEPS; n++) step();
        MPI_Barrier(MPI_COMM_WORLD);
        double seconds = MPI_Wtime() - start;
        if (seconds < best) best = seconds;
    }
    double own = 0, energy = 0;
    for (int i = low; i < low + count; i++) own += 0.5 * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
    MPI_Reduce(&own, &energy, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("nbody %.9f %.9f\n", best, energy);
    MPI_Finalize();
    return 0;
}
