// The peer of slot_latency.x10 on two GPUs: a word and packets of 8 KiB from a block of one to a block of the other and back through peer
// memory, and the copy of a buffer each way.
// nvcc -O3 -arch=native slot_peer.cu -o slot_peer && ./slot_peer
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

constexpr unsigned ROUNDS = 2000, THREADS = 512, PACKETS = 1024; // a packet: 8 bytes and two flags

__device__ unsigned load(const unsigned *from) { unsigned seen; asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(seen) : "l"(from) : "memory"); return seen; }
__device__ void store(unsigned *to, unsigned value) { asm volatile("st.release.sys.u32 [%0], %1;" :: "l"(to), "r"(value) : "memory"); }

// Each waits for its own word and sets that of the other.
__global__ void flags(unsigned *own, unsigned *other, bool is_first) {
  for (unsigned round = 1; round <= ROUNDS; ++round) {
    if (is_first) store(other, round);
    while (load(own) < round) { }
    if (!is_first) store(other, round);
  }
}

// Each takes the packets from its own memory and writes them to the other's.
__global__ void packets(uint4 *own, uint4 *other, uint2 *data, bool is_first) {
  for (unsigned round = 1; round <= ROUNDS; ++round) {
    for (unsigned turn = 0; turn < 2; ++turn) {
      if ((turn == 0) == is_first) {
        for (unsigned i = threadIdx.x; i < PACKETS; i += THREADS)
          asm volatile("st.volatile.v4.u32 [%0], {%1, %2, %3, %2};" :: "l"(other + i), "r"(data[i].x), "r"(round), "r"(data[i].y) : "memory");
      } else {
        for (unsigned i = threadIdx.x; i < PACKETS; i += THREADS) {
          uint4 seen;
          do asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(seen.x), "=r"(seen.y), "=r"(seen.z), "=r"(seen.w) : "l"(own + i) : "memory");
          while (seen.y != round || seen.w != round);
          data[i] = make_uint2(seen.x, seen.z);
        }
      }
      __syncthreads();
    }
  }
}

static double since(std::chrono::steady_clock::time_point begun) { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count(); }

int main() {
  int count = 0, can = 0;
  cudaGetDeviceCount(&count);
  if (count > 1) cudaDeviceCanAccessPeer(&can, 0, 1);
  if (!can) { printf("no two GPUs that reach each other\n"); return 0; }
  char *memory[2]; uint2 *data[2];
  for (int gpu = 0; gpu < 2; ++gpu) {
    cudaSetDevice(gpu);
    cudaDeviceEnablePeerAccess(1 - gpu, 0);
    cudaMalloc(&memory[gpu], 64 << 20);
    cudaMalloc(&data[gpu], PACKETS * sizeof(uint2));
    cudaMemset(memory[gpu], 0, 64 << 20);
    cudaMemset(data[gpu], 0, PACKETS * sizeof(uint2));
    cudaDeviceSynchronize();
  }
  const auto wait = [] { for (int gpu = 0; gpu < 2; ++gpu) { cudaSetDevice(gpu); cudaDeviceSynchronize(); } };
  for (int time = 0; time < 2; ++time) { // The first loads the kernels.
    for (int gpu = 0; gpu < 2; ++gpu) cudaMemset(memory[gpu], 0, 1 << 20);
    wait();
    auto begun = std::chrono::steady_clock::now();
    for (int gpu = 0; gpu < 2; ++gpu) { cudaSetDevice(gpu); flags<<<1, 1>>>((unsigned *)memory[gpu], (unsigned *)memory[1 - gpu], gpu == 0); }
    wait();
    const double flag = since(begun) / ROUNDS;
    begun = std::chrono::steady_clock::now();
    for (int gpu = 0; gpu < 2; ++gpu) { cudaSetDevice(gpu); packets<<<1, THREADS>>>((uint4 *)(memory[gpu] + 4096), (uint4 *)(memory[1 - gpu] + 4096), data[gpu], gpu == 0); }
    wait();
    if (time) printf("round trip of a flag: %.2f us\nround trip of 8 KiB in packets: %.2f us\n", flag, since(begun) / ROUNDS);
  }
  for (size_t bytes : {size_t(1) << 20, size_t(64) << 20}) {
    double took = 0;
    for (int round = 0; round < 41; ++round) {
      const auto begun = std::chrono::steady_clock::now();
      cudaMemcpyPeer(memory[1], 1, memory[0], 0, bytes); wait();
      cudaMemcpyPeer(memory[0], 0, memory[1], 1, bytes); wait();
      if (round) took += since(begun);
    }
    printf("copy of %zu bytes there and back: %.2f us, %.1f GB/s\n", bytes, took / 40, 2e-3 * bytes / (took / 40));
  }
}
