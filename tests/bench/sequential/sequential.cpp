// The kernels of sequential.x10 in C++, with std::vector and 64-bit indices and no checks.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
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

static Long fib(Long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

struct Complex {
    double re, im;
    Complex operator*(Complex b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
    Complex operator+(Complex b) const { return {re + b.re, im + b.im}; }
};

static Long mandelbrot(Long n) {
    Long inside = 0;
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) {
            Complex c{3.0 * i / n - 2.0, 2.0 * j / n - 1.0}, z{0.0, 0.0};
            Long turn = 0;
            while (turn < 100 && z.re * z.re + z.im * z.im <= 4.0) {
                z = z * z + c;
                turn++;
            }
            if (turn == 100) inside++;
        }
    return inside;
}

/* SplitMix64, as x10.util.Random. */
struct Random {
    std::uint64_t seed;
    std::uint64_t next() {
        std::uint64_t z = seed += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 33)) * 0xff51afd7ed558ccd;
        z = (z ^ (z >> 33)) * 0xc4ceb9fe1a85ec53;
        return z ^ (z >> 33);
    }
    double nextDouble() { return double(next() >> 11) * 0x1p-53; }
};

static double random_numbers(Long n) {
    Random random{42};
    double sum = 0.0;
    for (Long i = 1; i <= n; i++) sum += random.nextDouble();
    return sum;
}

static Long words(const std::vector<std::string> &names, Long n) {
    std::unordered_map<std::string, Long> counts;
    for (Long i = 0; i < n; i++) {
        const std::string &name = names[i * 7919 % Long(names.size())];
        auto found = counts.find(name);
        counts[name] = (found == counts.end() ? 0 : found->second) + i;
    }
    return counts["word17"];
}

static Long concat(Long n) {
    Long length = 0;
    for (Long i = 1; i <= n; i++) {
        std::string line = "item " + std::to_string(i) + ", next " + std::to_string(i + 1);
        length += line.size();
    }
    return length;
}

using Rows = std::vector<std::vector<double>>;

static double jagged(const Rows &a, const Rows &b, Rows &c) {
    Long n = a.size();
    for (Long i = 0; i < n; i++) {
        for (Long j = 0; j < n; j++) c[i][j] = 0.0;
        for (Long k = 0; k < n; k++)
            for (Long j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];
    }
    return c[7][9];
}

static double closures(const std::vector<double> &a, std::vector<double> &b) {
    double factor = a[1];
    std::transform(a.begin(), a.end(), b.begin(), [=](double x) { return x * factor + 1.0; });
    return std::accumulate(b.begin(), b.end(), 0.0, [](double x, double y) { return x + y * y; });
}

template <class F> static double integrate(F f, Long n) {
    double sum = 0.0;
    for (Long i = 0; i < n; i++) sum += f((i + 0.5) / n);
    return sum / n;
}

static Long sort(const std::vector<Long> &values) {
    std::vector<Long> copy = values;
    std::stable_sort(copy.begin(), copy.end());
    return copy[copy.size() / 2];
}

static double move(std::vector<Body> &all, Long n) {
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) {
            Body body = all[i * n + j];
            all[i * n + j] = {body.x + 0.25 * body.mass, body.y + 0.5, body.z - body.x, body.mass};
        }
    return all[3 * n + 4].z;
}

static double mathematics(const std::vector<double> &a) {
    double sum = 0.0;
    for (double x : a) sum += std::sin(x) * std::exp(-x) + std::pow(x, 1.5) + std::abs(std::cos(x)) + std::max(x, 0.5);
    return sum;
}

struct Tree { const Tree *left, *right; Long value; };

static const Tree *grow(Long depth) { 
    if (depth == 0) return nullptr;
    const Tree *left = grow(depth - 1), *right = grow(depth - 1);
    return new Tree{left, right, depth};
}

static Long sum_of(const Tree *tree) { return tree ? sum_of(tree->left) + tree->value + sum_of(tree->right) : 0; }

template <class F> static void run(const char *name, F kernel, const std::string &wanted, int turns) {
    if (name != wanted) return;
    double result = 0.0;
    std::function<double()> held = kernel;
    for (int turn = 1; turn <= turns; turn++) {
        // Nobody sees that every turn gives the same.
        asm volatile("" : : "r"(&held) : "memory");
        result = held();
    }
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
    run("fib", [&] { return double(fib(32)); }, name, turns);
    run("mandelbrot", [&] { return double(mandelbrot(400)); }, name, turns);
    run("random", [&] { return random_numbers(10000000); }, name, turns);
    std::vector<std::string> names;
    for (Long i = 0; i < 5000; i++) names.push_back("word" + std::to_string(i));
    run("words", [&] { return double(words(names, 1000000)); }, name, turns);
    run("concat", [&] { return double(concat(500000)); }, name, turns);
    Rows rows(400, std::vector<double>(400)), result(400, std::vector<double>(400));
    for (Long i = 0; i < 400; i++)
        for (Long j = 0; j < 400; j++) rows[i][j] = (i + j) % 7;
    run("jagged", [&] { return jagged(rows, rows, result); }, name, turns);
    std::vector<double> numbers(1000000), others(1000000);
    for (Long i = 0; i < 1000000; i++) numbers[i] = i % 100 * 0.01;
    run("closures", [&] { return closures(numbers, others); }, name, turns);
    std::vector<double> plane(1000000), other(1000000);
    for (Long i = 0; i < 1000000; i++) plane[i] = (i / 1000 + i % 1000) % 100 * 0.01;
    run("arrayClosures", [&] { return closures(plane, other); }, name, turns);
    run("integrate", [&] { return integrate([](double x) { return 4.0 / (1.0 + x * x); }, 5000000); }, name, turns);
    Random random{7};
    std::vector<Long> values(500000);
    for (Long &value : values) value = Long(random.nextDouble() * 1e9);
    run("sort", [&] { return double(sort(values)); }, name, turns);
    std::vector<Body> grid(1000000, Body{1.0, 2.0, 3.0, 4.0});
    run("move", [&] { return move(grid, 1000); }, name, turns);
    run("mathematics", [&] { return mathematics(numbers); }, name, turns);
    const Tree *tree = grow(20);
    run("tree", [&] { return double(sum_of(tree)); }, name, turns);
}
