// N-body over places with accelerators: each moves its part of the bodies on its accelerator, which has the
// positions of all. The directives are 15 lines more than the serial program has.
//
//     apg run examples/xmp/nbody_accelerators.c -lm --places 4
//     apg run examples/xmp/nbody_accelerators.c -lm --places 4 --accels cpu    # to try it without a GPU

#include <math.h>
#include <stdio.h>

#define N 2048
#define STEPS 10

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double x[N], y[N], z[N], vx[N], vy[N], vz[N], mass[N];
#pragma xmp align [i] with t[i] :: x, y, z, vx, vy, vz, mass
#pragma xmp shadow [*] :: x, y, z, mass
#pragma xmp acc replicate (x, y, z, vx, vy, vz, mass)

static const double dt = 1e-3, softening = 1e-2;

static void initialize(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        x[i] = sin(i * 0.7) * (1 + i % 7);
        y[i] = cos(i * 1.3) * (1 + i % 5);
        z[i] = sin(i * 2.1) * (1 + i % 3);
        vx[i] = vy[i] = vz[i] = 0;
        mass[i] = (1.0 + i % 4) / N;
    }
#pragma xmp acc replicate_sync in (x, y, z, vx, vy, vz, mass)
#pragma xmp reflect (x, y, z, mass) acc
}

static void step(void) {
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
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
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
        z[i] += dt * vz[i];
    }
#pragma xmp reflect (x, y, z) acc
}

int main(void) {
    initialize();
    for (int n = 0; n < STEPS; n++) step();
    double energy = 0;
#pragma xmp acc replicate_sync out (vx, vy, vz)
#pragma xmp loop on t[i] reduction(+:energy)
    for (int i = 0; i < N; i++)
        energy += 0.5 * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
#pragma xmp task on p[0]
    printf("kinetic energy %.9f\n", energy);
    return 0;
}
