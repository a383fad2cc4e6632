import x10.compiler.CUDA;
import x10.util.CUDAAtomic;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;
import x10.util.concurrent.Fences;

/** What blocks tell each other in one launch: the last one adds up what all have stored, and sums go from block to block. */
public class kernel_fences {
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
    static def lastBlock(p:Place, n:Int, blocks:Int) {
        val data = CUDAUtilities.makeGlobalRail[Long](p, n, (i:Long) => i * i % 1009);
        val parts = CUDAUtilities.makeGlobalRail[Long](p, blocks), out = CUDAUtilities.makeGlobalRail[Long](p, 1);
        val finished = CUDAUtilities.makeGlobalRail[UInt](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..(blocks - 1n)) async {
                val last = new Rail[Boolean](1);
                clocked finish for (t in 0n..63n) clocked async {
                    var sum:Long = 0;
                    for (var i:Int = b * 64n + t; i < n; i += blocks * 64n) sum += data(i);
                    sum = CUDABlock.sum(sum);
                    if (t == 0n) {
                        parts(b) = sum;
                        Fences.storeStoreBarrier();
                        last(0) = CUDAAtomic.add(finished, 0, 1un) == (blocks - 1n) as UInt;
                        Fences.loadLoadBarrier();
                    }
                    Clock.advanceAll();
                    if (CUDABlock.any(last(0))) {
                        var all:Long = 0;
                        for (var i:Int = t; i < blocks; i += 64n) all += parts(i);
                        all = CUDABlock.sum(all);
                        if (t == 0n) { out(0) = all; finished(0) = 0un; }
                    }
                }
            }
        }
        var want:Long = 0;
        for (i in 0..(n - 1)) want += i as Long * i % 1009;
        say("last block of " + blocks, fetch(out)(0) == want && fetch(finished)(0) == 0un);
        for (r in [data, parts, out]) CUDAUtilities.deleteGlobalRail(r);
        CUDAUtilities.deleteGlobalRail(finished);
    }
    @CUDA static def publish(sums:GlobalRail[Int], flags:GlobalRail[Int], i:Int, value:Int) {
        sums(i) = value;
        Fences.storeStoreBarrier();
        CUDAAtomic.exchange(flags, i, 1n);
    }
    /** A scan in one pass: blocks take tickets, so that those before are on their way, and wait for the sum before theirs. */
    static def chained(p:Place, n:Int) {
        val T = 96n, blocks = (n + T - 1n) / T;
        val data = new Rail[Int](n, (i:Long) => ((i * 31) % 23) as Int - 5n);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n), sums = CUDAUtilities.makeGlobalRail[Int](p, blocks);
        val flags = CUDAUtilities.makeGlobalRail[Int](p, blocks), tickets = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..(blocks - 1n)) async {
                val mine = new Rail[Int](2);
                clocked finish for (t in 0n..(T - 1n)) clocked async {
                    if (t == 0n) mine(0) = CUDAAtomic.add(tickets, 0, 1n);
                    Clock.advanceAll();
                    val block = mine(0), i = block * T + t;
                    val x = i < n ? data(i) : 0n;
                    val before = CUDABlock.exclusiveSum(x);
                    if (t == T - 1n) {
                        var first:Int = 0n;
                        if (block > 0n) {
                            while (CUDAAtomic.add(flags, block - 1n, 0n) == 0n) { }
                            Fences.loadLoadBarrier();
                            first = sums(block - 1n);
                        }
                        publish(sums, flags, block, first + before + x);
                        mine(1) = first;
                    }
                    Clock.advanceAll();
                    if (i < n) out(i) = mine(1) + before + x;
                }
            }
        }
        val want = new Rail[Int](n);
        for (i in 0..(n - 1)) want(i) = data(i) + (i > 0 ? want(i - 1) : 0n);
        say("chained scan of " + n, same(fetch(out), want));
        for (r in [out, sums, flags, tickets]) CUDAUtilities.deleteGlobalRail(r);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        lastBlock(p, 10007n, 1n); lastBlock(p, 10007n, 37n); lastBlock(p, 501n, 200n);
        chained(p, 50n); chained(p, 1000n); chained(p, 20011n);
    }
}
