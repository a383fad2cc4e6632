// The peer of examples/kmeans.x10 on one device: the same algorithm by hand. Usage: kmeans POINTS CLUSTERS ITERATIONS
#include <cfloat>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

constexpr int dimensions = 4, parts = dimensions + 1;
constexpr float fine = 1048576.0f;
using Sum = unsigned long long;

__global__ void __launch_bounds__(256) classify(int count, int clusters, const float *__restrict__ points, const float *__restrict__ centres, Sum *sums) {
    extern __shared__ Sum part[];
    float *cache = reinterpret_cast<float *>(part + clusters * parts);
    for (int i = threadIdx.x; i < clusters * parts; i += blockDim.x) part[i] = 0;
    for (int i = threadIdx.x; i < clusters * dimensions; i += blockDim.x) cache[i] = centres[i];
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < count; p += gridDim.x * blockDim.x) {
        float point[dimensions];
        for (int d = 0; d < dimensions; d++) point[d] = points[p + d * count];
        int closest = 0;
        float least = FLT_MAX;
        for (int k = 0; k < clusters; k++) {
            float distance = 0;
            for (int d = 0; d < dimensions; d++) {
                float difference = point[d] - cache[k * dimensions + d];
                distance += difference * difference;
            }
            if (distance < least) least = distance, closest = k;
        }
        for (int d = 0; d < dimensions; d++) atomicAdd(part + closest * parts + d, (Sum)(long long)(point[d] * fine));
        atomicAdd(part + closest * parts + dimensions, 1ull);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < clusters * parts; i += blockDim.x) atomicAdd(sums + i, part[i]);
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 200000, clusters = argc > 2 ? std::atoi(argv[2]) : 16;
    const int iterations = argc > 3 ? std::atoi(argv[3]) : 20;
    std::vector<float> host(size_t(count) * dimensions);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> noise(0, 1);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < dimensions; d++) host[size_t(d) * count + i] = (i % clusters * 7 + d * 13) % 23 + noise(random);
    float *points, *centres, *own;
    Sum *sums, *found;
    cudaMalloc(&points, host.size() * sizeof(float));
    cudaMemcpy(points, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMalloc(&centres, clusters * dimensions * sizeof(float));
    cudaMalloc(&sums, clusters * parts * sizeof(Sum));
    cudaMallocHost(&own, clusters * dimensions * sizeof(float));
    cudaMallocHost(&found, clusters * parts * sizeof(Sum));
    for (int k = 0; k < clusters; k++)
        for (int d = 0; d < dimensions; d++) own[k * dimensions + d] = host[size_t(d) * count + k];
    const size_t shared = clusters * (parts * sizeof(Sum) + dimensions * sizeof(float));
    cudaFuncSetAttribute(classify, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    int blocks = 0, processors = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, classify, 256, shared);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    auto iterate = [&] {
        cudaMemsetAsync(sums, 0, clusters * parts * sizeof(Sum), stream);
        cudaMemcpyAsync(centres, own, clusters * dimensions * sizeof(float), cudaMemcpyHostToDevice, stream);
        classify<<<blocks * processors, 256, shared, stream>>>(count, clusters, points, centres, sums);
        cudaMemcpyAsync(found, sums, clusters * parts * sizeof(Sum), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int k = 0; k < clusters; k++)
            if (const long long size = (long long)found[k * parts + dimensions]; size > 0)
                for (int d = 0; d < dimensions; d++) own[k * dimensions + d] = float(double((long long)found[k * parts + d]) / fine / size);
    };
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; i++) iterate();
    std::printf("peer, %d points, %d clusters, %d iterations: %.4f s\n", count, clusters, iterations,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return cudaGetLastError();
}
