// The peers of classics.x10: the same algorithms and launches by hand.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

constexpr int TILE = 16, ROWS = 8, BINS = 256;

__global__ void multiply(int m, int n, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        const int ac = t * TILE + tx, br = t * TILE + ty;
        left[ty][tx] = row < m && ac < k ? a[row * k + ac] : 0.0f;
        right[ty][tx] = br < k && column < n ? b[br * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += left[ty][i] * right[i][tx];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void transpose(int w, int h, const float *__restrict__ from, float *__restrict__ to) {
    __shared__ float tile[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    for (int j = 0; j < 32; j += ROWS)
        if (x < w && y + j < h) tile[ty + j][tx] = from[(y + j) * w + x];
    __syncthreads();
    const int u = blockIdx.y * 32 + tx, v = blockIdx.x * 32 + ty;
    for (int j = 0; j < 32; j += ROWS)
        if (u < h && v + j < w) to[(v + j) * h + u] = tile[tx][ty + j];
}

__global__ void heat(int n, double k, const double *__restrict__ u, double *__restrict__ v) {
    __shared__ double tile[TILE + 2][TILE + 2];
    const int ti = threadIdx.y, tj = threadIdx.x, i = blockIdx.y * TILE + ti, j = blockIdx.x * TILE + tj;
    if (i < n && j < n) {
        tile[ti + 1][tj + 1] = u[i * n + j];
        if (ti == 0 && i > 0) tile[0][tj + 1] = u[(i - 1) * n + j];
        if (ti == TILE - 1 && i < n - 1) tile[TILE + 1][tj + 1] = u[(i + 1) * n + j];
        if (tj == 0 && j > 0) tile[ti + 1][0] = u[i * n + j - 1];
        if (tj == TILE - 1 && j < n - 1) tile[ti + 1][TILE + 1] = u[i * n + j + 1];
    }
    __syncthreads();
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1) {
        const double c = tile[ti + 1][tj + 1];
        v[i * n + j] = c + k * (tile[ti + 1][tj] + tile[ti + 1][tj + 2] + tile[ti][tj + 1] + tile[ti + 2][tj + 1] - 4.0 * c);
    }
}

__global__ void floyd(int n, int k, int *dist) {
    const int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
    if (i < n && j < n) {
        const int through = dist[i * n + k] + dist[k * n + j];
        if (through < dist[i * n + j]) dist[i * n + j] = through;
    }
}

struct Number {
    float re, im;
    __device__ Number operator+(Number o) const { return {re + o.re, im + o.im}; }
    __device__ Number operator*(Number o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    __device__ float square() const { return re * re + im * im; }
};

__device__ int escape(Number c, int most) {
    Number z = {0.0f, 0.0f};
    int k = 0;
    while (k < most && z.square() <= 4.0f) {
        z = z * z + c;
        k++;
    }
    return k;
}

__global__ void mandelbrot(int w, int h, float dx, float dy, int most, int *image) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) image[y * w + x] = escape({-2.2f + x * dx, -1.2f + y * dy}, most);
}

__global__ void histogram(int n, const unsigned char *__restrict__ bytes, unsigned *bins) {
    __shared__ unsigned mine[BINS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BINS + threadIdx.x; i < n; i += gridDim.x * BINS) atomicAdd(&mine[bytes[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void sparse(int rows, const int *__restrict__ starts, const int *__restrict__ columns, const float *__restrict__ values,
                       const float *__restrict__ x, float *__restrict__ y) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    if (row < rows)
        for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(~0u, sum, by);
    if (lane == 0 && row < rows) y[row] = sum;
}

__global__ void scan(int n, const int *__restrict__ data, int *__restrict__ out) {
    __shared__ int buffer[2 * 256];
    const int thread = threadIdx.x, i = blockIdx.x * 256 + thread;
    int from = 0, to = 1;
    buffer[thread] = i < n ? data[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2) {
        if (thread >= offset) buffer[to * 256 + thread] = buffer[from * 256 + thread] + buffer[from * 256 + thread - offset];
        else buffer[to * 256 + thread] = buffer[from * 256 + thread];
        const int t = from; from = to; to = t;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[from * 256 + thread];
}

__device__ int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

__global__ void sobel(int w, int h, const unsigned char *__restrict__ from, float *__restrict__ to) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) {
        const int l = clamp(x - 1, 0, w - 1), r = clamp(x + 1, 0, w - 1), u = clamp(y - 1, 0, h - 1), d = clamp(y + 1, 0, h - 1);
        const int a = from[u * w + l], b = from[u * w + x], c = from[u * w + r], e = from[y * w + l], f = from[y * w + r];
        const int g = from[d * w + l], i = from[d * w + x], j = from[d * w + r];
        const int gx = c + 2 * f + j - a - 2 * e - g, gy = g + 2 * i + j - a - 2 * b - c;
        to[y * w + x] = sqrtf((float)(gx * gx + gy * gy));
    }
}

__global__ void batch(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    const int id = blockIdx.x * 128 + threadIdx.x;
    if (id < n) {
        float x[16], y[16];
        for (int i = 0; i < 16; i++) { x[i] = a[id * 16 + i]; y[i] = b[id * 16 + i]; }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                float s = 0.0f;
                for (int k = 0; k < 4; k++) s += x[i * 4 + k] * y[k * 4 + j];
                c[id * 16 + i * 4 + j] = s;
            }
    }
}

template <class T> static T *upload(long n, const std::function<T(long)> &value) {
    std::vector<T> host(n);
    for (long i = 0; i < n; i++) host[i] = value(i);
    T *device;
    cudaMalloc(&device, n * sizeof(T));
    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

static float *floats(long n, long seed) {
    return upload<float>(n, [=](long i) { return (float)((i * seed) % 1000) * 0.001f; });
}

template <class T> static void measure(const std::string &name, const T *result, long n, const std::function<void()> &run) {
    const auto once = [&] { run(); cudaDeviceSynchronize(); };
    for (int i = 0; i < 3; i++) once();
    std::vector<double> times;
    for (int i = 0; i < 21; i++) {
        const auto start = std::chrono::steady_clock::now();
        once();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    std::vector<T> host(n);
    cudaMemcpy(host.data(), result, n * sizeof(T), cudaMemcpyDeviceToHost);
    double sum = 0.0;
    for (const T value : host) sum += (double)value;
    printf("%s: median %.4f ms, sum %.6e%s\n", name.c_str(), times[10], sum, cudaGetLastError() == cudaSuccess ? "" : " FAILED");
}

int main() {
    const dim3 square(16, 16);
    const int n = 2048, side = 8192, m = 4096, most = 256;
    float *a = floats((long)n * n, 31), *b = floats((long)n * n, 17), *c = floats((long)n * n, 1);
    measure("tiles of 16, matrices of 2048", c, (long)n * n, [&] { multiply<<<dim3(n / 16, n / 16), square>>>(n, n, n, a, b, c); });

    const long cells = (long)side * side;
    float *image = floats(cells, 7), *turned = floats(cells, 1);
    measure("transposition of 8192", turned, cells, [&] { transpose<<<dim3(side / 32, side / 32), dim3(32, ROWS)>>>(side, side, image, turned); });
    cudaFree(image);

    double *u = upload<double>((long)m * m, [](long i) { return (double)(i % 1000); });
    double *v = upload<double>((long)m * m, [](long) { return 0.0; });
    measure("heat in a square of 4096", v, (long)m * m, [&] { heat<<<dim3(m / 16, m / 16), square>>>(m, 0.2, u, v); });
    cudaFree(u);
    cudaFree(v);

    int *dist = upload<int>((long)m * m, [](long i) { return (int)((i * 7919) % 10007 + 1); });
    measure("shortest ways of 4096", dist, (long)m * m, [&] { floyd<<<dim3(m / 16, m / 16), square>>>(m, 5, dist); });
    measure("mandelbrot of 4096", dist, (long)m * m, [&] { mandelbrot<<<dim3(m / 16, m / 16), square>>>(m, m, 3.2f / m, 2.4f / m, most, dist); });
    cudaFree(dist);

    const int many = 1 << 28;
    auto *bytes = upload<unsigned char>(many, [](long i) { return (unsigned char)((i * 7919) >> 7); });
    auto *bins = upload<unsigned>(BINS, [](long) { return 0u; });
    measure("histogram of 268435456", bins, BINS, [&] { histogram<<<1056, BINS>>>(many, bytes, bins); });
    measure("edges of 8192", turned, cells, [&] { sobel<<<dim3(side / 16, side / 16), square>>>(side, side, bytes, turned); });
    cudaFree(bytes);
    cudaFree(turned);

    const int rows = 1000000;
    std::vector<int> start(rows + 1);
    for (int i = 0; i < rows; i++) start[i + 1] = start[i] + 16 + (i * 7) % 33;
    const long entries = start[rows];
    int *starts = upload<int>(rows + 1, [&](long i) { return start[i]; });
    int *columns = upload<int>(entries, [=](long i) { return (int)((i * 7919) % rows); });
    float *values = floats(entries, 13), *x = floats(rows, 3), *y = floats(rows, 1);
    measure("sparse matrix of " + std::to_string(entries), y, rows, [&] { sparse<<<(rows + 7) / 8, 256>>>(rows, starts, columns, values, x, y); });

    const int numbers = 1 << 26;
    int *data = upload<int>(numbers, [](long i) { return (int)(i % 10); });
    int *sums = upload<int>(numbers, [](long) { return 0; });
    measure("prefix sums of 67108864", sums, numbers, [&] { scan<<<numbers / 256, 256>>>(numbers, data, sums); });
    cudaFree(data);
    cudaFree(sums);

    const int count = 1 << 22;
    float *left = floats(16L * count, 31), *right = floats(16L * count, 17), *product = floats(16L * count, 1);
    measure("products of 4194304 by 4", product, 16L * count, [&] { batch<<<count / 128, 128>>>(count, left, right, product); });
}
