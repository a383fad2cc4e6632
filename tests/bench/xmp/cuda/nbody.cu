// ../accelerators/nbody.c by hand: a GPU for each part of the bodies, tiles in shared memory, positions to the other GPUs by peer copies.
// Usage: nbody GPUS
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 131072, STEPS = 5, THREADS = 256;

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

__global__ void __launch_bounds__(THREADS) accelerate(const float4 *__restrict__ bodies, float4 *__restrict__ speeds, int low) {
  __shared__ float4 tile[THREADS];
  const int own = blockIdx.x * THREADS + threadIdx.x;
  const float4 me = bodies[low + own];
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < N; first += THREADS) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < THREADS; j++) {
      const float4 it = tile[j];
      const float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
      const float square = dx * dx + dy * dy + dz * dz + 1e-2f;
      const float factor = it.w / (square * sqrtf(square));
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    __syncthreads();
  }
  float4 speed = speeds[own];
  speed.x += 1e-3f * ax, speed.y += 1e-3f * ay, speed.z += 1e-3f * az;
  speeds[own] = speed;
}

__global__ void move(float4 *bodies, const float4 *speeds, int low) {
  const int own = blockIdx.x * THREADS + threadIdx.x;
  float4 me = bodies[low + own];
  me.x += 1e-3f * speeds[own].x, me.y += 1e-3f * speeds[own].y, me.z += 1e-3f * speeds[own].z;
  bodies[low + own] = me;
}

int main(int, char **words) {
  const int gpus = std::atoi(words[1]), count = N / gpus;
  std::vector<float4> start(N), speeds(N);
  for (int i = 0; i < N; i++)
    start[i] = {sinf(i * 0.7f) * (1 + i % 7), cosf(i * 1.3f) * (1 + i % 5), sinf(i * 2.1f) * (1 + i % 3), (1.0f + i % 4) / N};
  std::vector<float4 *> bodies(gpus), own(gpus);
  for (int gpu = 0; gpu < gpus; gpu++) {
    CHECK(cudaSetDevice(gpu));
    for (int other = 0; other < gpus; other++)
      if (other != gpu) cudaDeviceEnablePeerAccess(other, 0);
    CHECK(cudaMalloc(&bodies[gpu], N * sizeof(float4)));
    CHECK(cudaMalloc(&own[gpu], count * sizeof(float4)));
    CHECK(cudaMemcpy(bodies[gpu], start.data(), N * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(own[gpu], 0, count * sizeof(float4)));
  }
  const auto all = [&] {
    for (int gpu = 0; gpu < gpus; gpu++) {
      CHECK(cudaSetDevice(gpu));
      CHECK(cudaDeviceSynchronize());
    }
  };
  double best = 1e9;
  for (int step = 0; step < STEPS; step++) {
    all();
    const auto begin = std::chrono::steady_clock::now();
    for (int gpu = 0; gpu < gpus; gpu++) {
      CHECK(cudaSetDevice(gpu));
      accelerate<<<count / THREADS, THREADS>>>(bodies[gpu], own[gpu], gpu * count);
    }
    all();
    for (int gpu = 0; gpu < gpus; gpu++) {
      CHECK(cudaSetDevice(gpu));
      move<<<count / THREADS, THREADS>>>(bodies[gpu], own[gpu], gpu * count);
      for (int other = 0; other < gpus; other++)
        if (other != gpu)
          CHECK(cudaMemcpyPeerAsync(bodies[other] + gpu * count, other, bodies[gpu] + gpu * count, gpu, count * sizeof(float4)));
    }
    all();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds < best) best = seconds;
  }
  double energy = 0;
  for (int gpu = 0; gpu < gpus; gpu++) {
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaMemcpy(speeds.data() + gpu * count, own[gpu], count * sizeof(float4), cudaMemcpyDeviceToHost));
  }
  for (int i = 0; i < N; i++)
    energy += 0.5 * start[i].w * (speeds[i].x * speeds[i].x + speeds[i].y * speeds[i].y + speeds[i].z * speeds[i].z);
  std::printf("nbody-acc %.9f %.12f\n", best, energy);
}
