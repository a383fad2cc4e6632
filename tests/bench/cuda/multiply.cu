// The peers of multiply.x10: the same algorithm by hand, with loads of one and of four elements from global memory, and cuBLAS.
// Build with -lcublas. The argument is a size, a multiple of 128 (4096).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <cublas_v2.h>

constexpr int threads = 256, rows = 128, width = 8, columns = 16 * width, depth = 8, pitch = columns + 4;

__device__ float4 *four(float *at) { return reinterpret_cast<float4 *>(at); }
__device__ const float4 *four(const float *at) { return reinterpret_cast<const float4 *>(at); }

// Where a thread's share of a tile of a comes from and goes to, `each` neighbours at a time.
template <int each> struct Bring {
    static constexpr int turns_a = rows * depth / threads / each, step_a = threads * each / rows;
    static constexpr int turns_b = columns * depth / threads / each, step_b = threads * each / depth;
    const int n, row_a = threadIdx.x * each % rows, depth_a = threadIdx.x * each / rows, depth_b = threadIdx.x * each % depth, column_b = threadIdx.x * each / depth;
    const float *a, *b;
    float next_a[turns_a][each], next_b[turns_b][each];

    __device__ Bring(int n, const float *a, const float *b)
        : n(n), a(a + depth_a * n + blockIdx.x * rows + row_a), b(b + (blockIdx.y * columns + column_b) * n + depth_b) {}

    __device__ void load(int k) {
#pragma unroll
        for (int i = 0; i < turns_a; i++) {
            const float *at = a + (k + i * step_a) * n;
            if constexpr (each == 4) *four(next_a[i]) = *four(at); else next_a[i][0] = *at;
        }
#pragma unroll
        for (int i = 0; i < turns_b; i++) {
            const float *at = b + k + i * step_b * n;
            if constexpr (each == 4) *four(next_b[i]) = *four(at); else next_b[i][0] = *at;
        }
    }

    __device__ void store(float (*tile_a)[rows], float (*tile_b)[pitch]) {
#pragma unroll
        for (int i = 0; i < turns_a; i++) {
            float *to = &tile_a[depth_a + i * step_a][row_a];
            if constexpr (each == 4) *four(to) = *four(next_a[i]); else *to = next_a[i][0];
        }
#pragma unroll
        for (int i = 0; i < turns_b; i++)
#pragma unroll
            for (int e = 0; e < each; e++) tile_b[depth_b + e][column_b + i * step_b] = next_b[i][e];
    }
};

template <int each> __global__ void __launch_bounds__(threads, 2) multiply(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ __align__(16) float tiles_a[2][depth][rows], tiles_b[2][depth][pitch];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp % 2 * 64 + lane % 8 * 4, column = warp / 2 * 4 * width + lane / 8 * 4;
    __align__(16) float sums[width][8] = {}, left[8], right[width];
    Bring<each> bring(n, a, b);
    bring.load(0);
    bring.store(tiles_a[0], tiles_b[0]);
    __syncthreads();
    for (int k = 0, stage = 0; k < n; k += depth, stage ^= 1) {
        if (k + depth < n) bring.load(k + depth);
#pragma unroll
        for (int d = 0; d < depth; d++) {
#pragma unroll
            for (int i = 0; i < 2; i++) *four(left + 4 * i) = *four(&tiles_a[stage][d][row + 32 * i]);
#pragma unroll
            for (int j = 0; j < width / 4; j++) *four(right + 4 * j) = *four(&tiles_b[stage][d][column + 16 * j]);
#pragma unroll
            for (int j = 0; j < width; j++)
#pragma unroll
                for (int i = 0; i < 8; i++) sums[j][i] += left[i] * right[j];
        }
        if (k + depth < n) bring.store(tiles_a[stage ^ 1], tiles_b[stage ^ 1]);
        __syncthreads();
    }
    float *to = c + (blockIdx.y * columns + column) * n + blockIdx.x * rows + row;
#pragma unroll
    for (int j = 0; j < width; j++)
#pragma unroll
        for (int i = 0; i < 8; i += 4) *four(to + (j / 4 * 16 + j % 4) * n + i / 4 * 32) = *four(&sums[j][i]);
}

static cudaStream_t stream;

static float *matrix(int n, long seed) {
    std::vector<float> host((long)n * n);
    for (long i = 0; i < (long)host.size(); i++) host[i] = (float)((i * seed) % 1000) * 0.001f;
    float *device;
    cudaMalloc(&device, host.size() * 4);
    cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
    return device;
}

static void measure(const char *name, int n, float *result, const std::function<void()> &run) {
    cudaMemset(result, 0, 4L * n * n);
    cudaDeviceSynchronize();
    std::vector<double> times;
    for (int i = 0; i < 23; i++) {
        auto start = std::chrono::steady_clock::now();
        run();
        cudaStreamSynchronize(stream);
        if (i >= 3) times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    std::vector<float> host((long)n * n);
    cudaError_t status = cudaMemcpy(host.data(), result, host.size() * 4, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float value : host) sum += value;
    std::printf("%s %d: median %.4f ms (%.2f TFLOP/s), sum %.6e%s\n", name, n, times[10], 2.0 * n * n * n / times[10] / 1e9, sum, status ? " FAILED" : "");
}

int main(int count, char **arguments) {
    const int n = count > 1 ? std::atoi(arguments[1]) : 4096;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    float *a = matrix(n, 31), *b = matrix(n, 17), *c = matrix(n, 0);
    const dim3 grid(n / rows, n / columns);
    measure("peer multiply, loads of 4 bytes,", n, c, [&] { multiply<1><<<grid, threads, 0, stream>>>(n, a, b, c); });
    measure("peer multiply, loads of 16 bytes,", n, c, [&] { multiply<4><<<grid, threads, 0, stream>>>(n, a, b, c); });
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetStream(handle, stream);
    const float one = 1, zero = 0;
    measure("cuBLAS", n, c, [&] { cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n); });
}
