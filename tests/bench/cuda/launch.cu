// The peer of launch.x10: an empty kernel, launched and waited for, and one whose only number is read behind it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void empty() {}
__global__ void add(long long *count) {
    if (threadIdx.x == 0) count[0] = count[0] + 1;
}

template <class Work> void measure(const char *what, Work work) {
    std::vector<double> times;
    for (int i = 0; i < 1100; i++) {
        auto start = std::chrono::steady_clock::now();
        work();
        double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
        if (i >= 100) times.push_back(us);
    }
    std::sort(times.begin(), times.end());
    std::printf("peer, %s: median %.2f us, p99 %.2f us\n", what, times[500], times[990]);
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
    return cudaGetLastError() || *found != 1100;
}
