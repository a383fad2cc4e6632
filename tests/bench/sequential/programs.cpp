// The programs of programs.x10. Arguments: the name of one, and how often it runs. Prints a checksum.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

using Long = std::int64_t;
using Int = std::int32_t;

// ---- arrays ----

template <class T> struct Grid {
    Long rows, columns;
    std::vector<T> data;
    Grid(Long rows, Long columns, T value = T()) : rows(rows), columns(columns), data(rows * columns, value) {}
    T &operator()(Long i, Long j) { return data[i * columns + j]; }
    const T &operator()(Long i, Long j) const { return data[i * columns + j]; }
};

static double filling(Long n) {
    Grid<double> a(n, n);
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) a(i, j) = i * 3 + j;
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) a(i, j) = a(i, j) * 2 + i;
    double sum = 0;
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) sum += a(i, j);
    return sum;
}

static double scaled(Long n) {
    Grid<double> a(n, n);
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) a(i, j) = i;
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) a(i, j) = a(i, j) * 2 + i;
    double sum = 0;
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) sum += a(i, j);
    return sum;
}

static double triangle(Long n) {
    Grid<double> a(n, n, 1.0);
    for (Long i = 0; i < n; i++)
        for (Long j = i; j < n; j++) a(i, j) = a(i, j) + j;
    double sum = 0;
    for (Long i = 0; i < n; i++)
        for (Long j = i; j < n; j++) sum += a(i, j);
    return sum;
}

static double distributed(Grid<double> &a) {
    for (Long i = 0; i < a.rows; i++)
        for (Long j = 0; j < a.columns; j++) a(i, j) = i * 3 + j;
    for (Long i = 0; i < a.rows; i++)
        for (Long j = 0; j < a.columns; j++) a(i, j) = a(i, j) * 2;
    double sum = 0;
    for (Long i = 0; i < a.rows; i++)
        for (Long j = 0; j < a.columns; j++) sum += a(i, j);
    return sum;
}

struct Offset { Long i, j; };

static double neighbours(const Grid<double> &a, Grid<double> &next) {
    const Offset all[] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    for (Long i = 0; i < a.rows; i++) {
        for (Long j = 0; j < a.columns; j++) {
            double sum = 0;
            for (const Offset &d : all) {
                Long x = i + d.i, y = j + d.j;
                if (x >= 0 && x < a.rows && y >= 0 && y < a.columns) sum += a(x, y);
            }
            next(i, j) = sum;
        }
    }
    return next(1, 1);
}

// ---- collections ----

static double indexed(const std::vector<double> &a, std::vector<double> &b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); i++) sum += a[i] * b[i];
    for (size_t i = 0; i < a.size(); i++) b[i] = b[i] * 0.5 + a[i];
    return sum;
}

static Long sets(Long n) {
    std::unordered_set<Long> seen;
    std::unordered_map<Long, Long> count;
    Long x = 1;
    for (Long i = 1; i <= n; i++) {
        x = (x * 1103515245 + 12345) & 0x7fffffff;
        Long key = x % 50000;
        seen.insert(key);
        if (count.count(key)) count[key] = count[key] + 1;
        else count[key] = 1;
    }
    Long best = 0;
    for (auto &[key, value] : count) best = std::max(best, value * 100000 + key);
    return best + Long(seen.size());
}

static Long sorted(const std::vector<Long> &values) {
    std::vector<Long> list(values);
    std::stable_sort(list.begin(), list.end(), [](Long a, Long b) { return a < b; });
    Long middle = list[list.size() / 2];
    std::stable_sort(list.begin(), list.end(), [](Long a, Long b) { return b % 1000 < a % 1000; });
    return middle + list[0];
}

struct Edge { Long to; double weight; };
struct Item {
    Long node;
    double distance;
    bool operator<(const Item &o) const { return distance < o.distance; }
    bool operator<=(const Item &o) const { return distance <= o.distance; }
};

template <class T> struct PriorityQueue {
    std::vector<T> items;
    bool empty() const { return items.empty(); }
    void push(const T &x) {
        items.push_back(x);
        Long i = items.size() - 1;
        while (i > 0) {
            Long up = (i - 1) / 2;
            if (items[up] <= x) break;
            items[i] = items[up];
            i = up;
        }
        items[i] = x;
    }
    T pop() {
        T first = items[0];
        T last = items.back();
        items.pop_back();
        Long n = items.size();
        if (n == 0) return first;
        Long i = 0;
        while (2 * i + 1 < n) {
            Long child = 2 * i + 1;
            if (child + 1 < n && items[child + 1] < items[child]) child++;
            if (last <= items[child]) break;
            items[i] = items[child];
            i = child;
        }
        items[i] = last;
        return first;
    }
};

using Graph = std::vector<std::vector<Edge>>;

static Graph graph(Long n) {
    Graph edges(n);
    Long x = 7;
    for (Long i = 0; i < n; i++) {
        for (Long k = 1; k <= 8; k++) {
            x = (x * 1103515245 + 12345) & 0x7fffffff;
            edges[i].push_back({(x >> 8) % n, 1.0 + x % 100});
        }
    }
    return edges;
}

static double dijkstra(const Graph &edges) {
    std::vector<double> distance(edges.size(), 1.7976931348623157e308);
    PriorityQueue<Item> queue;
    distance[0] = 0;
    queue.push({0, 0.0});
    while (!queue.empty()) {
        Item item = queue.pop();
        if (item.distance > distance[item.node]) continue;
        for (const Edge &edge : edges[item.node]) {
            double d = item.distance + edge.weight;
            if (d < distance[edge.to]) {
                distance[edge.to] = d;
                queue.push({edge.to, d});
            }
        }
    }
    return std::accumulate(distance.begin(), distance.end(), 0.0, [](double a, double b) { return b < 1e9 ? a + b : a; });
}

// ---- texts ----

static Long append(Long n) {
    Long length = 0;
    for (int turn = 1; turn <= 10; turn++) {
        std::string s;
        for (Long i = 0; i < n; i++) s += std::to_string(i);
        length += s.size();
    }
    return length;
}

static std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    size_t start = 0;
    for (size_t end; (end = text.find(separator, start)) != std::string::npos; start = end + 1) parts.push_back(text.substr(start, end - start));
    if (start < text.size()) parts.push_back(text.substr(start));
    return parts;
}

static Long records(Long n) {
    std::string text;
    for (Long i = 0; i < n; i++) {
        text += std::to_string(i);
        text += ',';
        text += "name" + std::to_string(i % 100);
        text += ',';
        text += std::to_string(i * 3);
        text += '\n';
    }
    Long sum = 0;
    for (const std::string &line : split(text, '\n')) {
        if (line.empty()) continue;
        std::vector<std::string> parts = split(line, ',');
        sum += std::stoll(parts[0]) + std::stoll(parts[2]) + Long(parts[1].size());
    }
    return sum;
}

static Long counted(const std::string &text) {
    std::unordered_map<std::string, Long> count;
    for (const std::string &word : split(text, ' ')) count[word]++;
    std::vector<std::string> words;
    for (auto &entry : count) words.push_back(entry.first);
    std::sort(words.begin(), words.end());
    Long sum = 0;
    for (size_t i = 0; i < words.size(); i++) sum += Long(i) * count[words[i]];
    return sum;
}

static Long vowels(const std::string &text) {
    Long count = 0;
    for (size_t i = 0; i < text.size(); i++) {
        switch (text[i]) {
            case 'a': case 'e': case 'i': case 'o': case 'u': count++; break;
            default:;
        }
    }
    return count;
}

// ---- arrays and rails ----

static Long chain(Long n) {
    std::vector<Long> sizes(n + 1);
    for (Long i = 0; i <= n; i++) sizes[i] = 10 + i * 7 % 31;
    Grid<Long> cost(n, n);
    for (Long length = 2; length <= n; length++) {
        for (Long i = 0; i <= n - length; i++) {
            Long j = i + length - 1;
            cost(i, j) = INT64_MAX;
            for (Long k = i; k < j; k++) {
                Long c = cost(i, k) + cost(k + 1, j) + sizes[i] * sizes[k + 1] * sizes[j + 1];
                if (c < cost(i, j)) cost(i, j) = c;
            }
        }
    }
    return cost(0, n - 1);
}

static Int primes(Int n) {
    std::unique_ptr<bool[]> composite(new bool[n + 1]());
    Int count = 0;
    for (Int i = 2; i <= n; i++) {
        if (!composite[i]) {
            count++;
            for (Int k = 2 * i; k <= n; k += i) composite[k] = true;
        }
    }
    return count;
}

struct Queens {
    Int n;
    std::vector<Int> columns;
    Long solutions = 0;
    explicit Queens(Int n) : n(n), columns(n) {}
    bool safe(Int row, Int column) const {
        for (Int r = 0; r < row; r++)
            if (columns[r] == column || std::abs(columns[r] - column) == row - r) return false;
        return true;
    }
    void place(Int row) {
        if (row == n) {
            solutions++;
            return;
        }
        for (Int column = 0; column < n; column++) {
            if (safe(row, column)) {
                columns[row] = column;
                place(row + 1);
            }
        }
    }
};

static Long queens(Int n) {
    Queens q(n);
    q.place(0);
    return q.solutions;
}

static double lu(Long n) {
    Grid<double> a(n, n);
    for (Long i = 0; i < n; i++)
        for (Long j = 0; j < n; j++) a(i, j) = i == j ? double(n) : 1.0 / (1 + i + j);
    for (Long k = 0; k < n; k++) {
        Long best = k;
        for (Long i = k + 1; i < n; i++)
            if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
        if (best != k)
            for (Long j = 0; j < n; j++) std::swap(a(k, j), a(best, j));
        for (Long i = k + 1; i < n; i++) {
            a(i, k) /= a(k, k);
            for (Long j = k + 1; j < n; j++) a(i, j) -= a(i, k) * a(k, j);
        }
    }
    return a(n - 1, n - 1);
}

struct Complex {
    double re, im;
    Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
    Complex operator-(Complex o) const { return {re - o.re, im - o.im}; }
    Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};

static void fourier(std::vector<Complex> &a) {
    Long n = a.size();
    Long j = 0;
    for (Long i = 1; i < n; i++) {
        Long bit = n >> 1;
        while (j & bit) { j ^= bit; bit >>= 1; }
        j ^= bit;
        if (i < j) std::swap(a[i], a[j]);
    }
    for (Long length = 2; length <= n; length <<= 1) {
        double angle = -2 * 3.141592653589793 / length;
        Complex root{std::cos(angle), std::sin(angle)};
        for (Long i = 0; i < n; i += length) {
            Complex w{1, 0};
            for (Long k = 0; k < length / 2; k++) {
                Complex u = a[i + k], v = a[i + k + length / 2] * w;
                a[i + k] = u + v;
                a[i + k + length / 2] = u - v;
                w = w * root;
            }
        }
    }
}

// ---- objects ----

struct Term {
    virtual ~Term() = default;
    virtual double value(double x) const = 0;
};
struct Constant final : Term {
    double c;
    explicit Constant(double c) : c(c) {}
    double value(double) const override { return c; }
};
struct Variable final : Term {
    double value(double x) const override { return x; }
};
struct Sum final : Term {
    const Term *a, *b;
    Sum(const Term *a, const Term *b) : a(a), b(b) {}
    double value(double x) const override { return a->value(x) + b->value(x); }
};
struct Product final : Term {
    const Term *a, *b;
    Product(const Term *a, const Term *b) : a(a), b(b) {}
    double value(double x) const override { return a->value(x) * b->value(x); }
};

static const Term *term(Long depth, Long seed) {
    if (depth == 0) {
        if (seed % 3 == 0) return new Variable();
        return new Constant(1.0 / (1 + seed % 7));
    }
    if (seed % 2 == 0) return new Sum(term(depth - 1, seed * 3 + 1), term(depth - 1, seed * 5 + 2));
    return new Product(term(depth - 1, seed * 7 + 3), term(depth - 1, seed + 11));
}

static double terms(const Term *t) {
    double sum = 0;
    for (Long i = 1; i <= 100; i++) sum += t->value(i * 0.01);
    return sum;
}

struct Node {
    Long value;
    Node *next;
};

static Long linked(Long n) {
    Node *head = nullptr;
    for (Long i = 1; i <= n; i++) head = new Node{i * 7 % 1000, head};
    Node *reversed = nullptr;
    while (head) {
        Node *next = head->next;
        head->next = reversed;
        reversed = head;
        head = next;
    }
    Long sum = 0, place = 0;
    for (Node *node = reversed; node; node = node->next) sum += node->value * (place++ % 10);
    while (reversed) {
        Node *next = reversed->next;
        delete reversed;
        reversed = next;
    }
    return sum;
}

struct Vector {
    double x, y, z;
    Vector operator+(Vector o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vector operator*(double s) const { return {x * s, y * s, z * s}; }
    double dot(Vector o) const { return x * o.x + y * o.y + z * o.z; }
};

template <class T> class Grown {
    std::unique_ptr<T[]> items{new T[4]()};
    Long room = 4, count = 0;

  public:
    void add(const T &x) {
        if (count == room) {
            std::unique_ptr<T[]> more(new T[2 * room]());
            for (Long i = 0; i < count; i++) more[i] = items[i];
            items = std::move(more);
            room *= 2;
        }
        items[count++] = x;
    }
    T &operator[](Long i) { return items[i]; }
    Long size() const { return count; }
    T *begin() { return items.get(); }
    T *end() { return items.get() + count; }
};

static double generic(Long n) {
    Grown<Vector> list;
    for (Long i = 0; i < n; i++) list.add({i * 0.5, i * 0.25, 1.0});
    Vector sum{0, 0, 0};
    for (const Vector &v : list) sum = sum + v * 0.5;
    for (Long i = 0; i < list.size(); i++) list[i] = list[i] + sum * 1e-9;
    double total = 0;
    for (Long i = 1; i < list.size(); i++) total += list[i].dot(list[i - 1]);
    return total;
}

// ---- numbers and closures ----

static Long mixed(Int n) {
    Long sum = 0;
    std::uint32_t state = 12345;
    std::vector<Int> hist(256);
    for (Int i = 1; i <= n; i++) {
        state = state * 1664525u + 1013904223u;
        Int bucket = state >> 24;
        hist[bucket]++;
        sum += (i % 7) * Long(bucket) + (sum >> 3);
        if ((i & 1023) == 0) sum /= 3;
    }
    Long weighted = 0;
    for (Int i = 0; i < 256; i++) weighted += i * Long(hist[i]);
    return sum + weighted;
}

static Long folded(const std::vector<Long> &values) {
    std::vector<Long> squares(values.size());
    std::transform(values.begin(), values.end(), squares.begin(), [](Long x) { return x * x % 1000; });
    Long factor = Long(squares.size()) % 7 + 1;
    std::vector<Long> evens;
    for (Long x : squares)
        if (x % 2 == 0) evens.push_back(x);
    std::vector<Long> copy(evens);
    return std::accumulate(copy.begin(), copy.end(), Long(0), [=](Long a, Long b) { return a + b * factor; });
}

template <class F> static void each(std::vector<double> &a, const F &f) {
    for (size_t i = 0; i < a.size(); i++) a[i] = f(i);
}

static double chunks(std::vector<double> &a) {
    each(a, [](Long i) { return i * 0.5; });
    each(a, [&](Long i) { return a[i] * a[i] + i; });
    return a[17];
}

static Long collatz(Long n) {
    Long best = 0, most = 0;
    for (Long i = 1; i <= n; i++) {
        Long x = i, steps = 0;
        while (x != 1) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
            steps++;
        }
        if (steps > most) { most = steps; best = i; }
    }
    return best * 1000 + most;
}

template <class Kernel> static void run(const char *name, const Kernel &kernel, const char *wanted, Long turns) {
    if (std::strcmp(name, wanted) != 0) return;
    double result = 0;
    // What is computed once more each turn may not be computed once for all.
    for (Long turn = 0; turn < turns; turn++) {
        result = double(kernel());
        asm volatile("" ::: "memory");
    }
    std::printf("%.17g\n", result);
}

int main(int, char **args) {
    const char *name = args[1];
    Long turns = std::atoll(args[2]);
    volatile Long thousand = 1000;
    run("filling", [&] { return filling(thousand); }, name, turns);
    run("scaled", [&] { return scaled(thousand); }, name, turns);
    run("triangle", [&] { return triangle(thousand); }, name, turns);
    Grid<double> over(1000, 1000);
    run("distributed", [&] { return distributed(over); }, name, turns);
    Grid<double> a(1000, 1000), b(1000, 1000);
    for (Long i = 0; i < 1000; i++)
        for (Long j = 0; j < 1000; j++) a(i, j) = (i + j) % 7;
    run("neighbours", [&] { return neighbours(a, b); }, name, turns);
    std::vector<double> left, right;
    for (Long i = 0; i < 1000000; i++) { left.push_back(i % 10); right.push_back(i % 13); }
    run("indexed", [&] { return indexed(left, right); }, name, turns);
    run("sets", [&] { return sets(thousand * 1000); }, name, turns);
    std::vector<Long> values;
    Long x = 3;
    for (Long i = 1; i <= 500000; i++) { x = (x * 1103515245 + 12345) & 0x7fffffff; values.push_back(x >> 3); }
    run("sorted", [&] { return sorted(values); }, name, turns);
    Graph edges = graph(100000);
    run("dijkstra", [&] { return dijkstra(edges); }, name, turns);
    run("append", [&] { return append(5 * thousand); }, name, turns);
    run("records", [&] { return records(100 * thousand); }, name, turns);
    std::string text;
    for (Long i = 1; i <= 400000; i++) {
        x = (x * 1103515245 + 12345) & 0x7fffffff;
        text += "word" + std::to_string((x >> 8) % 5000);
        text += ' ';
    }
    text.pop_back();
    run("counted", [&] { return counted(text); }, name, turns);
    run("vowels", [&] { return vowels(text); }, name, turns);
    run("chain", [&] { return chain(thousand / 2); }, name, turns);
    run("primes", [&] { return primes(Int(thousand) * 5000); }, name, turns);
    run("queens", [&] { return queens(Int(thousand) - 989); }, name, turns);
    run("lu", [&] { return lu(thousand / 2); }, name, turns);
    std::vector<Complex> wave(1 << 18);
    for (size_t i = 0; i < wave.size(); i++) wave[i] = {i % 17 * 0.1, 0.0};
    run("fourier", [&] { fourier(wave); return wave[wave.size() / 2].re > 0.0; }, name, turns);
    const Term *tree = term(14, 1);
    run("terms", [&] { return terms(tree); }, name, turns);
    run("linked", [&] { return linked(thousand * 1000); }, name, turns);
    run("generic", [&] { return generic(thousand * 1000); }, name, turns);
    run("mixed", [&] { return mixed(Int(thousand) * 20000); }, name, turns);
    run("folded", [&] { return folded(values); }, name, turns);
    std::vector<double> parts(1 << 20);
    run("chunks", [&] { return chunks(parts); }, name, turns);
    run("collatz", [&] { return collatz(thousand * 500); }, name, turns);
}
