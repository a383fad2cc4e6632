// The peer of collectives.x10: NCCL by hand, one thread for all devices.
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Clock = std::chrono::steady_clock;

int main(int argc, char **argv) {
    size_t longest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : size_t(1) << 30;
    int count = 0;
    cudaGetDeviceCount(&count);
    std::vector<ncclComm_t> members(count);
    auto begin = Clock::now();
    if (ncclCommInitAll(members.data(), count, nullptr) != ncclSuccess) return 1;
    std::printf("peer, %d devices: made in %.1f ms\n", count, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    std::vector<cudaStream_t> streams(count);
    for (int i = 0; i < count; i++) {
        cudaSetDevice(i);
        cudaStreamCreate(&streams[i]);
    }
    for (size_t bytes = 4096; bytes <= longest; bytes *= 64) {
        std::vector<float *> from(count), to(count);
        for (int i = 0; i < count; i++) {
            cudaSetDevice(i);
            cudaMalloc(&from[i], bytes);
            cudaMalloc(&to[i], bytes);
            cudaMemset(from[i], 0, bytes);
        }
        std::vector<double> times;
        for (int round = -3; round < 21; round++) {
            auto start = Clock::now();
            ncclGroupStart();
            for (int i = 0; i < count; i++) ncclAllReduce(from[i], to[i], bytes / 4, ncclFloat, ncclSum, members[i], streams[i]);
            ncclGroupEnd();
            for (int i = 0; i < count; i++) {
                cudaSetDevice(i);
                cudaStreamSynchronize(streams[i]);
            }
            if (round >= 0) times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
        }
        std::sort(times.begin(), times.end());
        std::printf("peer, allreduce, %zu bytes: median %.1f us, %.1f GB/s\n", bytes, times[10], bytes / times[10] / 1000 * 2 * (count - 1) / count);
        for (int i = 0; i < count; i++) {
            cudaSetDevice(i);
            cudaFree(from[i]);
            cudaFree(to[i]);
        }
    }
    return cudaGetLastError();
}
