import x10.compiler.CUDA;
import x10.util.CUDAAtomic;
import x10.util.CUDABlock;
import x10.util.CUDAGrid;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/** Sums in the styles of the well-known sample, from interleaved addresses to grid-stride loops with shuffles; extremes with their places, moments, several at once, Kahan's, logical ones, counts of keys. */
public class kernel_sums {
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
    static T = 128n;
    @CUDA static def last32(s:Rail[Int], t:Int) {
        // what once was done without barriers in the last warp
        for (var d:Int = 32n; d > 0n; d >>= 1) { val x = s(t) + s(t + d); Clock.advanceAll(); if (t < 32n) s(t) = x; Clock.advanceAll(); }
    }
    static def sums(p:Place, n:Int) {
        val data = new Rail[Int](n, (i:Long) => ((i * 7919) % 1001) as Int - 400n);
        var want:Int = 0n;
        for (x in data) want += x;
        val g = CUDAUtilities.makeGlobalRail[Int](p, n, data);
        val blocks = (n + T - 1n) / T, half = (n + 2n * T - 1n) / (2n * T);
        for (style in 0n..5n) {
            val parts = CUDAUtilities.makeGlobalRail[Int](p, style < 3n ? blocks : half);
            switch (style) {
                case 0n:
                    finish async at (p) @CUDA {
                        finish for (b in 0n..(blocks - 1n)) async {
                            val s = new Rail[Int](T);
                            clocked finish for (t in 0n..(T - 1n)) clocked async {
                                val i = b * T + t;
                                s(t) = i < n ? g(i) : 0n;
                                Clock.advanceAll();
                                for (var d:Int = 1n; d < T; d *= 2n) { if (t % (2n * d) == 0n) s(t) += s(t + d); Clock.advanceAll(); }
                                if (t == 0n) parts(b) = s(0);
                            }
                        }
                    }
                    break;
                case 1n:
                    finish async at (p) @CUDA {
                        finish for (b in 0n..(blocks - 1n)) async {
                            val s = new Rail[Int](T);
                            clocked finish for (t in 0n..(T - 1n)) clocked async {
                                val i = b * T + t;
                                s(t) = i < n ? g(i) : 0n;
                                Clock.advanceAll();
                                for (var d:Int = 1n; d < T; d *= 2n) { val k = 2n * d * t; if (k < T) s(k) += s(k + d); Clock.advanceAll(); }
                                if (t == 0n) parts(b) = s(0);
                            }
                        }
                    }
                    break;
                case 2n:
                    finish async at (p) @CUDA {
                        finish for (b in 0n..(blocks - 1n)) async {
                            val s = new Rail[Int](T);
                            clocked finish for (t in 0n..(T - 1n)) clocked async {
                                val i = b * T + t;
                                s(t) = i < n ? g(i) : 0n;
                                Clock.advanceAll();
                                for (var d:Int = T / 2n; d > 0n; d >>= 1) { if (t < d) s(t) += s(t + d); Clock.advanceAll(); }
                                if (t == 0n) parts(b) = s(0);
                            }
                        }
                    }
                    break;
                case 3n:
                    finish async at (p) @CUDA {
                        finish for (b in 0n..(half - 1n)) async {
                            val s = new Rail[Int](T);
                            clocked finish for (t in 0n..(T - 1n)) clocked async {
                                val i = b * 2n * T + t;
                                var mine:Int = i < n ? g(i) : 0n;
                                if (i + T < n) mine += g(i + T);
                                s(t) = mine;
                                Clock.advanceAll();
                                for (var d:Int = T / 2n; d > 32n; d >>= 1) { if (t < d) s(t) = mine = mine + s(t + d); Clock.advanceAll(); }
                                last32(s, Math.min(t, 63n));
                                if (t == 0n) parts(b) = s(0);
                            }
                        }
                    }
                    break;
                case 4n:
                    finish async at (p) @CUDA {
                        finish for (b in 0n..(half - 1n)) async {
                            val s = new Rail[Int](32, 0n);
                            clocked finish for (t in 0n..(T - 1n)) clocked async {
                                var mine:Int = 0n;
                                for (var i:Int = b * T + t; i < n; i += half * T) mine += g(i);
                                for (var d:Int = 16n; d > 0n; d /= 2n) mine += CUDAWarp.shuffleDown(mine, d);
                                if (CUDAWarp.lane() == 0n) s(CUDAWarp.index()) = mine;
                                Clock.advanceAll();
                                if (CUDAWarp.index() == 0n) {
                                    mine = t < T / 32n ? s(t) : 0n;
                                    for (var d:Int = 16n; d > 0n; d /= 2n) mine += CUDAWarp.shuffleDown(mine, d);
                                    if (t == 0n) parts(b) = mine;
                                }
                            }
                        }
                    }
                    break;
                default:
                    finish async at (p) @CUDA {
                        finish for (b in 0n..(half - 1n)) async clocked finish for (t in 0n..(T - 1n)) clocked async {
                            var mine:Int = 0n;
                            for (var i:Long = CUDAGrid.index(); i < n; i += CUDAGrid.size()) mine += g(i);
                            mine = CUDABlock.sum(mine);
                            if (CUDABlock.rank() == 0n) parts(b) = mine;
                        }
                    }
            }
            var got:Int = 0n;
            for (x in fetch(parts)) got += x;
            if (got != want) Console.OUT.println(got + " for " + want);
            say("sum " + style + " of " + n, got == want);
            CUDAUtilities.deleteGlobalRail(parts);
        }
        CUDAUtilities.deleteGlobalRail(g);
    }
    static struct Best(value:Float, at1:Int) { @CUDA def or(o:Best):Best = o.value > value || o.value == value && o.at1 < at1 ? o : this; }
    static struct Moments(n:Int, mean:Double, m2:Double, least:Double, most:Double) {
        @CUDA operator this + (o:Moments):Moments {
            if (n == 0n) return o;
            if (o.n == 0n) return this;
            val all = n + o.n, d = o.mean - mean;
            return Moments(all, mean + d * o.n / all, m2 + o.m2 + d * d * n * o.n / all, Math.min(least, o.least), Math.max(most, o.most));
        }
    }
    static def structs(p:Place, n:Int) {
        val x = new Rail[Float](n, (i:Long) => ((i * 7919) % 997) * 0.5f);
        val best = CUDAUtilities.makeGlobalRail[Best](p, 3), moments = CUDAUtilities.makeGlobalRail[Moments](p, 3);
        finish async at (p) @CUDA {
            finish for (b in 0n..2n) async {
                val sb = new Rail[Best](64), sm = new Rail[Moments](2);
                clocked finish for (t in 0n..63n) clocked async {
                    var mine:Best = Best(Float.NEGATIVE_INFINITY, Int.MAX_VALUE);
                    var m:Moments = Moments(0n, 0.0, 0.0, 0.0, 0.0);
                    for (var i:Int = b * 64n + t; i < n; i += 192n) { mine = mine.or(Best(x(i), i)); m = m + Moments(1n, x(i), 0.0, x(i), x(i)); }
                    sb(t) = mine;
                    for (var d:Int = 1n; d < 32n; d <<= 1) m = m + CUDAWarp.shuffleXor(m, d);
                    if (CUDAWarp.lane() == 0n) sm(CUDAWarp.index()) = m;
                    Clock.advanceAll();
                    for (var d:Int = 32n; d >= 1n; d >>= 1) {
                        if (t < d) sb(t) = sb(t).or(sb(t + d));
                        Clock.advanceAll();
                    }
                    if (t == 0n) { best(b) = sb(0); moments(b) = sm(0) + sm(1); }
                }
            }
        }
        val rb = fetch(best), rm = fetch(moments);
        val b = rb(0).or(rb(1)).or(rb(2)), m = rm(0) + rm(1) + rm(2);
        var w:Best = Best(-1.0f, 0n); var mean:Double = 0.0; var m2:Double = 0.0;
        for (i in 0n..(n - 1n)) { w = w.or(Best(x(i), i)); mean += (x(i) as Double) / n; }
        for (v in x) m2 += (v - mean) * (v - mean);
        say("best of " + n, b == w);
        say("moments of " + n, m.n == n && Math.abs(m.mean - mean) < 1e-8 && Math.abs(m.m2 - m2) < 1e-7 * (1.0 + m2) && m.most == w.value as Double);
        CUDAUtilities.deleteGlobalRail(best); CUDAUtilities.deleteGlobalRail(moments);
    }
    /** Extremes, bits and logic in one launch by atomics and votes; floats by their bits. */
    static def atomics(p:Place, n:Int) {
        val x = new Rail[Int](n, (i:Long) => ((i * 7919) % 10007 - 5000) as Int);
        val r = CUDAUtilities.makeGlobalRail[Int](p, 6, (i:Long) => i == 0 ? Int.MAX_VALUE : i == 1 ? Int.MIN_VALUE : i == 2 ? -1n : 0n);
        val f = CUDAUtilities.makeGlobalRail[Float](p, 2, (i:Long) => i == 0 ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY);
        val u = CUDAUtilities.makeGlobalRail[ULong](p, 2), d = CUDAUtilities.makeGlobalRail[Double](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..((n + 95n) / 96n - 1n)) async clocked finish for (t in 0n..95n) clocked async {
                val i = b * 96n + t;
                val on = i < n;
                val v = on ? x(i) : 0n;
                if (on) { CUDAAtomic.min(r, 0, v); CUDAAtomic.max(r, 1, v); CUDAAtomic.and(r, 2, v | 0x7n); CUDAAtomic.or(r, 3, v & 0xff0n); CUDAAtomic.xor(r, 4, v); }
                if (CUDABlock.any(on && v > 4900n) && t == 0n) CUDAAtomic.add(r, 5, 1n);
                if (on) { CUDAAtomic.min(f, 0, v * 0.25f); CUDAAtomic.max(f, 1, v * 0.25f); CUDAAtomic.add(u, 0, (v as ULong) & 0xFFFFFFFFFul); CUDAAtomic.max(u, 1, (v as ULong) >> 1n); CUDAAtomic.add(d, 0, v * 0.5); }
            }
        }
        val w = new Rail[Int](6, (i:Long) => i == 0 ? Int.MAX_VALUE : i == 1 ? Int.MIN_VALUE : i == 2 ? -1n : 0n);
        var sum:ULong = 0ul; var top:ULong = 0ul; var half:Double = 0.0;
        for (v in x) { w(0) = Math.min(w(0), v); w(1) = Math.max(w(1), v); w(2) &= v | 7n; w(3) |= v & 0xff0n; w(4) ^= v; sum += (v as ULong) & 0xFFFFFFFFFul; top = Math.max(top, (v as ULong) >> 1n); half += v * 0.5; }
        for (b in 0..((n + 95) / 96 - 1)) { var any:Boolean = false; for (i in (b * 96)..Math.min(b * 96 + 95, n - 1)) any |= x(i) > 4900n; if (any) w(5)++; }
        val rf = fetch(f), ru = fetch(u);
        say("atomics", same(fetch(r), w) && rf(0) == w(0) * 0.25f && rf(1) == w(1) * 0.25f && ru(0) == sum && ru(1) == top && Math.abs(fetch(d)(0) - half) < 1e-6);
        CUDAUtilities.deleteGlobalRail(r); CUDAUtilities.deleteGlobalRail(f); CUDAUtilities.deleteGlobalRail(u); CUDAUtilities.deleteGlobalRail(d);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        sums(p, 1000n); sums(p, 5n); structs(p, 501n); structs(p, 3n); atomics(p, 1003n);
    }
}
