import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.CUDAAtomic;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;
import x10.util.RailUtils;

/** Strings and keys: search by Knuth-Morris-Pratt and by Horspool, an automaton of several words, counts of letters, edit distances a thread, a B+ tree looked up, runs encoded, keys reduced, merges along a diagonal, 8 queens, a suffix array by doubling. */
public class kernel_texts {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }
    static def fetch[T](remote:GlobalRail[T]){T haszero}:Rail[T] {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        return rail;
    }
    static def say(name:String, right:Boolean) {
        Console.OUT.println((right ? "ok " : "WRONG ") + name);
        if (!right) System.setExitCode(1n);
    }
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        if (a.size != b.size) return false;
        for (i in a.range()) if (a(i) != b(i)) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def near(a:Rail[Float], b:Rail[Float], tolerance:Float):Boolean {
        for (i in b.range()) if (!(Math.abs(a(i) - b(i)) <= tolerance * (1.0f + Math.abs(b(i))))) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def near(a:Rail[Double], b:Rail[Double], tolerance:Double):Boolean {
        for (i in b.range()) if (!(Math.abs(a(i) - b(i)) <= tolerance * (1.0 + Math.abs(b(i))))) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def text(n:Int):Rail[Byte] = new Rail[Byte](n, (i:Long) => (97 + (i * i / 3 + i / 7) % 3) as Byte);
    static def search(p:Place, n:Int, pattern:Rail[Byte]) {
        val t0 = text(n), m = pattern.size as Int;
        val fail = new Rail[Int](m + 1);
        fail(0) = -1n;
        for (i in 1n..m) { var k:Int = fail(i - 1n); while (k >= 0n && pattern(k) != pattern(i - 1n)) k = fail(k); fail(i) = k + 1n; }
        val last = new Rail[UByte](256, (c:Long) => m as UByte);
        for (i in 0n..(m - 2n)) last(pattern(i) as Int) = (m - 1n - i) as UByte;
        val t = CUDAUtilities.makeGlobalRail[Byte](p, n, t0);
        val a = CUDAUtilities.makeGlobalRail[Boolean](p, n), b = CUDAUtilities.makeGlobalRail[Boolean](p, n);
        val chunk = 40n, parts = (n + chunk - 1n) / chunk;
        finish async at (p) @CUDA {
            val pat = CUDAConstantRail(pattern);
            val f = CUDAConstantRail(fail);
            finish for (bl in 0n..((parts + 31n) / 32n - 1n)) async clocked finish for (th in 0n..31n) clocked async {
                val start = (bl * 32n + th) * chunk;
                var k:Int = 0n;
                for (var i:Int = start; i < start + chunk + m - 1n && i < n; i++) {
                    while (k >= 0n && (k == m || pat(k) != t(i))) k = f(k);
                    if (++k == m && i - m + 1n < start + chunk) a(i - m + 1n) = true;
                }
            }
        }
        finish async at (p) @CUDA {
            val pat = CUDAConstantRail(pattern);
            finish for (bl in 0n..((parts + 31n) / 32n - 1n)) async {
                val skip = new Rail[UByte](last);
                clocked finish for (th in 0n..31n) clocked async {
                    var pos:Int = (bl * 32n + th) * chunk;
                    val end = Math.min(pos + chunk, n - m + 1n);
                    while (pos < end) {
                        var j:Int = m - 1n;
                        while (j >= 0n && pat(j) == t(pos + j)) j--;
                        if (j < 0n) b(pos) = true;
                        pos += skip((t(pos + m - 1n) as Int) & 255n) as Int;
                    }
                }
            }
        }
        val w = new Rail[Boolean](n, (i:Long) => { if (i + m > n) return false; for (j in 0..(m - 1)) if (t0(i + j) != pattern(j)) return false; return true; });
        say("kmp", same(fetch(a), w));
        say("horspool", same(fetch(b), w));
        CUDAUtilities.deleteGlobalRail(t); CUDAUtilities.deleteGlobalRail(a); CUDAUtilities.deleteGlobalRail(b);
    }
    /** Levenshtein's distance of pairs of words, two rows a thread in its own memory. */
    static def distances(p:Place, count:Int) {
        val L = 12;
        val words = new Rail[Byte](count * L, (i:Long) => (97 + (i * 7 + i / L * i) % 5) as Byte), lengths = new Rail[UByte](count, (i:Long) => (1 + i * 5 % 12) as UByte);
        val out = CUDAUtilities.makeGlobalRail[UByte](p, count * count);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((count + 7n) / 8n - 1n) * 0n..((count + 7n) / 8n - 1n)) async clocked finish for ([ty, tx] in 0n..7n * 0n..7n) clocked async {
                val y = by * 8 + ty, x = bx * 8 + tx;
                if (y < count && x < count) {
                    @StackAllocate val row = new Rail[UByte](13);
                    val m = lengths(y) as Int, n = lengths(x) as Int;
                    for (j in 0n..12n) row(j) = j as UByte;
                    for (i in 1n..m) {
                        var corner:UByte = row(0);
                        row(0) = i as UByte;
                        for (j in 1n..n) {
                            val up = row(j);
                            val cost = words(y * L + i - 1) == words(x * L + j - 1) ? 0uy : 1uy;
                            row(j) = Math.min((corner + cost) as Int, Math.min(up as Int, row(j - 1n) as Int) + 1n) as UByte;
                            corner = up;
                        }
                    }
                    out(y * count + x) = row(n);
                }
            }
        }
        say("edit distances", same(fetch(out), new Rail[UByte](count * count, (q:Long) => {
            val y = q / count, x = q % count, m = lengths(y) as Long, n = lengths(x) as Long;
            val d = new Rail[Int]((m + 1) * (n + 1));
            for (i in 0..m) for (j in 0..n) d(i * (n + 1) + j) = i == 0 ? j as Int : j == 0 ? i as Int
                : Math.min(d((i - 1) * (n + 1) + j - 1) + (words(y * L + i - 1) == words(x * L + j - 1) ? 0n : 1n), Math.min(d((i - 1) * (n + 1) + j), d(i * (n + 1) + j - 1)) + 1n);
            return d(m * (n + 1) + n) as UByte;
        })));
        CUDAUtilities.deleteGlobalRail(out);
    }
    /** Nodes of 8 keys in one rail, level by level; a block a query, a thread a key, as in Rodinia. */
    static struct Node(first:Int, keys:Int, leaf:Boolean) { }
    static def tree(p:Place, n:Int, queries:Int) {
        val ORDER = 8n;
        val keys = new Rail[Long](n, (i:Long) => i * 3 + i % 2);
        // the levels from below: separators are the least keys of children
        val nodes = new x10.util.ArrayList[Node](), all = new x10.util.ArrayList[Long](), children = new x10.util.ArrayList[Int](), least = new x10.util.ArrayList[Long]();
        var level:x10.util.ArrayList[Int] = new x10.util.ArrayList[Int]();
        for (var i:Int = 0n; i < n; i += ORDER) {
            level.add(nodes.size() as Int);
            val c = Math.min(ORDER, n - i);
            nodes.add(Node(all.size() as Int, c, true));
            least.add(keys(i));
            for (k in 0n..(c - 1n)) { all.add(keys(i + k)); children.add(i + k); }
        }
        while (level.size() > 1) {
            val above = new x10.util.ArrayList[Int]();
            for (var i:Int = 0n; i < level.size(); i += ORDER) {
                above.add(nodes.size() as Int);
                val c = Math.min(ORDER, level.size() as Int - i);
                nodes.add(Node(all.size() as Int, c, false));
                least.add(least(level(i)));
                for (k in 0n..(c - 1n)) { all.add(least(level(i + k))); children.add(level(i + k)); }
            }
            level = above;
        }
        val root = level(0), nd = nodes.toRail(), ks = all.toRail(), ch = children.toRail();
        val q = new Rail[Long](queries, (i:Long) => i * 7 % (3 * n + 5) - 2);
        val out = CUDAUtilities.makeGlobalRail[Int](p, queries);
        finish async at (p) @CUDA {
            finish for (b in 0n..(queries - 1n)) async {
                val at0 = new Rail[Int](1, root), found = new Rail[Int](1, -1n);
                clocked finish for (t in 0n..(ORDER - 1n)) clocked async {
                    val key = q(b);
                    var done:Boolean = false;
                    while (!done) {
                        val node = nd(at0(0));
                        done = node.leaf;
                        Clock.advanceAll();
                        if (t < node.keys) {
                            val mine = ks(node.first + t);
                            if (node.leaf) { if (mine == key) found(0) = ch(node.first + t); }
                            else if (mine <= key && (t == node.keys - 1n || ks(node.first + t + 1n) > key)) at0(0) = ch(node.first + t);
                            else if (t == 0n && key < mine) at0(0) = ch(node.first);
                        }
                        Clock.advanceAll();
                    }
                    if (t == 0n) out(b) = found(0);
                }
            }
        }
        say("b+ tree", same(fetch(out), new Rail[Int](queries, (i:Long) => { for (k in 0n..(n - 1n)) if (keys(k) == q(i)) return k; return -1n; })));
        CUDAUtilities.deleteGlobalRail(out);
    }
    /** Runs: heads are flagged, numbered by a scan of one block in iterations, and write their places. */
    static def runs(p:Place, n:Int) {
        val data = new Rail[Short](n, (i:Long) => ((i / (1 + i % 5 / 2) / 4) % 3) as Short);
        val values = CUDAUtilities.makeGlobalRail[Short](p, n), starts = CUDAUtilities.makeGlobalRail[Int](p, n + 1), count = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..0n) async clocked finish for (t in 0n..127n) clocked async {
                var base:Int = 0n;
                for (var c:Int = 0n; c < n; c += 128n) {
                    val i = c + t;
                    val head = i < n && (i == 0n || data(i - 1n) != data(i));
                    val to = base + CUDABlock.exclusiveSum(head ? 1n : 0n);
                    if (head) { values(to) = data(i); starts(to) = i; }
                    base += CUDABlock.count(head);
                }
                if (t == 0n) { count(0) = base; starts(base) = n; }
            }
        }
        val v = fetch(values), s = fetch(starts), k = fetch(count)(0);
        var ok:Boolean = k > 3n;
        for (r in 0..(k - 1)) for (i in s(r)..(s(r + 1) - 1n)) ok &= data(i) == v(r) && (r == 0 || v(r - 1) != v(r));
        say("runs", ok && s(0) == 0n && s(k) == n);
        CUDAUtilities.deleteGlobalRail(values); CUDAUtilities.deleteGlobalRail(starts); CUDAUtilities.deleteGlobalRail(count);
    }
    /** Two sorted rails become one: each thread finds where its diagonal crosses, and merges its share. */
    @CUDA static def crossing(a:Rail[Int], b:Rail[Int], diagonal:Long):Long {
        var lo:Long = Math.max(0, diagonal - b.size), hi:Long = Math.min(diagonal, a.size);
        while (lo < hi) {
            val mid = (lo + hi) >>> 1;
            if (a(mid) <= b(diagonal - 1 - mid)) lo = mid + 1; else hi = mid;
        }
        return lo;
    }
    static def merge(p:Place, n:Int, m:Int) {
        val a = new Rail[Int](n, (i:Long) => (i * i / 5) as Int), b = new Rail[Int](m, (i:Long) => (i * 7 + i % 3) as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n + m);
        val each = 5n;
        finish async at (p) @CUDA {
            finish for (bl in 0n..(((n + m + each - 1n) / each + 31n) / 32n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                val from = Math.min(((bl * 32n + t) as Long) * each, a.size + b.size), to = Math.min(from + each, a.size + b.size);
                var i:Long = crossing(a, b, from);
                var j:Long = from - i;
                for (k in from..(to - 1)) out(k) = j >= b.size || i < a.size && a(i) <= b(j) ? a(i++) : b(j++);
            }
        }
        val w = new Rail[Int](n + m, (i:Long) => i < n ? a(i) : b(i - n));
        RailUtils.sort(w);
        say("merge", same(fetch(out), w));
        CUDAUtilities.deleteGlobalRail(out);
    }
    /** Queens: the first rows are the number of the thread, the others a search with bits and a stack of its own. */
    static def queens(p:Place, n:Int) {
        val total = CUDAUtilities.makeGlobalRail[Long](p, 1);
        val all = (1n << n) - 1n;
        finish async at (p) @CUDA {
            finish for (b in 0n..((n * n + 31n) / 32n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                @StackAllocate val free = new Rail[Int](16);
                @StackAllocate val cols = new Rail[Int](16);
                @StackAllocate val left = new Rail[Int](16);
                @StackAllocate val right = new Rail[Int](16);
                val id = b * 32n + t;
                var found:Int = 0n;
                val c0 = 1n << (id % n), c1 = 1n << (id / n);
                if (id < n * n && (c1 & (c0 | c0 << 1 | c0 >> 1)) == 0n) {
                    var d:Int = 2n;
                    cols(2) = c0 | c1; left(2) = (c0 << 1 | c1) << 1; right(2) = (c0 >> 1 | c1) >> 1;
                    free(2) = all & ~(cols(2) | left(2) | right(2));
                    while (d >= 2n) {
                        if (free(d) == 0n) { d--; continue; }
                        val bit = free(d) & -free(d);
                        free(d) ^= bit;
                        if (d == n - 1n) { found++; continue; }
                        cols(d + 1n) = cols(d) | bit;
                        left(d + 1n) = (left(d) | bit) << 1;
                        right(d + 1n) = (right(d) | bit) >> 1;
                        d++;
                        free(d) = all & ~(cols(d) | left(d) | right(d));
                    }
                }
                found = CUDAWarp.sum(found);
                if (t == 0n) CUDAAtomic.add(total, 0, found as Long);
            }
        }
        val known = [0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724];
        say("queens " + n, fetch(total)(0) == known(n));
        CUDAUtilities.deleteGlobalRail(total);
    }
    /** Suffixes ordered by their first 1, 2, 4, ... letters: ranks are counted against all others, as the text is short. */
    static def suffixes(p:Place, n:Int) {
        val s = text(n);
        var a:GlobalRail[Int]{self.home()==p} = CUDAUtilities.makeGlobalRail[Int](p, n, (i:Long) => s(i) as Int);
        var b:GlobalRail[Int]{self.home()==p} = CUDAUtilities.makeGlobalRail[Int](p, n);
        for (var h:Int = 1n; h < 2n * n; h *= 2n) {
            val from = a, to = b, step = h;
            finish async at (p) @CUDA {
                finish for (bl in 0n..((n + 63n) / 64n - 1n)) async {
                    val k1 = new Rail[Int](64), k2 = new Rail[Int](64);
                    clocked finish for (t in 0n..63n) clocked async {
                        val i = bl * 64n + t;
                        val x1 = i < n ? from(i) : 0n, x2 = i + step < n ? from(i + step) : -1n;
                        var less:Int = 0n;
                        for (var c:Int = 0n; c < n; c += 64n) {
                            k1(t) = c + t < n ? from(c + t) : Int.MAX_VALUE;
                            k2(t) = c + t + step < n ? from(c + t + step) : -1n;
                            Clock.advanceAll();
                            for (j in 0n..63n) less += k1(j) < x1 || k1(j) == x1 && k2(j) < x2 ? 1n : 0n;
                            Clock.advanceAll();
                        }
                        if (i < n) to(i) = less;
                    }
                }
            }
            a = to; b = from;
        }
        val rank = fetch(a);
        val order = new Rail[Int](n, -1n);
        for (i in 0n..(n - 1n)) order(rank(i)) = i;
        var ok:Boolean = true;
        for (k in 0..(n - 1)) {
            ok &= order(k) >= 0n;
            if (k > 0 && ok) {
                var x:Int = order(k - 1); var y:Int = order(k);
                while (x < n && y < n && s(x) == s(y)) { x++; y++; }
                ok &= x == n || y < n && s(x) < s(y);
            }
        }
        say("suffixes", ok);
        CUDAUtilities.deleteGlobalRail(a); CUDAUtilities.deleteGlobalRail(b);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        val t = text(1000n);
        search(p, 1003n, new Rail[Byte](4, (i:Long) => t(100 + i)));
        distances(p, 19n); tree(p, 200n, 77n); tree(p, 5n, 20n); runs(p, 1001n); merge(p, 101n, 333n); merge(p, 3n, 0n); queens(p, 8n); queens(p, 6n); suffixes(p, 150n);
    }
}
