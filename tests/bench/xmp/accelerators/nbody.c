/* N-body on accelerators: each node moves its part of the bodies, and has the positions of all. Prints the seconds of the best step, and
   the energy. */
#include <math.h>
#include <stdio.h>
#include <xmp.h>

#define N 131072
#define STEPS 5

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
float x[N], y[N], z[N], vx[N], vy[N], vz[N], mass[N];
#pragma xmp align [i] with t[i] :: x, y, z, vx, vy, vz, mass
#pragma xmp shadow [*] :: x, y, z, mass
#pragma xmp acc replicate (x, y, z, vx, vy, vz, mass)

static void initialize(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        x[i] = sinf(i * 0.7f) * (1 + i % 7);
        y[i] = cosf(i * 1.3f) * (1 + i % 5);
        z[i] = sinf(i * 2.1f) * (1 + i % 3);
        vx[i] = vy[i] = vz[i] = 0;
        mass[i] = (1.0f + i % 4) / N;
    }
#pragma xmp acc replicate_sync in (x, y, z, vx, vy, vz, mass)
#pragma xmp reflect (x, y, z, mass) acc
}

static void step(void) {
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float square = dx * dx + dy * dy + dz * dz + 1e-2f;
            float factor = mass[j] / (square * sqrtf(square));
            ax += factor * dx;
            ay += factor * dy;
            az += factor * dz;
        }
        vx[i] += 1e-3f * ax;
        vy[i] += 1e-3f * ay;
        vz[i] += 1e-3f * az;
    }
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
        x[i] += 1e-3f * vx[i];
        y[i] += 1e-3f * vy[i];
        z[i] += 1e-3f * vz[i];
    }
#pragma xmp reflect (x, y, z) acc
}

int main(void) {
    double best = 1e9, energy = 0;
    initialize();
    for (int n = 0; n < STEPS; n++) {
#pragma xmp barrier
        double start = xmp_wtime();
        step();
#pragma xmp barrier
        double seconds = xmp_wtime() - start;
        if (seconds < best) best = seconds;
    }
#pragma xmp acc replicate_sync out (vx, vy, vz)
#pragma xmp loop on t[i] reduction(+:energy)
    for (int i = 0; i < N; i++) energy += 0.5 * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
#pragma xmp task on p[0]
    printf("nbody-acc %.9f %.12f\n", best, energy);
    return 0;
}
