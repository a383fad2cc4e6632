// The peer of launch.x10: an empty kernel, launched and waited for, and one whose only number is read behind it; and some kernels of
// one block, each with a stream of its own on which 16 KB are read behind it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void empty() {}
__global__ void add(long long *count) {
    if (threadIdx.x == 0) count[0] = count[0] + 1;
}

__global__ void busy(int turns, float *out) {
    float x = threadIdx.x;
    for (int turn = 1; turn <= turns; turn++) x = x * 0.999f + 1.0f;
    for (int at = threadIdx.x; at < 4096; at += 256) out[at] = x;
}

template <class Work> void measure(const char *what, Work work, int warm = 100, int runs = 1000) {
    std::vector<double> times;
    for (int i = 0; i < warm + runs; i++) {
        auto start = std::chrono::steady_clock::now();
        work();
        double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
        if (i >= warm) times.push_back(us);
    }
    std::sort(times.begin(), times.end());
    std::printf("peer, %s: median %.2f us, p99 %.2f us\n", what, times[runs / 2], times[runs * 99 / 100]);
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    long long *count, *found;
    cudaMalloc(&count, sizeof *count);
    cudaMallocHost(&found, sizeof *found);
    cudaMemset(count, 0, sizeof *count);
    measure("launch and wait", [&] {
        empty<<<1, 32, 0, stream>>>();
        cudaStreamSynchronize(stream);
    });
    measure("launch, wait and read", [&] {
        add<<<1, 32, 0, stream>>>(count);
        cudaMemcpyAsync(found, count, sizeof *count, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
    });
    for (int several : {1, 4, 8, 16}) {
        std::vector<cudaStream_t> streams(several);
        std::vector<float *> written(several), read(several);
        for (int i = 0; i < several; i++) {
            cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
            cudaMalloc(&written[i], 4096 * sizeof(float));
            cudaMallocHost(&read[i], 4096 * sizeof(float));
        }
        char what[32];
        std::snprintf(what, sizeof what, "%d at once", several);
        measure(what, [&] {
            for (int i = 0; i < several; i++) {
                busy<<<1, 256, 0, streams[i]>>>(100000, written[i]);
                cudaMemcpyAsync(read[i], written[i], 4096 * sizeof(float), cudaMemcpyDeviceToHost, streams[i]);
            }
            for (int i = 0; i < several; i++) cudaStreamSynchronize(streams[i]);
        }, 10, 100);
    }
    return cudaGetLastError() || *found != 1100;
}
