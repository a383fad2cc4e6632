import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.CUDAUtilities;
import x10.util.CUDAAtomic;
import x10.util.Random;

/** Kernels of several sciences, each beside the same on the host. */
public class kernel_sciences {
    static struct Tridiagonal(below:Float, diagonal:Float, above:Float, right:Float) { }
    static struct Fraction(up:Long, down:Long) {
        @CUDA operator this + (that:Fraction) = reduced(up * that.down + that.up * down, down * that.down);
        @CUDA operator this * (that:Fraction) = reduced(up * that.up, down * that.down);
        @CUDA static def reduced(a:Long, b:Long):Fraction {
            var u:Long = a < 0 ? -a : a, v:Long = b;
            while (v != 0) { val t = u % v; u = v; v = t; }
            return u == 0 ? new Fraction(0, 1) : new Fraction(a / u, b / u);
        }
    }
    static WIDTH = 64;
    static GAP = 2n;

    /** Local alignment of pairs of strings: a block for a pair, anti-diagonals in three shared rails. */
    static def align(p:Place, pairs:Long, a:Rail[Byte], b:Rail[Byte], best:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (pair in 0n..((pairs - 1) as Int)) async {
                val last = new Rail[Int](WIDTH + 1, 0n);
                val before = new Rail[Int](WIDTH + 1, 0n);
                val now = new Rail[Int](WIDTH + 1, 0n);
                val most = new Rail[Int](WIDTH, 0n);
                clocked finish for (t in 0n..((WIDTH - 1) as Int)) clocked async {
                    val i = t + 1;
                    for (d in 2..(2 * WIDTH)) {
                        val j = d - i;
                        if (j >= 1 && j <= WIDTH) {
                            val same = a(pair * WIDTH + i - 1) == b(pair * WIDTH + j - 1);
                            val corner = before(i - 1) + (same ? 3n : -1n);
                            var h:Int = Math.max(corner, Math.max(last(i - 1), last(i)) - GAP);
                            if (h < 0n) h = 0n;
                            now(i) = h;
                            if (h > most(t)) most(t) = h;
                        } else now(i) = 0n;
                        Clock.advanceAll();
                        before(i) = last(i);
                        last(i) = now(i);
                        Clock.advanceAll();
                    }
                    if (t == 0n) {
                        var m:Int = 0n;
                        for (k in 0..(WIDTH - 1)) m = Math.max(m, most(k));
                        best(pair) = m;
                    }
                }
            }
        }
    }
    static def alignHere(a:Rail[Byte], b:Rail[Byte], from:Long):Int {
        val h = new Rail[Rail[Int]](WIDTH + 1, (i:Long) => new Rail[Int](WIDTH + 1));
        var m:Int = 0n;
        for (i in 1..WIDTH) for (j in 1..WIDTH) {
            val s = a(from + i - 1) == b(from + j - 1) ? 3n : -1n;
            h(i)(j) = Math.max(0n, Math.max(h(i-1)(j-1) + s, Math.max(h(i-1)(j), h(i)(j-1)) - GAP));
            m = Math.max(m, h(i)(j));
        }
        return m;
    }

    /** Seven points in a box, blocks of three dimensions. */
    static def heat(p:Place, n:Int, from:GlobalRail[Double]{home==p}, to:GlobalRail[Double]{home==p}, c:Double) {
        val b = (n + 7n) / 8n;
        finish async at (p) @CUDA {
            finish for ([bx, by, bz] in 0n..(b-1n) * 0n..(b-1n) * 0n..(b-1n)) async
                clocked finish for ([tx, ty, tz] in 0n..7n * 0n..7n * 0n..7n) clocked async {
                    val x = bx * 8 + tx, y = by * 8 + ty, z = bz * 8 + tz;
                    if (x < n && y < n && z < n) {
                        val k = (z * n + y) * n + x;
                        if (x == 0 || y == 0 || z == 0 || x + 1 >= n || y + 1 >= n || z + 1 >= n) to(k) = from(k);
                        else to(k) = from(k) + c * (from(k-1) + from(k+1) + from(k-n) + from(k+n) + from(k-n*n) + from(k+n*n) - 6 * from(k));
                    }
                }
        }
    }

    /** Tridiagonal systems by elimination, one for each thread. */
    static def solve(p:Place, count:Long, all:Rail[Tridiagonal], result:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async
                clocked finish for (thread in 0n..63n) clocked async {
                    @StackAllocate val c = @StackAllocate new Rail[Float](12);
                    @StackAllocate val d = @StackAllocate new Rail[Float](12);
                    for (var s:Long = block * 64 + thread; s < count; s += 4 * 64) {
                        val base = s * 12;
                        c(0) = all(base).above / all(base).diagonal;
                        d(0) = all(base).right / all(base).diagonal;
                        for (i in 1..11) {
                            val row = all(base + i);
                            val m = 1.0f / (row.diagonal - row.below * c(i - 1));
                            c(i) = row.above * m;
                            d(i) = (row.right - row.below * d(i - 1)) * m;
                        }
                        result(base + 11) = d(11);
                        for (var i:Long = 10; i >= 0; i--) {
                            d(i) -= c(i) * d(i + 1);
                            result(base + i) = d(i);
                        }
                    }
                }
        }
    }

    /** One pass of sorting by four bits: counts of digits a block. */
    static def digits(p:Place, keys:Rail[UInt], shift:Int, counts:GlobalRail[Int]{home==p}) {
        val size = keys.size;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val own = new Rail[Int](16, 0n);
                clocked finish for (thread in 0n..127n) clocked async {
                    for (var i:Long = block * 128 + thread; i < size; i += 8 * 128)
                        CUDAAtomic.add(own, ((keys(i) >> shift) & 15un) as Long, 1n);
                    Clock.advanceAll();
                    if (thread < 16n) counts(thread * 8 + block) = own(thread);
                }
            }
        }
    }

    /** Sums of fractions: structs with operators that loop. */
    static def fractions(p:Place, n:Long, to:GlobalRail[Fraction]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async
                clocked finish for (thread in 0n..31n) clocked async {
                    val i = block * 32 + thread;
                    if (i < n) {
                        var sum:Fraction = new Fraction(i - 3, i + 1);
                        for (k in 1..6) sum = sum + new Fraction(1, k) * new Fraction(k + i, 2);
                        to(i) = sum;
                    }
                }
        }
    }
    static def fractionHere(i:Long) {
        var sum:Fraction = new Fraction(i - 3, i + 1);
        for (k in 1..6) sum = sum + new Fraction(1, k) * new Fraction(k + i, 2);
        return sum;
    }

    /** Escape times with a loop that is left early, and a switch. */
    static def escape(p:Place, w:Int, h:Int, to:GlobalRail[Byte]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h-1n)/8n) * 0n..((w-1n)/16n)) async
                clocked finish for ([ty, tx] in 0n..7n * 0n..15n) clocked async {
                    val x = bx * 16n + tx, y = by * 8n + ty;
                    if (x < w && y < h) to(y * w + x) = color(steps(-2.0 + 3.0 * x / w, -1.5 + 3.0 * y / h));
                }
        }
    }
    @CUDA static def steps(re:Double, im:Double):Int {
        var a:Double = 0, b:Double = 0;
        for (var n:Int = 0n; n < 50n; n++) {
            val t = a * a - b * b + re;
            b = 2 * a * b + im;
            a = t;
            if (a * a + b * b > 4) return n;
        }
        return 50n;
    }
    @CUDA static def color(n:Int):Byte {
        switch (n % 5n) {
            case 0n: return 10y;
            case 1n: case 2n: return (20n + n) as Byte;
            case 3n: { var r:Byte = 0y; do { r = (r + 3y) as Byte; } while (r < 30y); return r; }
            default: return -1y;
        }
    }

    /** Ranks of pages over lists of links. */
    static def ranks(p:Place, n:Long, first:Rail[Int], links:Rail[Int], out:Rail[Int], rank:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        val blocks = ((n + 63) / 64) as Int;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async
                clocked finish for (thread in 0n..63n) clocked async {
                    val v = block * 64 + thread;
                    if (v < n) {
                        var sum:Float = 0;
                        var e:Int = first(v);
                        while (e < first(v + 1)) { val u = links(e++); sum += rank(u) / out(u); }
                        to(v) = 0.15f / n + 0.85f * sum;
                    }
                }
        }
    }

    static def fetch[T](from:GlobalRail[T], n:Long){T haszero} { val r = new Rail[T](n); finish Rail.asyncCopy(from, 0, r, 0, n); CUDAUtilities.deleteGlobalRail(from); return r; }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val random = new Random(5);
        val pairs = 5;
        val a = new Rail[Byte](pairs * WIDTH, (i:Long) => (i * i % 7 % 4) as Byte);
        val b = new Rail[Byte](pairs * WIDTH, (i:Long) => ((i * 5 + i / 3) % 4) as Byte);
        val best = CUDAUtilities.makeGlobalRail[Int](p, pairs);
        align(p, pairs, a, b, best);
        val bestHere = fetch(best, pairs);
        for (i in 0..(pairs - 1)) if (bestHere(i) != alignHere(a, b, i * WIDTH)) Console.OUT.println("align " + i + ": " + bestHere(i) + ", not " + alignHere(a, b, i * WIDTH));
        Console.OUT.println("align " + bestHere);

        val n = 19n, cells = (n * n * n) as Long;
        val start = new Rail[Double](cells, (i:Long) => ((i * 31) % 17) as Double);
        val from = CUDAUtilities.makeGlobalRail[Double](p, cells);
        val to = CUDAUtilities.makeGlobalRail[Double](p, cells);
        finish Rail.asyncCopy(start, 0, from, 0, cells);
        heat(p, n, from, to, 0.1);
        heat(p, n, to, from, 0.1);
        val warm = fetch(from, cells);
        CUDAUtilities.deleteGlobalRail(to);
        var x:Rail[Double] = start;
        for (turn in 1..2) {
            val y = new Rail[Double](x);
            for (k in 0..(cells - 1)) {
                val i = k % n, j = k / n % n, l = k / (n * n);
                if (i > 0 && j > 0 && l > 0 && i < n - 1 && j < n - 1 && l < n - 1)
                    y(k) = x(k) + 0.1 * (x(k-1) + x(k+1) + x(k-n) + x(k+n) + x(k-n*n) + x(k+n*n) - 6 * x(k));
            }
            x = y;
        }
        var off:Double = 0;
        for (k in 0..(cells - 1)) off = Math.max(off, Math.abs(x(k) - warm(k)));
        Console.OUT.println("heat " + (off < 1e-12));

        val systems = 300;
        val all = new Rail[Tridiagonal](systems * 12, (i:Long) => Tridiagonal(i % 12 == 0 ? 0f : 1f, 4f + i % 3, i % 12 == 11 ? 0f : -1f, (i % 10) as Float));
        val solution = CUDAUtilities.makeGlobalRail[Float](p, systems * 12);
        solve(p, systems, all, solution);
        val s = fetch(solution, systems * 12);
        var worst:Float = 0;
        for (i in 0..(s.size - 1)) {
            var left:Float = all(i).diagonal * s(i);
            if (i % 12 > 0) left += all(i).below * s(i - 1);
            if (i % 12 < 11) left += all(i).above * s(i + 1);
            worst = Math.max(worst, Math.abs(left - all(i).right));
        }
        Console.OUT.println("solve " + (worst < 1e-4f));

        val keys = new Rail[UInt](5000, (Long) => random.nextInt() as UInt);
        var same:Boolean = true;
        for (var shift:Int = 0n; shift < 32n; shift += 4n) {
            val counts = CUDAUtilities.makeGlobalRail[Int](p, 128);
            digits(p, keys, shift, counts);
            val c = fetch(counts, 128);
            for (d in 0..15) {
                var want:Long = 0;
                for (k in keys) if (((k >> shift) & 15un) as Long == d) want++;
                var got:Long = 0;
                for (block in 0..7) got += c(d * 8 + block);
                same &= want == got;
            }
        }
        Console.OUT.println("digits " + same);

        val f = CUDAUtilities.makeGlobalRail[Fraction](p, 40);
        fractions(p, 40, f);
        val fs = fetch(f, 40);
        var wrong:Long = 0;
        for (i in 0..39) if (fs(i) != fractionHere(i)) wrong++;
        Console.OUT.println("fractions " + wrong + ", " + fs(7));

        val w = 53n, h = 29n;
        val colors = CUDAUtilities.makeGlobalRail[Byte](p, w * h);
        escape(p, w, h, colors);
        val cs = fetch(colors, w * h);
        wrong = 0;
        for (y in 0n..(h - 1n)) for (xx in 0n..(w - 1n)) if (cs(y * w + xx) != color(steps(-2.0 + 3.0 * xx / w, -1.5 + 3.0 * y / h))) wrong++;
        Console.OUT.println("escape " + wrong);

        val pages = 200;
        val first = new Rail[Int](pages + 1, (i:Long) => (i * 3) as Int);
        val links = new Rail[Int](pages * 3, (i:Long) => ((i * 37 + i / 5) % pages) as Int);
        val out = new Rail[Int](pages);
        for (l in links) out(l)++;
        val r0 = CUDAUtilities.makeGlobalRail[Float](p, pages), r1 = CUDAUtilities.makeGlobalRail[Float](p, pages);
        var r:Rail[Float] = new Rail[Float](pages, 1.0f / pages);
        finish Rail.asyncCopy(r, 0, r0, 0, pages);
        for (i in 1..10) {
            ranks(p, pages, first, links, out, i % 2 == 1 ? r0 : r1, i % 2 == 1 ? r1 : r0);
            val q = new Rail[Float](pages);
            for (v in 0..(pages - 1)) {
                var sum:Float = 0;
                for (e in first(v)..(first(v + 1) - 1n)) sum += r(links(e)) / out(links(e));
                q(v) = 0.15f / pages + 0.85f * sum;
            }
            r = q;
        }
        val ranked = fetch(r0, pages);
        CUDAUtilities.deleteGlobalRail(r1);
        var d:Float = 0;
        for (v in 0..(pages - 1)) d = Math.max(d, Math.abs(r(v) - ranked(v)));
        Console.OUT.println("ranks " + (d < 1e-6f));
    }
}
