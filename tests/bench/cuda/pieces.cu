// What the parts of a launch cost: each call alone, medians in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda.h>
#include <vector>

__global__ void empty() {}

template <class F, class G> static void measure(const char *name, F before, G timed) {
    std::vector<double> times;
    for (int i = 0; i < 600; i++) {
        before();
        auto start = std::chrono::steady_clock::now();
        timed();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        cudaDeviceSynchronize();
    }
    std::sort(times.begin(), times.end());
    std::printf("%-40s %.2f\n", name, times[300]);
}

int main(int argc, char **) {
    if (argc > 1) cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync);
    auto launch = [&] { empty<<<1, 32, 0, stream>>>(); };
    auto nothing = [] {};
    launch();
    measure("launch", nothing, launch);
    measure("event record", launch, [&] { cudaEventRecord(event, stream); });
    measure("event query", [&] { cudaEventRecord(event, stream); cudaDeviceSynchronize(); }, [&] { cudaEventQuery(event); });
    measure("stream query", nothing, [&] { cudaStreamQuery(stream); });
    measure("launch, stream synchronise", nothing, [&] { launch(); cudaStreamSynchronize(stream); });
    measure("launch, stream queries", nothing, [&] { launch(); while (cudaStreamQuery(stream) == cudaErrorNotReady); });
    measure("launch, record, event queries", nothing, [&] { launch(); cudaEventRecord(event, stream); while (cudaEventQuery(event) == cudaErrorNotReady); });
    volatile unsigned *flag;
    cudaHostAlloc((void **)&flag, 64, cudaHostAllocMapped);
    unsigned turn = 0;
    measure("launch, written flag", nothing, [&] {
        launch();
        cuStreamWriteValue32(stream, (CUdeviceptr)flag, ++turn, 0);
        while (*flag != turn);
    });
    return 0;
}
