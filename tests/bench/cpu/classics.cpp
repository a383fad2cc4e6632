// The peers of classics.x10 on a processor: what one writes by hand in C++ with OpenMP, for the sizes of `classics.x10 cpu`.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

static std::vector<float> floats(long n, long seed) {
    std::vector<float> all(n);
    for (long i = 0; i < n; i++) all[i] = (float)((i * seed) % 1000) * 0.001f;
    return all;
}

static void multiply(int m, int n, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
#pragma omp parallel for
    for (int i = 0; i < m; i++) {
        std::fill(c + (long)i * n, c + (long)(i + 1) * n, 0.0f);
        for (int l = 0; l < k; l++) {
            const float left = a[(long)i * k + l];
#pragma omp simd
            for (int j = 0; j < n; j++) c[(long)i * n + j] += left * b[(long)l * n + j];
        }
    }
}

static void transpose(int w, int h, const float *__restrict__ from, float *__restrict__ to) {
#pragma omp parallel for collapse(2)
    for (int by = 0; by < h; by += 32)
        for (int bx = 0; bx < w; bx += 32)
            for (int x = bx; x < std::min(bx + 32, w); x++)
                for (int y = by; y < std::min(by + 32, h); y++) to[(long)x * h + y] = from[(long)y * w + x];
}

static void heat(int n, double k, const double *__restrict__ u, double *__restrict__ v) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
#pragma omp simd
        for (int j = 1; j < n - 1; j++) {
            const long s = (long)i * n + j;
            v[s] = u[s] + k * (u[s - 1] + u[s + 1] + u[s - n] + u[s + n] - 4.0 * u[s]);
        }
}

static void floyd(int n, int k, int *dist) {
    const int *through = dist + (long)k * n;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int *row = dist + (long)i * n;
        const int to = row[k];
#pragma omp simd
        for (int j = 0; j < n; j++) row[j] = std::min(row[j], to + through[j]);
    }
}

static void mandelbrot(int w, int h, int most, int *image) {
    const float dx = 3.2f / w, dy = 2.4f / h;
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float cr = -2.2f + x * dx, ci = -1.2f + y * dy;
            float zr = 0, zi = 0;
            int k = 0;
            while (k < most && zr * zr + zi * zi <= 4.0f) {
                const float r = zr * zr - zi * zi + cr;
                zi = zr * zi + zi * zr + ci;
                zr = r;
                k++;
            }
            image[(long)y * w + x] = k;
        }
}

static void histogram(int n, const uint8_t *bytes, unsigned *bins) {
#pragma omp parallel
    {
        unsigned mine[256] = {};
#pragma omp for nowait
        for (int i = 0; i < n; i++) mine[bytes[i]]++;
        for (int i = 0; i < 256; i++)
#pragma omp atomic
            bins[i] += mine[i];
    }
}

static void sobel(int w, int h, const uint8_t *__restrict__ from, float *__restrict__ to) {
    auto clamp = [](int x, int low, int high) { return x < low ? low : x > high ? high : x; };
#pragma omp parallel for
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const int l = clamp(x - 1, 0, w - 1), r = clamp(x + 1, 0, w - 1);
            const int u = clamp(y - 1, 0, h - 1), d = clamp(y + 1, 0, h - 1);
            const int a = from[(long)u * w + l], b = from[(long)u * w + x], c = from[(long)u * w + r];
            const int e = from[(long)y * w + l], f = from[(long)y * w + r];
            const int g = from[(long)d * w + l], i = from[(long)d * w + x], j = from[(long)d * w + r];
            const int gx = c + 2 * f + j - a - 2 * e - g, gy = g + 2 * i + j - a - 2 * b - c;
            to[(long)y * w + x] = std::sqrt((float)(gx * gx + gy * gy));
        }
}

static void sparse(int rows, const int *starts, const int *columns, const float *values, const float *x, float *y) {
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}

static void scan(int n, const int *__restrict__ data, int *__restrict__ out) {
#pragma omp parallel for
    for (int block = 0; block < n; block += 256) {
        int sum = 0;
        for (int i = block; i < std::min(block + 256, n); i++) out[i] = sum += data[i];
    }
}

static void batch(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
#pragma omp parallel for
    for (int id = 0; id < n; id++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                float s = 0;
                for (int k = 0; k < 4; k++) s += a[id * 16L + i * 4 + k] * b[id * 16L + k * 4 + j];
                c[id * 16L + i * 4 + j] = s;
            }
}

static void measure(const std::string &name, const std::function<double()> &sum, const std::function<void()> &run) {
    using clock = std::chrono::steady_clock;
    for (int i = 0; i < 3; i++) run();
    std::vector<double> times;
    for (int i = 0; i < 21; i++) {
        const auto start = clock::now();
        run();
        times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("peer: %s: median %.4f ms, sum %.6e\n", name.c_str(), times[10], sum());
}

template <class T> static std::function<double()> sum(const std::vector<T> &all) {
    return [&all] {
        double sum = 0;
        for (T x : all) sum += (double)x;
        return sum;
    };
}

int main() {
    const int n = 512, side = 2048, m = 1024, many = 1 << 24, rows = 100000, numbers = 1 << 22, count = 1 << 18;
    auto a = floats((long)n * n, 31), b = floats((long)n * n, 17), c = floats((long)n * n, 1);
    measure("tiles of 16, matrices of 512", sum(c), [&] { multiply(n, n, n, a.data(), b.data(), c.data()); });
    auto image = floats((long)side * side, 7), turned = floats((long)side * side, 1);
    measure("transposition of 2048", sum(turned), [&] { transpose(side, side, image.data(), turned.data()); });
    std::vector<double> u((long)m * m), v((long)m * m);
    for (long i = 0; i < (long)m * m; i++) u[i] = i % 1000;
    measure("heat in a square of 1024", sum(v), [&] { heat(m, 0.2, u.data(), v.data()); });
    std::vector<int> dist((long)m * m);
    for (long i = 0; i < (long)m * m; i++) dist[i] = (i * 7919) % 10007 + 1;
    measure("shortest ways of 1024", sum(dist), [&] { floyd(m, 5, dist.data()); });
    measure("mandelbrot of 1024", sum(dist), [&] { mandelbrot(m, m, 256, dist.data()); });
    std::vector<uint8_t> bytes(many);
    for (long i = 0; i < many; i++) bytes[i] = (uint8_t)((i * 7919) >> 7);
    std::vector<unsigned> bins(256);
    measure("histogram of 16777216", sum(bins), [&] { histogram(many, bytes.data(), bins.data()); });
    measure("edges of 2048", sum(turned), [&] { sobel(side, 2048, bytes.data(), turned.data()); });
    std::vector<int> starts(rows + 1);
    for (int i = 0; i < rows; i++) starts[i + 1] = starts[i] + 16 + (i * 7) % 33;
    const long entries = starts[rows];
    std::vector<int> columns(entries);
    for (long i = 0; i < entries; i++) columns[i] = (int)((i * 7919) % rows);
    auto values = floats(entries, 13), x = floats(rows, 3), y = floats(rows, 1);
    measure("sparse matrix of " + std::to_string(entries), sum(y), [&] { sparse(rows, starts.data(), columns.data(), values.data(), x.data(), y.data()); });
    std::vector<int> data(numbers), sums(numbers);
    for (long i = 0; i < numbers; i++) data[i] = i % 10;
    measure("prefix sums of 4194304", sum(sums), [&] { scan(numbers, data.data(), sums.data()); });
    auto left = floats(16L * count, 31), right = floats(16L * count, 17), product = floats(16L * count, 1);
    measure("products of 262144 by 4", sum(product), [&] { batch(count, left.data(), right.data(), product.data()); });
}
