// The peers of methods.x10: the same algorithms and launches by hand.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

__global__ void axpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void jacobi(int n, const float *__restrict__ from, float *__restrict__ to) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        for (int z = 1; z < n - 1; z++) {
            const int i = (z * n + y) * n + x;
            to[i] = 0.4f * from[i] + 0.1f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] + from[i - n * n] + from[i + n * n]);
        }
}

__global__ void halves(const float *__restrict__ from, float *__restrict__ to) {
    __shared__ float part[256];
    const int thread = threadIdx.x, i = blockIdx.x * 512 + thread;
    part[thread] = from[i] + from[i + 256];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (thread < s) part[thread] += part[thread + s];
        __syncthreads();
    }
    if (thread == 0) to[blockIdx.x] = part[0];
}

__global__ void bitonic(const int *__restrict__ keys, int *__restrict__ to) {
    __shared__ int part[1024];
    const int thread = threadIdx.x;
    part[thread] = keys[blockIdx.x * 1024 + thread];
    part[thread + 512] = keys[blockIdx.x * 1024 + thread + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int low = 2 * thread - (thread & (stride - 1));
            const bool upward = (low & size) == 0;
            const int a = part[low], b = part[low + stride];
            if ((a > b) == upward) {
                part[low] = b;
                part[low + stride] = a;
            }
        }
    __syncthreads();
    to[blockIdx.x * 1024 + thread] = part[thread];
    to[blockIdx.x * 1024 + thread + 512] = part[thread + 512];
}

struct Vec {
    float x, y, z;
    __host__ __device__ Vec operator+(Vec o) const { return {x + o.x, y + o.y, z + o.z}; }
    __host__ __device__ Vec operator-(Vec o) const { return {x - o.x, y - o.y, z - o.z}; }
    __host__ __device__ Vec operator*(float k) const { return {x * k, y * k, z * k}; }
    __host__ __device__ float dot(Vec o) const { return x * o.x + y * o.y + z * o.z; }
    __device__ Vec unit() const { return *this * (1.0f / sqrtf(dot(*this))); }
};

struct Sphere {
    Vec centre;
    float radius, shade;
    __device__ float meets(Vec origin, Vec direction) const {
        const Vec to = centre - origin;
        const float along = to.dot(direction), under = radius * radius - (to.dot(to) - along * along);
        return under < 0.0f ? -1.0f : along - sqrtf(under);
    }
};

__global__ void spheres(int w, int count, const Sphere *__restrict__ all, float *__restrict__ image) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const Vec origin{0.0f, 0.0f, -4.0f}, direction = Vec{(float)(x - w / 2) / w, (float)(y - w / 2) / w, 1.0f}.unit();
    float nearest = 1.0E30f, shade = 0.0f;
    for (int k = 0; k < count; k++) {
        const float far = all[k].meets(origin, direction);
        if (far > 0.0f && far < nearest) {
            nearest = far;
            const Vec normal = (origin + direction * far - all[k].centre).unit();
            shade = all[k].shade * fmaxf(0.0f, -normal.dot(direction));
        }
    }
    image[y * w + x] = shade;
}

__global__ void boltzmann(int w, int h, float omega, const float *__restrict__ from, float *__restrict__ to) {
    const int cells = w * h, y = blockIdx.y, x = blockIdx.x * 128 + threadIdx.x;
    const int l = x == 0 ? w - 1 : x - 1, r = x == w - 1 ? 0 : x + 1, u = y == 0 ? h - 1 : y - 1, d = y == h - 1 ? 0 : y + 1;
    const float f0 = from[y * w + x], f1 = from[cells + y * w + l], f2 = from[2 * cells + u * w + x], f3 = from[3 * cells + y * w + r];
    const float f4 = from[4 * cells + d * w + x], f5 = from[5 * cells + u * w + l], f6 = from[6 * cells + u * w + r];
    const float f7 = from[7 * cells + d * w + r], f8 = from[8 * cells + d * w + l];
    const float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    const float vx = (f1 + f5 + f8 - f3 - f6 - f7) / rho, vy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
    const float square = 1.0f - 1.5f * (vx * vx + vy * vy), a = vx + vy, b = vx - vy;
    const int i = y * w + x;
    to[i] = f0 + omega * (4.0f / 9.0f * rho * square - f0);
    to[cells + i] = f1 + omega * (rho / 9.0f * (square + 3.0f * vx + 4.5f * vx * vx) - f1);
    to[2 * cells + i] = f2 + omega * (rho / 9.0f * (square + 3.0f * vy + 4.5f * vy * vy) - f2);
    to[3 * cells + i] = f3 + omega * (rho / 9.0f * (square - 3.0f * vx + 4.5f * vx * vx) - f3);
    to[4 * cells + i] = f4 + omega * (rho / 9.0f * (square - 3.0f * vy + 4.5f * vy * vy) - f4);
    to[5 * cells + i] = f5 + omega * (rho / 36.0f * (square + 3.0f * a + 4.5f * a * a) - f5);
    to[6 * cells + i] = f6 + omega * (rho / 36.0f * (square - 3.0f * b + 4.5f * b * b) - f6);
    to[7 * cells + i] = f7 + omega * (rho / 36.0f * (square - 3.0f * a + 4.5f * a * a) - f7);
    to[8 * cells + i] = f8 + omega * (rho / 36.0f * (square + 3.0f * b + 4.5f * b * b) - f8);
}

__global__ void circle(int tries, long *hits) {
    const int me = blockIdx.x * 256 + threadIdx.x;
    unsigned long state = (unsigned long)me * 2685821657736338717ul + 1;
    long inside = 0;
    for (int i = 1; i <= tries; i++) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        const float x = (int)(state >> 40) * (1.0f / 16777216.0f), y = (int)((state >> 16) & 0xFFFFFF) * (1.0f / 16777216.0f);
        if (x * x + y * y < 1.0f) inside++;
    }
    hits[me] = inside;
}

__global__ void life(int w, int h, const signed char *__restrict__ from, signed char *__restrict__ to) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int around = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) around += from[((y + dy + h) % h) * w + (x + dx + w) % w];
    to[y * w + x] = around == 3 || (from[y * w + x] == 1 && around == 2);
}

struct Number {
    float re, im;
    __host__ __device__ Number operator+(Number o) const { return {re + o.re, im + o.im}; }
    __host__ __device__ Number operator-(Number o) const { return {re - o.re, im - o.im}; }
    __host__ __device__ Number operator*(Number o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};

__global__ void fourier(const Number *__restrict__ data, const Number *__restrict__ roots, Number *__restrict__ to) {
    __shared__ Number part[1024];
    const int thread = threadIdx.x;
    for (int k = thread; k < 1024; k += 512) {
        int reversed = 0;
        for (int bit = 0; bit <= 9; bit++) reversed |= ((k >> bit) & 1) << (9 - bit);
        part[reversed] = data[blockIdx.x * 1024 + k];
    }
    for (int half = 1; half < 1024; half *= 2) {
        __syncthreads();
        const int k = thread % half, low = (thread / half) * 2 * half + k;
        const Number even = part[low], odd = part[low + half] * roots[k * (512 / half)];
        part[low] = even + odd;
        part[low + half] = even - odd;
    }
    __syncthreads();
    to[blockIdx.x * 1024 + thread] = part[thread];
    to[blockIdx.x * 1024 + thread + 512] = part[thread + 512];
}

__global__ void forces(int n, int most, const double *__restrict__ x, const double *__restrict__ y, const double *__restrict__ z,
                       const int *__restrict__ lists, double *__restrict__ fx, double *__restrict__ fy, double *__restrict__ fz) {
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    const double xi = x[i], yi = y[i], zi = z[i];
    double ax = 0, ay = 0, az = 0;
    for (int k = 0; k < most; k++) {
        const int j = lists[k * n + i];
        const double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j], square = dx * dx + dy * dy + dz * dz;
        if (square < 9.0) {
            const double inverse = 1.0 / square, sixth = inverse * inverse * inverse, force = 24.0 * inverse * sixth * (2.0 * sixth - 1.0);
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
    }
    fx[i] = ax;
    fy[i] = ay;
    fz[i] = az;
}

__device__ unsigned turn(unsigned x, int by) { return (x >> by) | (x << (32 - by)); }

__global__ void hashes(const unsigned *__restrict__ constants, unsigned *__restrict__ to) {
    const int me = blockIdx.x * 256 + threadIdx.x;
    unsigned w[16] = {(unsigned)me, 0x80000000u};
    w[15] = 32;
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const unsigned s = w[(i + 1) & 15], t = w[(i + 14) & 15];
            w[i & 15] += (turn(s, 7) ^ turn(s, 18) ^ (s >> 3)) + w[(i + 9) & 15] + (turn(t, 17) ^ turn(t, 19) ^ (t >> 10));
        }
        const unsigned one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i & 15];
        const unsigned two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + one; d = c; c = b; b = a; a = one + two;
    }
    to[me] = a + 0x6a09e667;
}

__global__ void distances(int n, const signed char *__restrict__ left, const signed char *__restrict__ right, int *__restrict__ to) {
    const int me = blockIdx.x * 128 + threadIdx.x;
    int row[33];
#pragma unroll
    for (int j = 0; j <= 32; j++) row[j] = j;
    for (int i = 0; i < 32; i++) {
        const signed char letter = left[i * n + me];
        int before = row[0];
        row[0] = i + 1;
#pragma unroll
        for (int j = 0; j < 32; j++) {
            const int other = before + (letter == right[j * n + me] ? 0 : 1);
            before = row[j + 1];
            row[j + 1] = min(other, min(before, row[j]) + 1);
        }
    }
    to[me] = row[32];
}

__global__ void blur(int w, const float *__restrict__ weights, const float *__restrict__ from, float *__restrict__ to) {
    __shared__ float line[256 + 16], weight[17];
    const int tx = threadIdx.x, x = blockIdx.x * 256 + tx, y = blockIdx.y;
    line[tx + 8] = from[y * w + x];
    if (tx < 8) {
        line[tx] = x >= 8 ? from[y * w + x - 8] : 0.0f;
        line[tx + 264] = x + 256 < w ? from[y * w + x + 256] : 0.0f;
    }
    if (tx < 17) weight[tx] = weights[tx];
    __syncthreads();
    float all = 0.0f;
    for (int k = 0; k <= 16; k++) all += weight[k] * line[tx + k];
    to[y * w + x] = all;
}

__global__ void softmax(const float *__restrict__ from, float *__restrict__ to) {
    __shared__ float part[256];
    const int thread = threadIdx.x, row = blockIdx.x;
    float most = -1.0E30f;
    for (int i = thread; i < 1024; i += 256) most = fmaxf(most, from[row * 1024 + i]);
    part[thread] = most;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (thread < s) part[thread] = fmaxf(part[thread], part[thread + s]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    float all = 0.0f;
    for (int i = thread; i < 1024; i += 256) all += expf(from[row * 1024 + i] - most);
    part[thread] = all;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (thread < s) part[thread] += part[thread + s];
        __syncthreads();
    }
    all = part[0];
    for (int i = thread; i < 1024; i += 256) to[row * 1024 + i] = expf(from[row * 1024 + i] - most) / all;
}

__global__ void clear(int *count) { *count = 0; }

__global__ void select(int n, int limit, const int *__restrict__ from, int *__restrict__ to, int *count) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && from[i] > limit) to[atomicAdd(count, 1)] = from[i];
}

template <class T> static T *make(long n, std::function<T(long)> init) {
    std::vector<T> host(n);
    for (long i = 0; i < n; i++) host[i] = init(i);
    T *there;
    cudaMalloc(&there, n * sizeof(T));
    cudaMemcpy(there, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return there;
}

template <class T> static double sum(const T *there, long n, std::function<double(T)> value = [](T x) { return (double)x; }) {
    std::vector<T> host(n);
    cudaMemcpy(host.data(), there, n * sizeof(T), cudaMemcpyDeviceToHost);
    double all = 0;
    for (const T &x : host) all += value(x);
    return all;
}

static void measure(const std::string &name, std::function<double()> sum, std::function<void()> run) {
    for (int i = 0; i < 3; i++) {
        run();
        cudaDeviceSynchronize();
    }
    std::vector<double> times;
    for (int i = 0; i < 21; i++) {
        const auto start = std::chrono::steady_clock::now();
        run();
        cudaDeviceSynchronize();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    printf("cuda %s: median %.4f ms, sum %.6e\n", name.c_str(), times[10], sum());
}

int main() {
    const auto mixed = [](long i) { return (int)((i * 7919) % 10007); };

    const int n = 1 << 26, blocks = n / 512, rows = n / 1024, width = 8192, height = n / width;
    float *x = make<float>(n, [](long i) { return (i % 1000) * 0.001f; }), *y = make<float>(n, [](long i) { return (i % 777) * 0.001f; });
    measure("axpy of 67108864", [&] { return sum(y, n); }, [&] { axpy<<<(n + 255) / 256, 256>>>(n, 0.5f, x, y); });
    float *sums = make<float>(blocks, [](long) { return 0.0f; });
    measure("sums by halves of 67108864", [&] { return sum(sums, blocks); }, [&] { halves<<<blocks, 256>>>(x, sums); });
    measure("softmax of 65536 rows", [&] { return sum(y, n); }, [&] { softmax<<<rows, 256>>>(x, y); });
    float *weights = make<float>(17, [](long i) { return (9 - std::abs(i - 8)) / 81.0f; });
    measure("rows of 8192 by 8192", [&] { return sum(y, n); }, [&] { blur<<<dim3(width / 256, height), 256>>>(width, weights, x, y); });
    cudaFree(x);
    cudaFree(y);

    const int side = 400, volume = side * side * side;
    float *cube = make<float>(volume, [](long i) { return (float)(i % 1000); }), *other = make<float>(volume, [](long) { return 0.0f; });
    measure("seven points, a side of 400", [&] { return sum(other, volume); }, [&] { jacobi<<<dim3((side + 31) / 32, (side + 7) / 8), dim3(32, 8)>>>(side, cube, other); });
    cudaFree(cube);
    cudaFree(other);

    const int many = 1 << 24;
    int *keys = make<int>(many, mixed), *sorted = make<int>(many, mixed), *counter = make<int>(1, [](long) { return 0; });
    measure("sorted pieces of 16777216", [&] { return sum(sorted, many); }, [&] { bitonic<<<many / 1024, 512>>>(keys, sorted); });
    measure("selection of 16777216", [&] { return sum(counter, 1); }, [&] {
        clear<<<1, 1>>>(counter);
        cudaDeviceSynchronize();
        select<<<many / 256, 256>>>(many, 9000, keys, sorted, counter);
    });

    const int screen = 2048;
    Sphere *scene = make<Sphere>(100, [](long i) { return Sphere{{(i % 10 - 5) * 0.4f, (i / 10 - 5) * 0.4f, (i % 7) * 0.3f}, 0.2f, 0.5f + (i % 5) * 0.1f}; });
    float *image = make<float>(screen * screen, [](long) { return 0.0f; });
    measure("spheres in 2048 by 2048", [&] { return sum(image, screen * screen); }, [&] { spheres<<<dim3(screen / 32, screen / 8), dim3(32, 8)>>>(screen, 100, scene, image); });

    const int lattice = 2048, all = 9 * lattice * lattice;
    float *densities = make<float>(all, [=](long i) { return 1.0f / (1 + i / (lattice * lattice)) + (i % 10) * 0.01f; }), *next = make<float>(all, [](long) { return 0.0f; });
    measure("lattice of 2048", [&] { return sum(next, all); }, [&] { boltzmann<<<dim3(lattice / 128, lattice), 128>>>(lattice, lattice, 1.2f, densities, next); });

    const int throwers = 4096, tries = 1000;
    long *hits = make<long>(throwers * 256, [](long) { return 0L; });
    measure("points in a circle", [&] { return sum(hits, throwers * 256); }, [&] { circle<<<throwers, 256>>>(tries, hits); });

    const int field = 8192;
    auto *cells = make<signed char>(field * field, [=](long i) { return (signed char)(mixed(i) % 3 == 0); }), *grown = make<signed char>(field * field, [](long) { return (signed char)0; });
    measure("game of 8192", [&] { return sum(grown, field * field); }, [&] { life<<<dim3(field / 32, field / 8), dim3(32, 8)>>>(field, field, cells, grown); });

    const int transforms = 16384, points = transforms * 1024;
    Number *signal = make<Number>(points, [](long i) { return Number{(i % 100) * 0.01f, 0.0f}; }), *spectrum = make<Number>(points, [](long) { return Number{}; });
    Number *roots = make<Number>(512, [](long i) { return Number{(float)std::cos(-M_PI * i / 512), (float)std::sin(-M_PI * i / 512)}; });
    measure("16384 transforms", [&] { return sum<Number>(spectrum, points, [](Number v) { return std::fabs((double)v.re); }); }, [&] { fourier<<<transforms, 512>>>(signal, roots, spectrum); });

    const int particles = 1000000, neighbours = 64;
    double *px = make<double>(particles, [](long i) { return (i % 100) * 1.1; }), *py = make<double>(particles, [](long i) { return (i / 100 % 100) * 1.1; });
    double *pz = make<double>(particles, [](long i) { return (i / 10000) * 1.1; }), *f[3];
    for (auto &component : f) component = make<double>(particles, [](long) { return 0.0; });
    int *lists = make<int>((long)particles * neighbours, [=](long i) { return (int)((i % particles + 1 + i / particles * 31) % particles); });
    measure("forces on 1000000", [&] { return sum(f[0], particles) + sum(f[1], particles); }, [&] {
        forces<<<(particles + 127) / 128, 128>>>(particles, neighbours, px, py, pz, lists, f[0], f[1], f[2]);
    });

    const int messages = 1 << 24;
    unsigned *constants = make<unsigned>(64, [](long i) { return (unsigned)(i * 2654435761l + 0x428a2f98l); }), *digests = make<unsigned>(messages, [](long) { return 0u; });
    measure("hashes of 16777216", [&] { return sum(digests, messages); }, [&] { hashes<<<messages / 256, 256>>>(constants, digests); });

    const int words = 1 << 20;
    auto *left = make<signed char>(words * 32L, [=](long i) { return (signed char)(mixed(i) % 4); }), *right = make<signed char>(words * 32L, [=](long i) { return (signed char)(mixed(i + 5) % 4); });
    int *distance = make<int>(words, [](long) { return 0; });
    measure("distances of 1048576", [&] { return sum(distance, words); }, [&] { distances<<<words / 128, 128>>>(words, left, right, distance); });
}
