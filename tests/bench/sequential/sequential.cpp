// The kernels of sequential.x10 in C++, with std::vector and 64-bit indices and no checks.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

using Long = std::int64_t;

struct Array2 {
    std::vector<double> data;
    Long rows, columns;
    Array2(Long rows, Long columns) : data(rows * columns), rows(rows), columns(columns) {}
    double &operator()(Long i, Long j) { return data[i * columns + j]; }
};

static void matmul(Array2 &a, Array2 &b, Array2 &c, Long n) {
    for (Long i = 0; i < n; i++) {
        for (Long j = 0; j < n; j++) c(i, j) = 0.0;
        for (Long k = 0; k < n; k++) {
            double x = a(i, k);
            for (Long j = 0; j < n; j++) c(i, j) += x * b(k, j);
        }
    }
}

static void dot(Array2 &a, Array2 &b, Array2 &c, Long n) {
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) {
            double sum = 0.0;
            for (Long k = 0; k < n; k++) sum += a(i, k) * b(k, j);
            c(i, j) = sum;
        }
}

static void stencil(Array2 &from, Array2 &to, Long n) {
    for (Long i = 1; i <= n - 2; i++)
        for (Long j = 1; j <= n - 2; j++)
            to(i, j) = 0.25 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1));
}

struct Body { double x, y, z, mass; };
struct Force {
    double x, y, z;
    Force operator+(Force f) const { return {x + f.x, y + f.y, z + f.z}; }
};

static Force pull(Body a, Body b) {
    double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    double square = dx * dx + dy * dy + dz * dz + 0.01;
    double scale = b.mass / (square * std::sqrt(square));
    return {dx * scale, dy * scale, dz * scale};
}

static void bodies(std::vector<Body> &all, std::vector<Force> &forces) {
    for (std::size_t i = 0; i < all.size(); i++) {
        Force sum{0.0, 0.0, 0.0};
        for (const Body &body : all) sum = sum + pull(all[i], body);
        forces[i] = sum;
    }
}

static double entry(Long i, Long j) { return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1); }

static double spectral(Long n) {
    std::vector<double> u(n, 1.0), v(n);
    for (int turn = 1; turn <= 4; turn++) {
        for (Long i = 0; i < n; i++) {
            double sum = 0.0;
            for (Long j = 0; j < n; j++) sum += entry(i, j) * u[j];
            v[i] = sum;
        }
        for (Long i = 0; i < n; i++) {
            double sum = 0.0;
            for (Long j = 0; j < n; j++) sum += entry(j, i) * v[j];
            u[i] = sum;
        }
    }
    return u[0];
}

static Long sieve(Long n) {
    std::vector<std::uint8_t> composite(n + 1);
    Long count = 0;
    for (Long i = 2; i <= n; i++) {
        if (composite[i]) continue;
        count++;
        for (Long k = i * i; k <= n; k += i) composite[k] = 1;
    }
    return count;
}

static double regions(Array2 &a, Long n) {
    double sum = 0.0;
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) {
            a(i, j) += 0.5 * i + j;
            sum += a(i, j);
        }
    return sum;
}

static Long text(Long n) {
    std::string all;
    for (Long i = 1; i <= n; i++) {
        all += "line ";
        all += std::to_string(i);
        all += ';';
    }
    Long sum = 0;
    for (char c : all) sum = Long(std::uint64_t(sum) * 31 + c);
    return sum;
}

static Long map(Long n) {
    std::unordered_map<Long, Long> counts;
    for (Long i = 1; i <= n; i++) counts[i * 7919 % (n / 4)] += i;
    Long sum = 0;
    for (Long i = 0; i <= n / 4; i++) {
        auto found = counts.find(i);
        sum += (found == counts.end() ? 1 : found->second) * i;
    }
    return sum;
}

static Long list(Long n) {
    std::vector<Long> all;
    for (Long i = 1; i <= n; i++) all.push_back(i * i % 1013);
    Long sum = 0;
    for (int turn = 1; turn <= 4; turn++) {
        for (std::size_t i = 0; i < all.size(); i++) sum += all[i] * turn;
        for (Long x : all) sum += x;
    }
    return sum;
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
};
struct Circle : Shape {
    double radius;
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return 3.0 * radius * radius; }
};

static double shapes(const std::vector<std::unique_ptr<Shape>> &all) {
    double sum = 0.0;
    for (const auto &shape : all) sum += shape->area();
    return sum;
}

template <class F> static void run(const char *name, F kernel, const std::string &wanted, int turns) {
    if (name != wanted) return;
    double result = 0.0;
    for (int turn = 1; turn <= turns; turn++) result = kernel();
    std::printf("%.17g\n", result);
}

int main(int, char **args) {
    std::string name = args[1];
    int turns = std::atoi(args[2]);
    Long n = 512;
    Array2 a(n, n), b(n, n), c(n, n);
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) a(i, j) = (i * 7 + j * 3) % 11, b(i, j) = (i * 5 + j * 2) % 13;
    run("matmul", [&] { matmul(a, b, c, n); return c(17, 19); }, name, turns);
    run("dot", [&] { dot(a, b, c, n); return c(17, 19); }, name, turns);
    Long m = 2048;
    Array2 p(m, m), q(m, m);
    for (Long i = 0; i < m; i++)
        for (Long j = 0; j < m; j++) p(i, j) = (i + j) % 5;
    run("stencil", [&] { stencil(p, q, m); stencil(q, p, m); return p(100, 100); }, name, turns);
    std::vector<Body> all;
    for (Long i = 0; i < 2000; i++) all.push_back({double(i % 17), double(i % 23), double(i % 29), 1.0 + i % 3});
    std::vector<Force> forces(all.size());
    run("bodies", [&] { bodies(all, forces); return forces[7].x; }, name, turns);
    run("spectral", [&] { return spectral(1000); }, name, turns);
    run("sieve", [&] { return double(sieve(5000000)); }, name, turns);
    run("text", [&] { return double(text(200000)); }, name, turns);
    run("map", [&] { return double(map(1000000)); }, name, turns);
    run("list", [&] { return double(list(1000000)); }, name, turns);
    std::vector<std::unique_ptr<Shape>> figures;
    for (Long i = 0; i < 1000000; i++) {
        if (i * 7 % 3 == 0) figures.push_back(std::make_unique<Square>(i));
        else figures.push_back(std::make_unique<Circle>(i));
    }
    run("shapes", [&] { return shapes(figures); }, name, turns);
    Array2 r(2000, 2000);
    for (auto &x : r.data) x = 1.0;
    run("regions", [&] { return regions(r, 2000); }, name, turns);
}
