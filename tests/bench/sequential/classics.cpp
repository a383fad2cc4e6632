// The programs of classics.x10. Arguments: the name of one, and how often it runs. Prints a checksum.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using Long = std::int64_t;
using Int = std::int32_t;

static Long floyd(Long n) {
    std::vector<Long> d(n * n);
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) d[i * n + j] = i == j ? 0 : (i * 7919 + j * 104729) % 1000 + 1;
    for (Long k = 0; k < n; k++)
        for (Long i = 0; i < n; i++)
            for (Long j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
    Long sum = 0;
    for (Long x : d) sum += x;
    return sum;
}

static Long knapsack(Long n, Long room) {
    std::vector<Long> best(room + 1);
    for (Long i = 1; i <= n; i++) {
        Long weight = i * 37 % 91 + 5, value = i * 53 % 97 + 1;
        for (Long w = room; w >= weight; w--) best[w] = std::max(best[w], best[w - weight] + value);
    }
    return best[room];
}

using Edges = std::vector<std::vector<Long>>;

static Long breadth(const Edges &edges) {
    std::vector<Long> level(edges.size(), -1), queue;
    level[0] = 0;
    queue.push_back(0);
    for (size_t at = 0; at < queue.size();) {
        Long node = queue[at++];
        for (Long next : edges[node]) {
            if (level[next] < 0) {
                level[next] = level[node] + 1;
                queue.push_back(next);
            }
        }
    }
    Long sum = 0;
    for (Long l : level) sum += l;
    return sum;
}
static Edges random(Long n) {
    Long x = 7;
    Edges edges(n);
    for (Long i = 0; i < n; i++) {
        for (int k = 1; k <= 6; k++) {
            x = (x * 1103515245 + 12345) & 0x7fffffff;
            edges[i].push_back((x >> 8) % n);
        }
    }
    return edges;
}

template <class Visit> static void permute(std::vector<Int> &a, Int k, const Visit &visit) {
    if (k == 1) {
        visit(a);
        return;
    }
    for (Int i = 0; i < k; i++) {
        permute(a, k - 1, visit);
        std::swap(a[k % 2 == 0 ? i : 0], a[k - 1]);
    }
}
static Long permutations(Int n) {
    Long sum = 0;
    std::vector<Int> a(n);
    for (Int i = 0; i < n; i++) a[i] = i;
    permute(a, n, [&](const std::vector<Int> &a) { sum = sum * 3 % 1000003 + a[0] * a[n - 1]; });
    return sum;
}

struct Rational {
    Long num, den;
    static Long gcd(Long a, Long b) { return b == 0 ? a : gcd(b, a % b); }
    static Rational make(Long num, Long den) {
        Long g = gcd(std::abs(num), den);
        return {num / g, den / g};
    }
    Rational operator+(Rational o) const { return make(num * o.den + o.num * den, den * o.den); }
    Rational operator*(Rational o) const { return make(num * o.num, den * o.den); }
};
static Long rationals(Long n) {
    Long sum = 0;
    for (Long i = 1; i <= n; i++) {
        Rational r{1, i % 9 + 1};
        for (Long k = 1; k <= 6; k++) r = (r + Rational{k, k + 1}) * Rational{k, i % 5 + 2};
        sum += (r.num + r.den) % 1000;
    }
    return sum;
}

struct Tree {
    std::unique_ptr<Tree> left, right;
    explicit Tree(Int depth) {
        if (depth == 0) return;
        left = std::make_unique<Tree>(depth - 1);
        right = std::make_unique<Tree>(depth - 1);
    }
    Long count() const { return left ? 1 + left->count() + right->count() : 1; }
};
static Long trees(Int depth) {
    Long sum = 0;
    for (int i = 1; i <= 10; i++) sum += Tree(depth).count();
    return sum;
}

static Int distance(const std::string &a, const std::string &b) {
    std::vector<Int> before(b.size() + 1), now(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++) before[j] = Int(j);
    for (size_t i = 1; i <= a.size(); i++) {
        now[0] = Int(i);
        for (size_t j = 1; j <= b.size(); j++) {
            Int change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            now[j] = std::min(change, std::min(before[j], now[j - 1]) + 1);
        }
        std::swap(before, now);
    }
    return before[b.size()];
}

template <class Found> static void place(Int n, Int row, Int columns, Int left, Int right, const Found &found) {
    if (row == n) {
        found();
        return;
    }
    Int free = ((1 << n) - 1) & ~(columns | left | right);
    while (free != 0) {
        Int bit = free & -free;
        free ^= bit;
        place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1, found);
    }
}
static Long bits(Int n) {
    Long count = 0;
    place(n, 0, 0, 0, 0, [&] { count++; });
    return count;
}

struct Body {
    double x, y, vx, vy;
    Body moved(double ax, double ay) const { return {x + vx * 0.01, y + vy * 0.01, vx + ax * 0.01, vy + ay * 0.01}; }
};
static double springs(Long n, Long steps) {
    std::vector<Body> bodies(n);
    for (Long i = 0; i < n; i++) bodies[i] = {i * 1.0, (i % 3) * 0.5, 0.0, 0.0};
    for (Long step = 1; step <= steps; step++) {
        for (Long i = 1; i <= n - 2; i++) {
            Body b = bodies[i], l = bodies[i - 1], r = bodies[i + 1];
            bodies[i] = b.moved(l.x + r.x - 2 * b.x, l.y + r.y - 2 * b.y);
        }
    }
    double sum = 0;
    for (const Body &b : bodies) sum += b.x * b.y;
    return sum;
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual std::unique_ptr<Shape> scaled(double f) const = 0;
};
struct Circle final : Shape {
    double r;
    explicit Circle(double r) : r(r) {}
    double area() const override { return 3.141592653589793 * r * r; }
    std::unique_ptr<Shape> scaled(double f) const override { return std::make_unique<Circle>(r * f); }
};
struct Box final : Shape {
    double w, h;
    Box(double w, double h) : w(w), h(h) {}
    double area() const override { return w * h; }
    std::unique_ptr<Shape> scaled(double f) const override { return std::make_unique<Box>(w * f, h * f); }
};
static double shapes(Long n) {
    std::vector<std::unique_ptr<Shape>> all;
    for (Long i = 1; i <= n; i++) {
        if (i % 3 == 0) all.push_back(std::make_unique<Circle>(i * 0.001));
        else all.push_back(std::make_unique<Box>(i * 0.001, 2.0));
    }
    double sum = 0;
    for (int turn = 1; turn <= 5; turn++)
        for (const auto &s : all) sum += s->scaled(1.5)->area() - s->area();
    return sum;
}

static Long brackets(Long n) {
    std::string s;
    for (Long i = 0; i < n; i++) s += i % 4 == 0 ? "(" : i % 4 == 1 ? "[" : i % 4 == 2 ? "]" : ")";
    std::vector<char> open;
    Long matched = 0;
    for (char c : s) {
        if (c == '(' || c == '[') open.push_back(c);
        else {
            if (open.back() == (c == ')' ? '(' : '[')) matched++;
            open.pop_back();
        }
    }
    return matched;
}

static void sift(std::vector<Long> &a, Long start, Long end) {
    Long root = start;
    while (2 * root + 1 < end) {
        Long child = 2 * root + 1;
        if (child + 1 < end && a[child] < a[child + 1]) child++;
        if (a[root] >= a[child]) return;
        std::swap(a[root], a[child]);
        root = child;
    }
}
static Long heapsort(Long n) {
    std::vector<Long> a(n);
    for (Long i = 0; i < n; i++) a[i] = i * 7919 % 1000003;
    for (Long start = n / 2 - 1; start >= 0; start--) sift(a, start, n);
    for (Long end = n - 1; end > 0; end--) {
        std::swap(a[0], a[end]);
        sift(a, 0, end);
    }
    return a[n / 2];
}

template <class Kernel> static void run(const char *name, const Kernel &kernel, const char *wanted, Long turns) {
    if (std::strcmp(name, wanted) != 0) return;
    double result = 0;
    for (Long turn = 0; turn < turns; turn++) {
        result = double(kernel());
        asm volatile("" ::: "memory");
    }
    std::printf("%.17g\n", result);
}

int main(int, char **args) {
    const char *name = args[1];
    Long turns = std::atoll(args[2]);
    volatile Long one = 1;
    run("floyd", [&] { return floyd(250 * one); }, name, turns);
    run("knapsack", [&] { return knapsack(200 * one, 20000 * one); }, name, turns);
    Edges edges = random(200000 * one);
    run("breadth", [&] { return breadth(edges); }, name, turns);
    run("permutations", [&] { return permutations(Int(9 * one)); }, name, turns);
    run("rationals", [&] { return rationals(20000 * one); }, name, turns);
    run("trees", [&] { return trees(Int(14 * one)); }, name, turns);
    std::string a, b;
    for (Long i = 0; i < 2000; i++) { a += char('a' + i * 7 % 26); b += char('a' + i * 11 % 26); }
    run("distance", [&] { return distance(a, b); }, name, turns);
    run("bits", [&] { return bits(Int(11 * one)); }, name, turns);
    run("springs", [&] { return springs(2000 * one, 500 * one); }, name, turns);
    run("shapes", [&] { return shapes(50000 * one); }, name, turns);
    run("brackets", [&] { return brackets(1000000 * one); }, name, turns);
    run("heapsort", [&] { return heapsort(300000 * one); }, name, turns);
}
