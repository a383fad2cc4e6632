// The regions of ../target_regions.c as kernels by hand: the same algorithms, sizes, threads a block and clock.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int RUNS = 10, THREADS = 256;

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

template <class T> struct Device {
  T *data = nullptr;
  explicit Device(size_t count) { CHECK(cudaMalloc(&data, count * sizeof(T))); }
  explicit Device(const std::vector<T> &from) : Device(from.size()) {
    CHECK(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Device() { cudaFree(data); }
  T at(size_t index) const {
    T value;
    CHECK(cudaMemcpy(&value, data + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
};

template <class Launch> void measure(const char *name, Launch launch, double (*sum)(void *), void *of) {
  double best = 1e9;
  for (int run = 0; run < RUNS; run++) {
    const auto start = std::chrono::steady_clock::now();
    launch(run);
    CHECK(cudaDeviceSynchronize());
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (time < best) best = time;
  }
  std::printf("%-16s %9.3f ms  %.6g\n", name, 1e3 * best, sum(of));
}

int blocks(long count) { return int((count + THREADS - 1) / THREADS); }

__global__ void saxpy(int n, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 2 * x[i];
}

__global__ void reduce(int n, const double *x, double *total) {
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  __shared__ double warps[THREADS / 32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < THREADS / 32; warp++) sum += warps[warp];
    atomicAdd(total, sum);
  }
}

__global__ void heat(int n, const double *from, double *to) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y + 1;
  if (j < n - 1)
    to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
}

__device__ double normal(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

__global__ void black_scholes(int n, const double *spot, double *call) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double strike = 1.0 + i % 100, years = 0.25 + (i % 40) * 0.25, root = 0.3 * sqrt(years);
  const double d1 = (log(spot[i] / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / root;
  call[i] = spot[i] * normal(d1) - strike * exp(-0.02 * years) * normal(d1 - root);
}

__global__ void matrix_product(int n, const float *a, const float *b, float *c) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

__global__ void histogram(int n, const unsigned *values, int *bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[values[i]], 1);
}

__global__ void mandelbrot(int n, int *points) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  const float re = -2.2f + 3.2f * j / n, im = -1.2f + 2.4f * i / n;
  float x = 0, y = 0;
  int steps = 0;
  while (steps < 500 && x * x + y * y <= 4) {
    const float next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
    steps++;
  }
  points[i * n + j] = steps;
}

template <class T> struct Element {
  const Device<T> *of;
  size_t index;
  static double value(void *self) {
    auto *element = static_cast<Element *>(self);
    return element->of->at(element->index);
  }
};

int main(int count, char **words) {
  const int scale = count > 1 ? std::atoi(words[1]) : 1;
  if (scale < 1) return 1;
  {
    const int n = (1 << 26) / scale;
    std::vector<float> x(n), y(n, 1);
    for (int i = 0; i < n; i++) x[i] = i % 7;
    Device<float> dx(x), dy(y);
    Element<float> sum{&dy, size_t(n) - 1};
    measure("saxpy", [&](int) { saxpy<<<blocks(n), THREADS>>>(n, dx.data, dy.data); }, sum.value, &sum);
  }
  {
    const int n = (1 << 26) / scale;
    std::vector<double> x(n);
    for (int i = 0; i < n; i++) x[i] = i % 5;
    Device<double> dx(x), total(1);
    Element<double> sum{&total, 0};
    int multiprocessors = 0;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    const auto launch = [&](int) {
      double zero = 0, result;
      CHECK(cudaMemcpy(total.data, &zero, sizeof zero, cudaMemcpyHostToDevice));
      reduce<<<8 * multiprocessors, THREADS>>>(n, dx.data, total.data);
      CHECK(cudaMemcpy(&result, total.data, sizeof result, cudaMemcpyDeviceToHost));
    };
    measure("reduction", launch, sum.value, &sum);
  }
  {
    const int n = 8192 / scale;
    std::vector<double> plate(size_t(n) * n, 0);
    for (int i = 0; i < n; i++) plate[i] = 100;
    Device<double> a(plate), b(plate);
    Element<double> sum{&a, size_t(3) * n + n / 2};
    const auto launch = [&](int run) {
      heat<<<dim3(blocks(n - 2), n - 2), THREADS>>>(n, run % 2 ? b.data : a.data, run % 2 ? a.data : b.data);
    };
    measure("heat", launch, sum.value, &sum);
  }
  {
    const int n = (1 << 24) / scale;
    std::vector<double> spot(n);
    for (int i = 0; i < n; i++) spot[i] = 5.0 + i % 26;
    Device<double> ds(spot), call(n);
    Element<double> sum{&call, 0};
    measure("black_scholes", [&](int) { black_scholes<<<blocks(n), THREADS>>>(n, ds.data, call.data); }, sum.value, &sum);
  }
  {
    const int n = 2048 / scale;
    std::vector<float> a(size_t(n) * n), b(size_t(n) * n);
    for (int i = 0; i < n * n; i++) a[i] = i % 3, b[i] = i % 5;
    Device<float> da(a), db(b), dc(size_t(n) * n);
    Element<float> sum{&dc, size_t(n) + 1};
    const auto launch = [&](int) { matrix_product<<<dim3(blocks(n), n), THREADS>>>(n, da.data, db.data, dc.data); };
    measure("matrix_product", launch, sum.value, &sum);
  }
  {
    const int n = (1 << 26) / scale;
    std::vector<unsigned> values(n);
    for (int i = 0; i < n; i++) values[i] = unsigned(i) * 2654435761u >> 22;
    Device<unsigned> dv(values);
    Device<int> bins(std::vector<int>(1024, 0));
    Element<int> sum{&bins, 7};
    measure("histogram", [&](int) { histogram<<<blocks(n), THREADS>>>(n, dv.data, bins.data); }, sum.value, &sum);
  }
  {
    const int n = 4096 / scale;
    Device<int> points(size_t(n) * n);
    Element<int> sum{&points, size_t(n / 2) * n + n / 2};
    measure("mandelbrot", [&](int) { mandelbrot<<<dim3(blocks(n), n), THREADS>>>(n, points.data); }, sum.value, &sum);
  }
  return 0;
}
