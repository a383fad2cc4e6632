import x10.compiler.CUDA;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/**
 * Warps of a block that go different ways, and shuffle on them; threads that each end an iteration early behind the last barrier of
 * a loop. Each beside the same computed in order.
 */
public class kernel_warp_branches {
    static val LANES = 32n;

    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }
    static def get(remote:GlobalRail[Int]):Rail[Int] {
        val rail = new Rail[Int](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        CUDAUtilities.deleteGlobalRail(remote);
        return rail;
    }
    static def same(name:String, found:Rail[Int], wanted:(Long)=>Int) {
        for (i in found.range()) if (found(i) != wanted(i)) {
            Console.OUT.println(name + " WRONG at " + i + ": " + found(i) + " for " + wanted(i));
            return;
        }
        Console.OUT.println(name + " ok");
    }

    @CUDA static def downwards(x:Int):Int {
        var v:Int = x;
        for (var d:Int = 16n; d > 0n; d >>= 1n) {
            val other = CUDAWarp.shuffleDown(v, d);
            v += CUDAWarp.lane() + d < LANES ? other : 0n;
        }
        return v;
    }

    /** The sum of a block, in the way of most kernels: warps first, then one warp over their sums. */
    static def sums(p:Place, threads:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 3 * threads);
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                val parts = new Rail[Int](32, 0n);
                clocked finish for (t in 0n..(threads - 1n)) clocked async {
                    val lane = t & 31n;
                    val warp = t / LANES;
                    var v:Int = t * (block + 1n);
                    v = CUDAWarp.sum(v);
                    if (lane == 0n) parts(warp) = v;
                    Clock.advanceAll();
                    if (t < 32n) {
                        val all = CUDAWarp.sum(threads >= 32n ? parts(lane) : lane == 0n ? parts(0) : 0n);
                        if (lane == 0n) parts(0) = all;
                    }
                    Clock.advanceAll();
                    out(block * threads + t) = parts(0);
                }
            }
        }
        same("sums " + threads, get(out), (k:Long)=> {
            val block = (k / threads) as Int;
            return threads * (threads - 1n) / 2n * (block + 1n);
        });
    }

    /** Branches, loops and `switch` by the number of the warp. */
    static def ways(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 256);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (t in 0n..255n) clocked async {
                    val lane = CUDAWarp.lane();
                    val warp = CUDAWarp.index();
                    var x:Int = t;
                    for (var i:Int = 0n; i <= warp; ++i) {
                        if (i == 2n) continue;
                        x = CUDAWarp.shuffle(x, lane + 1n) + i;
                        if (i > 4n) break;
                    }
                    if (t >= 128n && t <= 223n) {
                        x += downwards(lane);
                        if (warp == 5n) x += CUDAWarp.sum(x); else x -= CUDAWarp.max(lane);
                    } else if (t < 64n) {
                        switch (warp) {
                            case 0n: x += CUDAWarp.inclusiveSum(lane); break;
                            default: x += CUDAWarp.ballot(lane % 3n == 0n) & 0xFFn;
                        }
                    }
                    while (CUDAWarp.any(x < 300n)) x += 7n * warp + 1n + lane;
                    val turns = CUDAWarp.shuffle(x, 0n) % 5n;
                    for (var i:Int = 0n; i < turns; ++i) x ^= CUDAWarp.shuffleXor(x, 1n << i);
                    out(t) = warp % 2n == 0n ? CUDAWarp.shuffleXor(x, 1n) : x;
                }
            }
        }
        val wanted = new Rail[Int](256);
        for (warp in 0n..7n) {
            var x:Rail[Int] = new Rail[Int](32, (l:Long)=> warp * 32n + l as Int);
            for (var i:Int = 0n; i <= warp; ++i) {
                if (i == 2n) continue;
                val before = x;
                val turn = i;
                x = new Rail[Int](32, (l:Long)=> before((l + 1) % 32) + turn);
                if (i > 4n) break;
            }
            if (warp >= 4n && warp <= 6n) {
                var all:Int = 0n;
                for (l in 0..31) { x(l) += ((31 - l + 1) * (l + 31) / 2) as Int; all += x(l); }
                for (l in 0..31) x(l) += warp == 5n ? all : -31n;
            } else if (warp < 2n) {
                for (l in 0..31) x(l) += warp == 0n ? (l * (l + 1) / 2) as Int : 0x49n;
            }
            while (true) {
                var some:Boolean = false;
                for (l in 0..31) some |= x(l) < 300n;
                if (!some) break;
                for (l in 0..31) x(l) += 7n * warp + 1n + l as Int;
            }
            val turns = x(0) % 5n;
            for (i in 0n..(turns - 1n)) {
                val before = x;
                x = new Rail[Int](32, (l:Long)=> before(l) ^ before(l ^ (1 << i)));
            }
            for (l in 0..31) wanted(warp * 32 + l) = warp % 2n == 0n ? x(l ^ 1) : x(l);
        }
        same("ways", get(out), (k:Long)=> wanted(k));
    }

    /** Rows of a block are two warps each. */
    static def rows(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 3 * 4 * 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for ([i, j] in 0n..3n * 0n..63n) clocked async {
                    val row = i as Int;
                    val column = j as Int;
                    val index = (block * 4n + row) * 64n + column;
                    out(index) = -1n;
                    if (row != block) {
                        if (row > 1n) {
                            var x:Int = column;
                            if (column >= 32n) x += CUDAWarp.sum(row);
                            out(index) = x + CUDAWarp.shuffleUp(x, 1n);
                            if (row != 3n || column >= 32n) out(index) += CUDAWarp.any(column == 40n) ? 1000n : 0n;
                        } else out(index) = CUDAWarp.index();
                    }
                }
            }
        }
        same("rows", get(out), (k:Long)=> {
            val block = (k / 256) as Int;
            val row = (k / 64 % 4) as Int;
            val column = (k % 64) as Int;
            if (row == block) return -1n;
            if (row <= 1n) return row * 2n + column / 32n;
            val more = column >= 32n ? row * 32n : 0n;
            val last = column % 32n == 0n ? column : column - 1n;
            return column + more + last + more + (column >= 32n ? 1000n : 0n);
        });
    }

    /** Each thread ends its iteration at any point, behind the last barrier of the loop. */
    static def turns(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64);
        val other = CUDAUtilities.makeGlobalRail[Int](p, 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](64, 0n);
                clocked finish for (t in 0n..63n) clocked async {
                    var x:Int = 0n;
                    for (var k:Int = 0n; k < 5n; ++k) {
                        if (k == 1n) continue;
                        s(t) = t + k;
                        Clock.advanceAll();
                        x += s(63n - t);
                        Clock.advanceAll();
                        if (t % 2n == 0n) continue;
                        x += 1000n;
                        if (t % 3n == 0n) { x += 5n; continue; }
                        x += 20n;
                    }
                    out(t) = x;
                    var y:Int = 0n;
                    rounds: for (var k:Int = 0n; k < 6n; ++k) {
                        y = CUDABlock.max(y) + 1n;
                        if (t > 10n) {
                            for (var i:Int = 0n; i < 4n; ++i) {
                                if (i == t % 5n) continue rounds;
                                y += 10n;
                            }
                            switch (t % 4n) {
                                case 1n: continue rounds;
                                case 2n: y += 100n; break;
                                default: y += 7n;
                            }
                            if (t % 7n == 3n) { y += 2n; } else if (t % 7n == 4n) { continue; }
                            y += 3n;
                        }
                        y += t;
                    }
                    other(t) = y;
                }
            }
        }
        same("turns", get(out), (k:Long)=> {
            val t = k as Int;
            var x:Int = 0n;
            for (turn in 0n..4n) if (turn != 1n) {
                x += 63n - t + turn;
                if (t % 2n != 0n) x += t % 3n == 0n ? 1005n : 1020n;
            }
            return x;
        });
        val y = new Rail[Int](64, 0n);
        for (turn in 0..5) {
            var most:Int = y(0);
            for (t in 1..63) most = Math.max(most, y(t));
            for (t in 0n..63n) y(t) = one(t, most + 1n);
        }
        same("rounds", get(other), (k:Long)=> y(k));
    }
    static def one(t:Int, first:Int):Int {
        var y:Int = first;
        if (t > 10n) {
            if (t % 5n < 4n) return y + 10n * (t % 5n);
            y += 40n;
            if (t % 4n == 1n) return y;
            y += t % 4n == 2n ? 100n : 7n;
            if (t % 7n == 3n) y += 2n; else if (t % 7n == 4n) return y;
            y += 3n;
        }
        return y + t;
    }

    public static def main(args:Rail[String]) {
        val p = place();
        for (threads in [32n as Int, 64n, 72n, 256n, 1000n]) sums(p, threads);
        ways(p);
        rows(p);
        turns(p);
    }
}
