// ../accelerators/reflect.c by hand, planes alone: two GPUs of one process copy a plane each to the other by peer copies, and wait for both.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

int main() {
  const struct { const char *name; size_t bytes; int count; } cases[] = {
      {"tiny", 2048, 200}, {"small", 8192, 200}, {"middle", 262144, 200}, {"large", 4 << 20, 50}, {"huge", 32 << 20, 20}};
  char *memory[2];
  cudaStream_t streams[2];
  for (int gpu = 0; gpu < 2; gpu++) {
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaDeviceEnablePeerAccess(1 - gpu, 0));
    CHECK(cudaMalloc(&memory[gpu], 64 << 20));
    CHECK(cudaStreamCreateWithFlags(&streams[gpu], cudaStreamNonBlocking));
  }
  for (const auto &it : cases) {
    double best = 1e9;
    for (int round = 0; round < 7; round++) {
      const auto begin = std::chrono::steady_clock::now();
      for (int n = 0; n < it.count; n++) {
        for (int gpu = 0; gpu < 2; gpu++)
          CHECK(cudaMemcpyPeerAsync(memory[1 - gpu] + (32 << 20), 1 - gpu, memory[gpu], gpu, it.bytes, streams[gpu]));
        for (int gpu = 0; gpu < 2; gpu++) CHECK(cudaStreamSynchronize(streams[gpu]));
      }
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / it.count;
      if (seconds < best) best = seconds;
    }
    std::printf("reflect-acc-%s %.9f 0\n", it.name, best);
  }
}
