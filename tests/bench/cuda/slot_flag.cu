// The peer of slot_latency.x10: a word from a block to the host and back through mapped memory, and the copy of a buffer each way.
// nvcc -O3 -arch=native slot_flag.cu -o slot_flag && ./slot_flag
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int ROUNDS = 2000;

__global__ void answer(volatile unsigned *asked, volatile unsigned *answered) {
  for (unsigned round = 1; round <= ROUNDS + 1; ++round) {
    while (*asked < round) { }
    __threadfence_system();
    *answered = round;
  }
}

int main() {
  unsigned *words;
  cudaHostAlloc(&words, 4096, cudaHostAllocMapped);
  words[0] = words[64] = 0;
  volatile unsigned *asked = words, *answered = words + 64;
  answer<<<1, 1>>>(asked, answered);
  auto begun = std::chrono::steady_clock::now();
  for (unsigned round = 1; round <= ROUNDS + 1; ++round) {
    if (round == 2) begun = std::chrono::steady_clock::now();
    *asked = round;
    while (*answered < round) { }
  }
  std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begun;
  cudaDeviceSynchronize();
  printf("round trip of a flag: %.2f us\n", took.count() / ROUNDS);
  for (size_t bytes : {65536, 1048576, 16777216}) {
    void *host, *device;
    cudaHostAlloc(&host, bytes, cudaHostAllocDefault);
    cudaMalloc(&device, bytes);
    for (int round = 0; round < 101; ++round) {
      if (round == 1) begun = std::chrono::steady_clock::now();
      cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
      cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
    }
    took = std::chrono::steady_clock::now() - begun;
    printf("copy of %zu bytes there and back: %.2f us\n", bytes, took.count() / 100);
  }
}
