// The peers of kernels.x10: the same algorithms and launches by hand.
#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

__constant__ float weights[5];

__global__ void __launch_bounds__(256) stencil(int nx, int ny, int nz, const float *__restrict__ from, float *__restrict__ to) {
    __shared__ float tile[24 * 24];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty, plane = nx * ny;
    for (int i = ty * 16 + tx; i < 24 * 24; i += 256) tile[i] = 0.0f;
    __syncthreads();
    int next = y * nx + x;
    float behind4, behind3 = from[next]; next += plane;
    float behind2 = from[next]; next += plane;
    float behind1 = from[next]; next += plane;
    float current = from[next]; next += plane;
    float front1 = from[next]; next += plane;
    float front2 = from[next]; next += plane;
    float front3 = from[next]; next += plane;
    float front4 = from[next]; next += plane;
    const bool inside = x >= 4 && x < nx - 4 && y >= 4 && y < ny - 4;
    for (int z = 4; z < nz - 4; z++) {
        behind4 = behind3; behind3 = behind2; behind2 = behind1; behind1 = current;
        current = front1; front1 = front2; front2 = front3; front3 = front4;
        front4 = from[next]; next += plane;
        __syncthreads();
        if (ty < 4) {
            if (y >= 4) tile[ty * 24 + tx + 4] = from[(z * ny + y - 4) * nx + x];
            if (y + 16 < ny) tile[(ty + 20) * 24 + tx + 4] = from[(z * ny + y + 16) * nx + x];
        }
        if (tx < 4) {
            if (x >= 4) tile[(ty + 4) * 24 + tx] = from[(z * ny + y) * nx + x - 4];
            if (x + 16 < nx) tile[(ty + 4) * 24 + tx + 20] = from[(z * ny + y) * nx + x + 16];
        }
        tile[(ty + 4) * 24 + tx + 4] = current;
        __syncthreads();
        const float *c = tile + (ty + 4) * 24 + tx + 4;
        float value = weights[0] * current
            + weights[1] * (front1 + behind1 + c[-1] + c[1] + c[-24] + c[24])
            + weights[2] * (front2 + behind2 + c[-2] + c[2] + c[-48] + c[48])
            + weights[3] * (front3 + behind3 + c[-3] + c[3] + c[-72] + c[72])
            + weights[4] * (front4 + behind4 + c[-4] + c[4] + c[-96] + c[96]);
        if (inside) to[(z * ny + y) * nx + x] = value;
    }
}

__global__ void __launch_bounds__(64) multiply(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ float tile[16][17];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x * 64 + ty * 16 + tx, column = blockIdx.y * 16;
    float sums[16] = {};
    for (int k = 0; k < n; k += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) tile[tx][ty + 4 * i] = b[(column + ty + 4 * i) * n + k + tx];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float left = a[(k + i) * n + row];
#pragma unroll
            for (int j = 0; j < 16; j++) sums[j] += left * tile[i][j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 16; j++) c[(column + j) * n + row] = sums[j];
}

__global__ void __launch_bounds__(256) nearest(int n, int count, const float *__restrict__ points, const float *__restrict__ centres, float *__restrict__ to) {
    extern __shared__ float cache[];
    for (int i = threadIdx.x; i < 4 * count; i += 256) cache[i] = centres[i];
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float x = points[i], y = points[i + n], z = points[i + 2 * n], u = points[i + 3 * n], least = FLT_MAX;
        int best = 0;
        for (int k = 0; k < count; k++) {
            float dx = x - cache[4 * k], dy = y - cache[4 * k + 1], dz = z - cache[4 * k + 2], du = u - cache[4 * k + 3];
            float distance = dx * dx + dy * dy + dz * dz + du * du;
            if (distance < least) { least = distance; best = k; }
        }
        to[i] = best;
    }
}

__global__ void __launch_bounds__(256) gravity(int n, const float *__restrict__ bodies, float *__restrict__ to) {
    __shared__ float tile[4 * 256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float x = bodies[i * 4], y = bodies[i * 4 + 1], z = bodies[i * 4 + 2];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 256) {
        for (int j = 0; j < 4; j++) tile[threadIdx.x * 4 + j] = bodies[(first + threadIdx.x) * 4 + j];
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < 256; k++) {
            float dx = tile[k * 4] - x, dy = tile[k * 4 + 1] - y, dz = tile[k * 4 + 2] - z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float force = tile[k * 4 + 3] * inverse * inverse * inverse;
            ax += dx * force; ay += dy * force; az += dz * force;
        }
        __syncthreads();
    }
    to[i * 3] = ax; to[i * 3 + 1] = ay; to[i * 3 + 2] = az;
}

static __global__ void __launch_bounds__(512) sums(long n, const float *__restrict__ from, float *__restrict__ to) {
    __shared__ float parts[16];
    float sum = 0;
    for (long i = blockIdx.x * 512L + threadIdx.x; i < n; i += gridDim.x * 512L) sum += from[i];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < 16 ? parts[threadIdx.x] : 0;
        for (int by = 8; by > 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
        if (threadIdx.x == 0) to[blockIdx.x] = sum;
    }
}

static cudaStream_t stream;

static float *rail(long n, long seed) {
    std::vector<float> host(n);
    for (long i = 0; i < n; i++) host[i] = (float)((i * seed) % 1000) * 0.001f;
    float *device;
    cudaMalloc(&device, n * 4);
    cudaMemcpy(device, host.data(), n * 4, cudaMemcpyHostToDevice);
    return device;
}

static float *zeros(long n) {
    float *device;
    cudaMalloc(&device, n * 4);
    cudaMemset(device, 0, n * 4);
    return device;
}

static void measure(const std::string &name, const float *result, long n, const std::function<void()> &run) {
    std::vector<double> times;
    for (int i = 0; i < 23; i++) {
        auto start = std::chrono::steady_clock::now();
        run();
        cudaStreamSynchronize(stream);
        if (i >= 3) times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    std::vector<float> host(n);
    cudaMemcpy(host.data(), result, n * 4, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float value : host) sum += value;
    std::printf("peer %s: median %.4f ms, sum %.6e\n", name.c_str(), times[10], sum);
}

int main() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    {
        int side = 480, depth = 400;
        long cells = (long)side * side * depth;
        float *grid = rail(cells, 31), *out = zeros(cells), w[5];
        for (int i = 0; i < 5; i++) w[i] = 1.0f / (1.0f + i);
        cudaMemcpyToSymbol(weights, w, sizeof w);
        measure("stencil 480x480x400", out, cells, [&] { stencil<<<dim3(side / 16, side / 16), dim3(16, 16), 0, stream>>>(side, side, depth, grid, out); });
        cudaFree(grid);
        cudaFree(out);
    }
    {
        int n = 4096;
        float *a = rail((long)n * n, 31), *b = rail((long)n * n, 17), *c = zeros((long)n * n);
        measure("sgemm 4096", c, (long)n * n, [&] { multiply<<<dim3(n / 64, n / 16), dim3(16, 4), 0, stream>>>(n, a, b, c); });
        cudaFree(a);
        cudaFree(b);
        cudaFree(c);
    }
    int devices = 0, multiprocessors = 0, resident = 0;
    cudaGetDevice(&devices);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, devices);
    for (int count : {100, 400}) for (int n : {2000000, 4000000}) {
        float *points = rail(4L * n, 7919), *labels = zeros(n);
        std::vector<float> host(4 * count);
        for (long i = 0; i < 4 * count; i++) host[i] = (float)((i * 613) % 1000) * 0.001f;
        float *centres;
        cudaMalloc(&centres, 16 * count);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, nearest, 256, 16 * count);
        measure("nearest of " + std::to_string(count) + ", " + std::to_string(n) + " points", labels, n, [&] {
            cudaMemcpyAsync(centres, host.data(), 16 * count, cudaMemcpyHostToDevice, stream);
            nearest<<<multiprocessors * resident, 256, 16 * count, stream>>>(n, count, points, centres, labels);
        });
        cudaFree(points);
        cudaFree(labels);
        cudaFree(centres);
    }
    int n = 131072;
    float *bodies = rail(4L * n, 7919), *pulls = zeros(3L * n);
    {
        long many = 1L << 28;
        float *values = rail(many, 31), *parts = zeros(528);
        measure("sums of 268435456", parts, 528, [&] { sums<<<528, 512, 0, stream>>>(many, values, parts); });
        cudaFree(values);
        cudaFree(parts);
    }
    measure("gravity 131072", pulls, 3L * n, [&] { gravity<<<n / 256, 256, 0, stream>>>(n, bodies, pulls); });
    return cudaGetLastError();
}
