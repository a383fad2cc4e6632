// The peers of kernels.x10 on a processor: what one writes by hand in C++ with OpenMP, for the sizes of `kernels.x10 cpu`.
#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using Floats = std::vector<float>;

static void stencil(long nx, long ny, long nz, const float *__restrict__ from, float *__restrict__ to, const float *w) {
    const long plane = nx * ny;
#pragma omp parallel for collapse(2)
    for (long z = 4; z < nz - 4; z++)
        for (long y = 4; y < ny - 4; y++) {
            const float *c = from + (z * ny + y) * nx;
            float *t = to + (z * ny + y) * nx;
#pragma omp simd
            for (long x = 4; x < nx - 4; x++) {
                float value = w[0] * c[x];
                for (long k = 1; k <= 4; k++)
                    value += w[k] * (c[x + k * plane] + c[x - k * plane] + c[x - k] + c[x + k] + c[x - k * nx] + c[x + k * nx]);
                t[x] = value;
            }
        }
}

// Column-major, in tiles of 64 rows by 16 columns, as the kernel.
static void multiply(long n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
#pragma omp parallel for collapse(2)
    for (long column = 0; column < n; column += 16)
        for (long row = 0; row < n; row += 64) {
            float sums[16][64] = {};
            for (long k = 0; k < n; k++)
                for (long j = 0; j < 16; j++) {
                    const float right = b[(column + j) * n + k];
#pragma omp simd
                    for (long i = 0; i < 64; i++) sums[j][i] += a[k * n + row + i] * right;
                }
            for (long j = 0; j < 16; j++) std::copy(sums[j], sums[j] + 64, c + (column + j) * n + row);
        }
}

static void nearest(long n, int count, const float *__restrict__ points, const float *__restrict__ centres, float *__restrict__ to) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) {
        float x = points[i], y = points[i + n], z = points[i + 2 * n], u = points[i + 3 * n], least = FLT_MAX;
        int best = 0;
        for (int k = 0; k < count; k++) {
            float dx = x - centres[4 * k], dy = y - centres[4 * k + 1], dz = z - centres[4 * k + 2], du = u - centres[4 * k + 3];
            float distance = dx * dx + dy * dy + dz * dz + du * du;
            best = distance < least ? k : best;
            least = distance < least ? distance : least;
        }
        to[i] = best;
    }
}

static void gravity(long n, const float *__restrict__ bodies, float *__restrict__ to) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) {
        const float x = bodies[i * 4], y = bodies[i * 4 + 1], z = bodies[i * 4 + 2];
        float ax = 0, ay = 0, az = 0;
        for (long k = 0; k < n; k++) {
            float dx = bodies[k * 4] - x, dy = bodies[k * 4 + 1] - y, dz = bodies[k * 4 + 2] - z;
            float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            float force = bodies[k * 4 + 3] * inverse * inverse * inverse;
            ax += dx * force; ay += dy * force; az += dz * force;
        }
        to[i * 3] = ax; to[i * 3 + 1] = ay; to[i * 3 + 2] = az;
    }
}

// As many sums as the kernel has blocks, each of its share of the elements.
static void sums(long n, const float *__restrict__ from, long blocks, float *__restrict__ to) {
#pragma omp parallel for
    for (long block = 0; block < blocks; block++) {
        float all = 0;
        for (long first = block * 512; first < n; first += blocks * 512) {
            const long end = std::min(first + 512, n);
#pragma omp simd reduction(+ : all)
            for (long i = first; i < end; i++) all += from[i];
        }
        to[block] = all;
    }
}

static Floats rail(long n, long seed) {
    Floats host(n);
    for (long i = 0; i < n; i++) host[i] = (float)((i * seed) % 1000) * 0.001f;
    return host;
}

static void measure(const std::string &name, const Floats &result, const std::function<void()> &run) {
    std::vector<double> times;
    for (int i = 0; i < 23; i++) {
        auto start = std::chrono::steady_clock::now();
        run();
        if (i >= 3) times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    double sum = 0;
    for (float value : result) sum += value;
    std::printf("peer %s: median %.4f ms, sum %.6e\n", name.c_str(), times[10], sum);
}

int main() {
    {
        long side = 240, depth = 100;
        Floats grid = rail(side * side * depth, 31), out(side * side * depth);
        float w[5];
        for (int i = 0; i < 5; i++) w[i] = 1.0f / (1.0f + i);
        measure("stencil 240x240x100", out, [&] { stencil(side, side, depth, grid.data(), out.data(), w); });
    }
    {
        long n = 1024;
        Floats a = rail(n * n, 31), b = rail(n * n, 17), c(n * n);
        measure("sgemm 1024", c, [&] { multiply(n, a.data(), b.data(), c.data()); });
    }
    for (int count : {100, 400}) {
        long n = 200000;
        Floats points = rail(4 * n, 7919), labels(n), centres(4 * count);
        for (long i = 0; i < 4 * count; i++) centres[i] = (float)((i * 613) % 1000) * 0.001f;
        measure("nearest of " + std::to_string(count) + ", 200000 points", labels, [&] { nearest(n, count, points.data(), centres.data(), labels.data()); });
    }
    {
        long n = 16384;
        Floats bodies = rail(4 * n, 7919), pulls(3 * n);
        measure("gravity 16384", pulls, [&] { gravity(n, bodies.data(), pulls.data()); });
    }
    {
        long n = 1 << 24;
        Floats values = rail(n, 31), parts(528);
        measure("sums of 16777216", parts, [&] { sums(n, values.data(), 528, parts.data()); });
    }
}
