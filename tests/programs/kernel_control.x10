import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.compiler.Unroll;
import x10.util.*;

/** Ways through kernels that are taken by all threads or by some: switches, labelled loops, votes, loops over a grid; and types of all sizes. */
public class kernel_control {
    static def fetch[T](g:GlobalRail[T]){T haszero}:Rail[T] {
        val r = new Rail[T](g.size);
        finish Rail.asyncCopy(g, 0, r, 0, g.size);
        return r;
    }
    static def say(name:String, ok:Boolean) { Console.OUT.println(name + (ok ? ": ok" : ": WRONG")); }
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        if (a.size != b.size) return false;
        for (i in a.range) if (!a(i).equals(b(i))) { Console.OUT.println("  at " + i + ": " + a(i) + " not " + b(i)); return false; }
        return true;
    }

    /** Lanes and warps of threads that do not start at 0, negative numbers divided. */
    static def lanes(p:Place) {
        val o = CUDAUtilities.makeGlobalRail[Int](p, 4 * 96);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](96);
                clocked finish for (t in 0n..95n) clocked async {
                    val shifted = t - 40n;
                    val a = shifted / 32n, b = shifted % 32n, c = shifted / 4n * 4n, wide = (t as Long) * 3 - 100;
                    val d = wide / 8, e = wide % 16;
                    s(t) = a * 1000n + b;
                    Clock.advanceAll();
                    o(t) = s(95n - t);
                    o(96n + t) = a * 1000n + b;
                    o(192n + t) = c;
                    o(288n + t) = (d * 100 + e) as Int;
                }
            }
        }
        val want = new Rail[Int](4 * 96);
        for (t in 0n..95n) {
            val f = (u:Int) => ((u - 40n) / 32n) * 1000n + (u - 40n) % 32n;
            want(t) = f(95n - t); want(96n + t) = f(t); want(192n + t) = (t - 40n) / 4n * 4n;
            val wide = (t as Long) * 3 - 100;
            want(288n + t) = ((wide / 8) * 100 + wide % 16) as Int;
        }
        say("lanes", same(fetch(o), want));
        CUDAUtilities.deleteGlobalRail(o);
    }

    /** Loops over a grid: several rails, offsets, long counters, inclusive ends, little work, ends before the first iteration. */
    static def grids(p:Place, n:Long, blocks:Int) {
        val a = CUDAUtilities.makeGlobalRail[Double](p, 3 * n + 1, (i:Long) => i as Double);
        val b = CUDAUtilities.makeGlobalRail[Byte](p, n + 1, (i:Long) => (i % 100) as Byte);
        val o = CUDAUtilities.makeGlobalRail[Double](p, n + 1);
        val far = 2 * n;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (t in 0n..99n) clocked async {
                    for (var i:Long = block * 100 + t; i <= n; i += blocks * 100) {
                        if (b(i) == 13y) continue;
                        o(i) = a(i) + a(i + n) * 2.0 + a(far + i) - b(i);
                    }
                }
            }
        }
        val want = new Rail[Double](n + 1, (i:Long) => i % 100 == 13 ? 0.0 : i + (i + n) * 2.0 + (2 * n + i) - (i % 100));
        say("grids of " + n + " by " + blocks, same(fetch(o), want));
        CUDAUtilities.deleteGlobalRail(a); CUDAUtilities.deleteGlobalRail(b); CUDAUtilities.deleteGlobalRail(o);
    }

    /** All threads go through a switch and labelled loops with barriers. */
    static def control(p:Place) {
        val o = CUDAUtilities.makeGlobalRail[Int](p, 128);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                val s = new Rail[Int](64, 1n);
                clocked finish for (t in 0n..63n) clocked async {
                    var x:Int = t;
                    outer: for (var round:Int = 0n; round < 6n; round++) {
                        for (var k:Int = 0n; k < 3n; k++) {
                            switch ((round + block) % 3n) {
                                case 0n: s(t) = x; Clock.advanceAll(); x += s((t + 1n) % 64n); Clock.advanceAll(); break;
                                case 1n: if (k == 1n) continue outer; x ^= 5n; break;
                                default: s(63n - t) = x; Clock.advanceAll(); x -= s(t) / 2n; Clock.advanceAll();
                            }
                            if (round == 4n && k == 1n) break outer;
                        }
                    }
                    o(block * 64n + t) = x;
                }
            }
        }
        val want = new Rail[Int](128);
        for (block in 0n..1n) {
            val x = new Rail[Int](64, (i:Long) => i as Int), s = new Rail[Int](64, 1n);
            outer: for (var round:Int = 0n; round < 6n; round++) {
                for (var k:Int = 0n; k < 3n; k++) {
                    val c = (round + block) % 3n;
                    if (c == 0n) { for (t in 0..63) s(t) = x(t); for (t in 0..63) x(t) += s((t + 1) % 64); }
                    else if (c == 1n) { if (k == 1n) continue outer; for (t in 0..63) x(t) ^= 5n; }
                    else { for (t in 0..63) s(63 - t) = x(t); for (t in 0..63) x(t) -= s(t) / 2n; }
                    if (round == 4n && k == 1n) break outer;
                }
            }
            for (t in 0..63) want(block * 64 + t) = x(t);
        }
        say("control", same(fetch(o), want));
        CUDAUtilities.deleteGlobalRail(o);
    }

    static struct Pair(key:Short, weight:Float) { }
    /** Small types, characters, structs in shared memory, rails of structs on the stack. */
    static def types(p:Place) {
        val n = 256n;
        val c = CUDAUtilities.makeGlobalRail[Char](p, n, (i:Long) => Char.chr('a'.ord() + (i % 26) as Int));
        val h = CUDAUtilities.makeGlobalRail[Short](p, n), flags = CUDAUtilities.makeGlobalRail[Boolean](p, n), o = CUDAUtilities.makeGlobalRail[Float](p, n), u = CUDAUtilities.makeGlobalRail[UShort](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                val s = new Rail[Pair](64);
                val on = new Rail[Boolean](64, true);
                clocked finish for (t in 0n..63n) clocked async {
                    @StackAllocate val mine = new Rail[Pair](3);
                    val i = block * 64n + t;
                    s(t) = Pair((c(i).ord() * 1000n) as Short, t as Float / 3.0f);
                    on(t) = c(i) < 'm';
                    Clock.advanceAll();
                    for (k in 0n..2n) mine(k) = s((t + k) % 64n);
                    var best:Pair = mine(0);
                    for (k in 1n..2n) if (mine(k).key > best.key) best = mine(k);
                    h(i) = best.key; o(i) = best.weight; flags(i) = on((t + 1n) % 64n) ^ on(t);
                    u(i) = ((best.key as UInt) * 7un) as UShort;
                }
            }
        }
        val rh = fetch(h), ro = fetch(o), rf = fetch(flags), ru = fetch(u);
        var ok:Boolean = true;
        for (i in 0..(n - 1)) {
            val base = i / 64 * 64;
            var best:Long = 0; var key:Short = 0s;
            for (k in 0..2) { val j = base + (i + k) % 64; val kk = (('a'.ord() + (j % 26) as Int) * 1000n) as Short; if (k == 0 || kk > key) { key = kk; best = j % 64; } }
            val next = base + (i + 1) % 64;
            ok &= rh(i) == key && ro(i) == best as Float / 3.0f && rf(i) == ((i % 26 < 12) ^ (next % 26 < 12)) && ru(i) == ((key as UInt) * 7un) as UShort;
        }
        say("types", ok);
        CUDAUtilities.deleteGlobalRail(c); CUDAUtilities.deleteGlobalRail(h); CUDAUtilities.deleteGlobalRail(flags); CUDAUtilities.deleteGlobalRail(o); CUDAUtilities.deleteGlobalRail(u);
    }

    /** A barrier in a loop whose end the block decides; threads that end early. */
    static def decided(p:Place) {
        val o = CUDAUtilities.makeGlobalRail[Int](p, 3 * 96);
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                val s = new Rail[Int](96);
                clocked finish for (t in 0n..95n) clocked async {
                    var x:Int = (t * 37n + block * 11n) % 64n, rounds:Int = 0n;
                    while (CUDABlock.any(x > 0n)) {
                        s(t) = x;
                        Clock.advanceAll();
                        x = Math.max(0n, Math.min(x, s((t + 1n) % 96n) + 1n) - 1n);
                        rounds++;
                        Clock.advanceAll();
                    }
                    o(block * 96n + t) = rounds * 100n + x;
                }
            }
        }
        val want = new Rail[Int](3 * 96);
        for (block in 0..2) {
            val x = new Rail[Int](96, (t:Long) => ((t * 37 + block * 11) % 64) as Int);
            var rounds:Int = 0n;
            while (RailUtils.reduce(x, (a:Int, b:Int) => Math.max(a, b), 0n) > 0n) {
                val s = new Rail[Int](x);
                for (t in 0..95) x(t) = Math.max(0n, Math.min(s(t), s((t + 1) % 96) + 1n) - 1n);
                rounds++;
            }
            for (t in 0..95) want(block * 96 + t) = rounds * 100n;
        }
        say("decided by the block", same(fetch(o), want));
        CUDAUtilities.deleteGlobalRail(o);
    }

    /** Edit distance by anti-diagonals, two rails of a size known at launch that change roles. */
    static def edits(p:Place) {
        val a = "kitten sits on the mat in the kitchen", b = "sitting kittens eat in the kitchen of mats";
        val x = new Rail[Byte](a.length(), (i:Long) => a.charAt(i as Int).ord() as Byte), y = new Rail[Byte](b.length(), (i:Long) => b.charAt(i as Int).ord() as Byte);
        val m = a.length(), n = b.length();
        val o = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val d = new Rail[Int](3 * (m + 1));
                clocked finish for (t in 0n..63n) clocked async {
                    for (var diagonal:Int = 0n; diagonal <= m + n; diagonal++) {
                        val now = diagonal % 3n * (m + 1n), last = (diagonal + 2n) % 3n * (m + 1n), before = (diagonal + 1n) % 3n * (m + 1n);
                        val i = t, j = diagonal - t;
                        if (i <= m && j >= 0n && j <= n) {
                            if (i == 0n) d(now) = j;
                            else if (j == 0n) d(now + i) = i;
                            else d(now + i) = Math.min(Math.min(d(last + i - 1n), d(last + i)) + 1n, d(before + i - 1n) + (x(i - 1n) == y(j - 1n) ? 0n : 1n));
                        }
                        Clock.advanceAll();
                    }
                    if (t == 0n) o(0) = d((m + n) % 3n * (m + 1n) + m);
                }
            }
        }
        var row:Rail[Int] = new Rail[Int](n + 1, (j:Long) => j as Int);
        for (i in 1n..m) {
            val next = new Rail[Int](n + 1); next(0) = i;
            for (j in 1n..n) next(j) = Math.min(Math.min(next(j - 1n), row(j)) + 1n, row(j - 1n) + (x(i - 1n) == y(j - 1n) ? 0n : 1n));
            row = next;
        }
        say("edits", fetch(o)(0) == row(n));
        CUDAUtilities.deleteGlobalRail(o);
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        lanes(p); grids(p, 20000, 8n); grids(p, 150, 2n); grids(p, 99, 7n); grids(p, 200000, 50n); control(p); types(p); decided(p); edits(p);
    }
}
