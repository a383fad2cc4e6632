import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;
import x10.util.CUDAGrid;
/**
 * A row of a sparse matrix for each warp of a grid; and one loop with barriers, in which warps go several ways between them, with rails of
 * their own threads. Each beside the same computed in order.
 */
public class kernel_warp_rows {
    @CUDA static def first(x:Int):Int {
        var v:Int = x;
        if (CUDAWarp.index() == 0n) v = CUDAWarp.sum(v); else if (CUDAWarp.index() == 2n) v -= CUDAWarp.max(v);
        return v;
    }
    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        sparse(p);
        ways(p);
    }

    /** Sums of the rows of a sparse matrix. */
    static def sparse(p:Place) {
        val rows = 100;
        val starts = new Rail[Int](rows + 1);
        for (i in 0..(rows-1)) starts(i + 1) = starts(i) + ((i * 37) % 83) as Int;
        val total = starts(rows) as Long;
        val values = new Rail[Int](total, (i:Long)=> ((i * 31) % 101) as Int);
        val sums = CUDAUtilities.makeGlobalRail[Int](p, rows);
        val gs = CUDAUtilities.makeGlobalRail[Int](p, rows + 1, starts);
        val gv = CUDAUtilities.makeGlobalRail[Int](p, total, values);
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (t in 0n..127n) clocked async {
                    val lane = t % 32n;
                    for (var row:Long = CUDAGrid.index() / 32; row < rows; row += CUDAGrid.size() / 32) {
                        var s:Int = 0n;
                        for (var j:Int = gs(row) + lane; j < gs(row + 1); j += 32n) s += gv(j);
                        s = CUDAWarp.sum(s);
                        if (lane == 0n) sums(row) = s;
                    }
                }
            }
        }
        val back = new Rail[Int](rows);
        finish Rail.asyncCopy(sums, 0, back, 0, rows);
        for (i in 0..(rows-1)) {
            var s:Int = 0n;
            for (var j:Int = starts(i); j < starts(i + 1); j++) s += values(j);
            if (s != back(i)) { Console.OUT.println("row " + i + " WRONG " + back(i) + " for " + s); break; }
        }
        CUDAUtilities.deleteGlobalRail(sums);
        CUDAUtilities.deleteGlobalRail(gs);
        CUDAUtilities.deleteGlobalRail(gv);
        Console.OUT.println("rows done");
    }

    /** Warps that go several ways between barriers. */
    static def ways(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 128);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val shared = new Rail[Int](128, 1n);
                clocked finish for (t in 0n..127n) clocked async {
                    val w = t / 32n;
                    @StackAllocate val own = @StackAllocate new Rail[Int](4);
                    for (var i:Int = 0n; i < 4n; ++i) own(i) = t * i;
                    var flag:Int = 5n;
                    var turns:Int = 0n;
                    for (var k:Int = 0n; k < 3n; ++k) {
                        flag = 5n + k;
                        Clock.advanceAll();
                        val a = w == 1n ? CUDAWarp.sum(own(k)) : own(k + 1n);
                        if (w < 2n && CUDAWarp.any(shared(t) > k)) {
                            flag = 7n;
                            own(k) += CUDAWarp.shuffleXor(own(k + 1n), 1n);
                            turns++;
                            for (var i:Int = 0n; i < 3n; ++i) { flag += i; own(i) = CUDAWarp.shuffleUp(own(i), i + 1n) + flag; }
                        }
                        shared(t) += first(a) + flag % 3n;
                        Clock.advanceAll();
                        if (w == 3n) continue;
                        var z:Int = k;
                        if (w == 2n) { z = 9n; z += CUDAWarp.sum(z); }
                        shared(t) += z + turns;
                    }
                    Clock.advanceAll();
                    out(t) = shared(127n - t) + own(0) + 3n * own(1) + 7n * own(2) + flag;
                }
            }
        }
        val o = new Rail[Int](128);
        finish Rail.asyncCopy(out, 0, o, 0, 128);
        CUDAUtilities.deleteGlobalRail(out);
        val own = new Rail[Rail[Int]](128, (t:Long)=> new Rail[Int](4, (i:Long)=> (t * i) as Int));
        val sh = new Rail[Int](128, 1n);
        val flag = new Rail[Int](128, 5n);
        val turns = new Rail[Int](128);
        for (k in 0n..2n) {
            val a = new Rail[Int](128);
            for (w in 0..3) {
                val base = w * 32;
                for (l in 0..31) flag(base + l) = 5n + k;
                var s:Int = 0n;
                for (l in 0..31) s += own(base + l)(k);
                for (l in 0..31) a(base + l) = w == 1 ? s : own(base + l)(k + 1n);
                var any:Boolean = false;
                for (l in 0..31) any |= sh(base + l) > k;
                if (w < 2 && any) {
                    val before = new Rail[Int](32, (l:Long)=> own(base + l)(k + 1n));
                    for (l in 0..31) { own(base + l)(k) += before(l ^ 1); flag(base + l) = 7n; turns(base + l)++; }
                    for (i in 0n..2n) {
                        val prev = new Rail[Int](32, (l:Long)=> own(base + l)(i));
                        for (l in 0..31) { flag(base + l) += i; own(base + l)(i) = (l > i ? prev(l - i - 1) : prev(l)) + flag(base + l); }
                    }
                }
                var sum:Int = 0n; var most:Int = a(base);
                for (l in 0..31) { sum += a(base + l); most = Math.max(most, a(base + l)); }
                for (l in 0..31) sh(base + l) += (w == 0 ? sum : w == 2 ? a(base + l) - most : a(base + l)) + flag(base + l) % 3n;
                if (w != 3) for (l in 0..31) sh(base + l) += (w == 2 ? 9n + 9n * 32n : k) + turns(base + l);
            }
        }
        for (t in 0..127) {
            val wanted = sh(127 - t) + own(t)(0) + 3n * own(t)(1) + 7n * own(t)(2) + flag(t);
            if (o(t) != wanted) { Console.OUT.println("thread " + t + " WRONG " + o(t) + " for " + wanted); break; }
        }
        Console.OUT.println("ways done");
    }
}
