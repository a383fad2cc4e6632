// The peer of copy.x10: 1 GB between pinned memory and the device.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

int main() {
    const size_t bytes = 1 << 30;
    void *host, *device;
    cudaMallocHost(&host, bytes);
    cudaMalloc(&device, bytes);
    for (size_t size : {4096, 65536, 1 << 20, 1 << 24}) for (bool in : {true, false}) {
        std::vector<double> times;
        for (int i = 0; i < 201; i++) {
            auto start = std::chrono::steady_clock::now();
            cudaMemcpy(in ? device : host, in ? host : device, size, in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
            times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        }
        std::sort(times.begin(), times.end());
        std::printf("peer, %zu bytes pinned %s the device: median %.1f us\n", size, in ? "to" : "from", times[100]);
    }
    for (bool in : {true, false}) {
        std::vector<double> times;
        for (int i = 0; i < 22; i++) {
            auto start = std::chrono::steady_clock::now();
            cudaMemcpy(in ? device : host, in ? host : device, bytes, in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
            if (i >= 2) times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::sort(times.begin(), times.end());
        std::printf("peer, 1 GB pinned %s the device: median %.2f ms, %.1f GB/s\n", in ? "to" : "from", times[10] * 1e3, bytes / times[10] / 1e9);
    }
    return cudaGetLastError();
}
