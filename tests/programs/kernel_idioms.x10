import x10.compiler.CUDA;
import x10.util.CUDAAtomic;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/** Idioms of warps and blocks: specialised warps, persistent ones that fetch work, one atomic for all, buffers that are swapped by name, variables that take what a warp or block says of them. */
public class kernel_idioms {
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
    /** The first warp loads, the others compute, the first adds up. */
    static def specialised(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 4);
        finish async at (p) @CUDA {
            finish for (b in 0n..3n) async {
                val buf = new Rail[Int](2 * 32), sums = new Rail[Int](4);
                clocked finish for (t in 0n..127n) clocked async {
                    val w = t / 32n, lane = t % 32n;
                    var acc:Int = 0n;
                    for (k in 0n..3n) {
                        if (w == 0n) buf((k & 1n) * 32n + lane) = b * 1000n + k * 32n + lane;
                        Clock.advanceAll();
                        if (w != 0n) acc += buf((k & 1n) * 32n + (lane + w) % 32n) * w;
                    }
                    if (w != 0n) {
                        for (var d:Int = 16n; d > 0n; d >>= 1) acc += CUDAWarp.shuffleDown(acc, d);
                        if (lane == 0n) sums(w) = acc;
                    } else if (lane == 0n) sums(0) = -1n;
                    Clock.advanceAll();
                    if (w == 0n) {
                        var v:Int = lane < 4n ? sums(lane) : 0n;
                        for (var d:Int = 2n; d > 0n; d >>= 1) v += CUDAWarp.shuffleXor(v, d);
                        if (lane == 0n) out(b) = v;
                    }
                }
            }
        }
        say("specialised", same(fetch(out), new Rail[Int](4, (b:Long) => {
            var all:Int = -1n;
            for (w in 1n..3n) for (k in 0n..3n) for (lane in 0n..31n) all += (b as Int * 1000n + k * 32n + lane) * w;
            return all;
        })));
        CUDAUtilities.deleteGlobalRail(out);
    }
    /** Warps fetch work until there is none. */
    static def worklist(p:Place, n:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, n), head = CUDAUtilities.makeGlobalRail[Int](p, 1), turns = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..1n) async clocked finish for (t in 0n..63n) clocked async {
                while (true) {
                    var first:Int = 0n;
                    if (CUDAWarp.lane() == 0n) first = CUDAAtomic.add(head, 0, 32n);
                    first = CUDAWarp.shuffle(first, 0n);
                    if (first >= n) break;
                    val i = first + CUDAWarp.lane();
                    if (i < n) out(i) = i * i;
                    val many = CUDAWarp.ballot(i < n).bitCount();
                    if (CUDAWarp.lane() == 0n) CUDAAtomic.add(turns, 0, many);
                }
            }
        }
        say("worklist", same(fetch(out), new Rail[Int](n, (i:Long) => (i * i) as Int)) && fetch(turns)(0) == n);
        for (r in [out, head, turns]) CUDAUtilities.deleteGlobalRail(r);
    }
    /** One atomic for all of a warp that keep something. */
    static def aggregated(p:Place, n:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, n, -1n), count = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..((n + 63n) / 64n - 1n)) async clocked finish for (t in 0n..63n) clocked async {
                val i = b * 64n + t;
                val keep = i < n && i % 7n == 3n;
                val mask = CUDAWarp.ballot(keep);
                val leader = mask.numberOfTrailingZeros();
                var base:Int = 0n;
                if (CUDAWarp.lane() == leader) base = CUDAAtomic.add(count, 0, mask.bitCount());
                base = CUDAWarp.shuffle(base, leader);
                if (keep) out(base + (mask & ((1n << CUDAWarp.lane()) - 1n)).bitCount()) = i;
            }
        }
        val r = fetch(out);
        val seen = new Rail[Int](n);
        for (x in r) if (x >= 0n) seen(x)++;
        say("aggregated", same(seen, new Rail[Int](n, (i:Long) => i % 7 == 3 ? 1n : 0n)) && fetch(count)(0) == (n - 4n) / 7n + 1n);
        CUDAUtilities.deleteGlobalRail(out); CUDAUtilities.deleteGlobalRail(count);
    }
    /** Two shared buffers that are swapped by name; iterations until the block has settled, by a variable that takes what the block says. */
    static def settled(p:Place, n:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 3 * n), turns = CUDAUtilities.makeGlobalRail[Int](p, 3);
        finish async at (p) @CUDA {
            finish for (b in 0n..2n) async {
                val s0 = new Rail[Int](n), s1 = new Rail[Int](n);
                clocked finish for (t in 0n..(n - 1n)) clocked async {
                    var from:Rail[Int] = s0;
                    var to:Rail[Int] = s1;
                    from(t) = (t * 37n + b * 11n) % 101n;
                    Clock.advanceAll();
                    var k:Int = 0n;
                    while (true) {
                        val most = Math.max(from(t), Math.max(from(Math.max(t - 1n, 0n)), from(Math.min(t + 1n, n - 1n))));
                        to(t) = most;
                        var changed:Int = most == from(t) ? 0n : 1n;
                        changed = CUDABlock.max(changed);
                        val swap = from; from = to; to = swap;
                        if (changed == 0n) break;
                        k++;
                    }
                    out(b * n + t) = from(t);
                    if (t == 0n) turns(b) = k;
                }
            }
        }
        val w = new Rail[Int](3 * n), wt = new Rail[Int](3);
        for (b in 0n..2n) {
            var x:Rail[Int] = new Rail[Int](n, (t:Long) => ((t * 37 + b * 11) % 101) as Int);
            while (true) {
                val o = x;
                x = new Rail[Int](n, (t:Long) => Math.max(o(t), Math.max(o(Math.max(t - 1, 0)), o(Math.min(t + 1, n - 1)))));
                var changed:Boolean = false;
                for (t in x.range()) changed |= x(t) != o(t);
                if (!changed) break;
                wt(b)++;
            }
            for (t in 0..(n - 1)) w(b * n + t) = x(t);
        }
        say("settled", same(fetch(out), w) && same(fetch(turns), wt));
        CUDAUtilities.deleteGlobalRail(out); CUDAUtilities.deleteGlobalRail(turns);
    }
    /** The direction of a step is chosen among captured rails. */
    static def chosen(p:Place, n:Int) {
        val a = CUDAUtilities.makeGlobalRail[Long](p, n, (i:Long) => i), b = CUDAUtilities.makeGlobalRail[Long](p, n);
        for (step in 0n..4n) {
            finish async at (p) @CUDA {
                finish for (bl in 0n..((n + 31n) / 32n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                    val from = step % 2n == 0n ? a : b, to = step % 2n == 0n ? b : a;
                    val i = bl * 32n + t;
                    if (i < n) to(i) = from((i + step + 1n) % n) * 3 + step;
                }
            }
        }
        var x:Rail[Long] = new Rail[Long](n, (i:Long) => i);
        for (step in 0..4) { val o = x; x = new Rail[Long](n, (i:Long) => o((i + step + 1) % n) * 3 + step); }
        say("chosen", same(fetch(b), x));
        CUDAUtilities.deleteGlobalRail(a); CUDAUtilities.deleteGlobalRail(b);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        specialised(p); worklist(p, 1001n); aggregated(p, 500n); settled(p, 77n); chosen(p, 203n);
    }
}
