// The peer of black_scholes.x10 on a processor: the same formula in a plain loop with OpenMP.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static inline float cumulative(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
    float tail = 0.39894228f * std::exp(-0.5f * d * d)
        * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

static void prices(long n, float rate, float volatility, const float *__restrict__ stock, const float *__restrict__ strike,
                   const float *__restrict__ years, float *__restrict__ calls, float *__restrict__ puts) {
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) {
        float t = years[i], s = stock[i], x = strike[i], root = std::sqrt(t);
        float d1 = (std::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root, c1 = cumulative(d1), c2 = cumulative(d2), discount = std::exp(-rate * t);
        calls[i] = s * c1 - x * discount * c2;
        puts[i] = x * discount * (1.0f - c2) - s * (1.0f - c1);
    }
}

static std::vector<float> make(long n, float low, float high) {
    std::vector<float> values(n);
    for (float &value : values) value = low + (high - low) * (float(std::rand()) / float(RAND_MAX));
    return values;
}

int main(int argc, char **argv) {
    long n = argc > 1 ? std::atol(argv[1]) : 4000000;
    std::vector<float> stock = make(n, 5, 30), strike = make(n, 1, 100), years = make(n, 0.25f, 10);
    std::vector<float> calls = make(n, 0, 0), puts = make(n, 0, 0);
    std::vector<double> times;
    for (int i = 0; i < 60; i++) {
        auto start = std::chrono::steady_clock::now();
        prices(n, 0.02f, 0.30f, stock.data(), strike.data(), years.data(), calls.data(), puts.data());
        double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (i >= 10) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    std::printf("peer, BlackScholes, %ld options: median %.4f ms\n", n, times[25]);
}
