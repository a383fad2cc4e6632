import x10.compiler.CUDA;
import x10.compiler.FastMath;
import x10.util.CUDABlock;
import x10.util.CUDAGrid;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;
import x10.util.Ordered;

/**
 * What the threads of a warp and of a block do together: shuffles, votes, reductions and scans, in full and in short warps, in loops,
 * on several axes; each beside the same computed in order.
 */
public class kernel_warps {
    static struct Pair(a:Long, b:Byte) { }
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }
    static def get[T](remote:GlobalRail[T]){T haszero}:Rail[T] {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        CUDAUtilities.deleteGlobalRail(remote);
        return rail;
    }
    static def same[T](name:String, found:Rail[T], wanted:(Long)=>T) {
        for (i in found.range()) if (found(i) != wanted(i)) {
            Console.OUT.println(name + " WRONG at " + i + ": " + found(i) + " for " + wanted(i));
            return;
        }
        Console.OUT.println(name + " ok");
    }

    static def shuffles(p:Place, threads:Int) {
        val n = 2 * threads;
        val out = CUDAUtilities.makeGlobalRail[Int](p, n * 5);
        val wide = CUDAUtilities.makeGlobalRail[Long](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (t in 0n..(threads - 1n)) clocked async {
                    val mine = block * 1000n + t;
                    val i = 5n * (block * threads + t);
                    out(i) = CUDAWarp.shuffle(mine, t * 7n + 3n);
                    out(i + 1n) = CUDAWarp.shuffleUp(mine, 3n);
                    out(i + 2n) = CUDAWarp.shuffleDown(mine, 5n);
                    out(i + 3n) = CUDAWarp.shuffleXor(mine, 6n);
                    out(i + 4n) = CUDAWarp.lane() * 100n + CUDAWarp.index();
                    val pair = CUDAWarp.shuffleXor(Pair(mine as Long * 5000000000, t as Byte), 1n);
                    wide(block * threads + t) = pair.a + pair.b;
                }
            }
        }
        val from = (t:Int, other:Int)=> other >= 0n && other < 32n && t / 32n * 32n + other < threads ? t / 32n * 32n + other : t;
        same("shuffles " + threads, get(out), (k:Long)=> {
            val block = (k / (5 * threads)) as Int;
            val t = (k / 5 % threads) as Int;
            val lane = t % 32n;
            switch (k % 5) {
                case 0: return block * 1000n + from(t, (t * 7n + 3n) & 31n);
                case 1: return block * 1000n + from(t, lane - 3n);
                case 2: return block * 1000n + from(t, lane + 5n);
                case 3: return block * 1000n + from(t, lane ^ 6n);
                default: return lane * 100n + t / 32n;
            }
        });
        same("structs " + threads, get(wide), (k:Long)=> {
            val t = (k % threads) as Int;
            val other = from(t, t % 32n ^ 1n);
            return (k / threads * 1000 + other) * 5000000000 + (other as Byte);
        });
    }

    static def votes(p:Place, threads:Int) {
        val n = 3 * threads;
        val data = new Rail[Int](n, (i:Long)=>((i * i * 7 + i) % 11) as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n * 2);
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (t in 0n..(threads - 1n)) clocked async {
                    val i = block * threads + t;
                    val x = data(i);
                    out(2n * i) = CUDAWarp.ballot(x > 4n);
                    val warp = (CUDAWarp.any(x > 9n) ? 1n : 0n) + (CUDAWarp.all(x < 10n) ? 2n : 0n);
                    val whole = (CUDABlock.any(x > 10n) ? 4n : 0n) + (CUDABlock.all(x < 11n) ? 8n : 0n);
                    out(2n * i + 1n) = warp + whole + CUDABlock.count(x == 3n) * 16n;
                }
            }
        }
        same("votes " + threads, get(out), (k:Long)=> {
            val i = k / 2;
            val block = i / threads;
            val first = block * threads + i % threads / 32 * 32;
            val last = Math.min(first + 31, block * threads + threads - 1);
            var bits:Int = 0n;
            var some:Boolean = false;
            for (j in first..last) {
                if (data(j) > 4n) bits |= 1n << (j - first);
                if (data(j) > 9n) some = true;
            }
            if (k % 2 == 0) return bits;
            var count:Int = 0n;
            for (j in (block * threads)..(block * threads + threads - 1)) if (data(j) == 3n) count++;
            return (some ? 1n : 2n) + 8n + count * 16n;
        });
    }

    static def reductions(p:Place, threads:Int) {
        val n = 2 * threads;
        val data = new Rail[Long](n, (i:Long)=>(i * 7919 + 13) % 1000003);
        val out = CUDAUtilities.makeGlobalRail[Long](p, n * 6);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (t in 0n..(threads - 1n)) clocked async {
                    val i = block * threads + t;
                    val x = data(i);
                    out(6n * i) = CUDAWarp.sum(x) + CUDAWarp.min(x as Int) + CUDAWarp.max(x as UInt);
                    out(6n * i + 1n) = CUDABlock.sum(x);
                    out(6n * i + 2n) = CUDABlock.min(x) * 10000000 + CUDABlock.max(x as Int);
                    out(6n * i + 3n) = CUDABlock.and(x | 5) + CUDABlock.or(x as Int) + CUDABlock.xor(x as ULong) as Long + CUDAWarp.xor(x);
                    out(6n * i + 4n) = CUDAWarp.inclusiveSum(x) * 7 + CUDAWarp.exclusiveSum(x as Int);
                    out(6n * i + 5n) = CUDABlock.inclusiveSum(x) * 7 + CUDABlock.exclusiveSum(x as UInt);
                }
            }
        }
        same("reductions " + threads, get(out), (k:Long)=> {
            val i = k / 6;
            val start = i / threads * threads;
            val end = start + threads - 1;
            val first = start + i % threads / 32 * 32;
            val last = Math.min(first + 31, end);
            var sum:Long = 0; var least:Long = Long.MAX_VALUE; var most:Long = 0; var xor:Long = 0;
            for (j in first..last) { sum += data(j); least = Math.min(least, data(j)); most = Math.max(most, data(j)); xor ^= data(j); }
            var all:Long = 0; var low:Long = Long.MAX_VALUE; var high:Long = 0; var and:Long = -1; var or:Long = 0; var xors:Long = 0;
            for (j in start..end) { all += data(j); low = Math.min(low, data(j)); high = Math.max(high, data(j)); and &= data(j) | 5; or |= data(j); xors ^= data(j); }
            var inWarp:Long = 0; var inBlock:Long = 0;
            for (j in first..i) inWarp += data(j);
            for (j in start..i) inBlock += data(j);
            switch (k % 6) {
                case 0: return sum + least + most;
                case 1: return all;
                case 2: return low * 10000000 + high;
                case 3: return and + or + xors + xor;
                case 4: return inWarp * 7 + inWarp - data(i);
                default: return inBlock * 7 + inBlock - data(i);
            }
        });
    }

    /** Sums of floating numbers are added in one order everywhere: by tree reduction in a warp, and of the warps. */
    static def floats(p:Place, threads:Int) {
        val data = new Rail[Float](threads, (i:Long)=>1.0f / (i + 1));
        val out = CUDAUtilities.makeGlobalRail[Float](p, threads * 2);
        val exact = CUDAUtilities.makeGlobalRail[Double](p, threads);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (t in 0n..(threads - 1n)) clocked async {
                    out(2n * t) = CUDABlock.sum(data(t) * data(t));
                    out(2n * t + 1n) = CUDABlock.inclusiveSum(data(t));
                    exact(t) = CUDABlock.max(-(data(t) as Double)) + CUDAWarp.min(data(t));
                }
            }
        }
        val tree = (of:Rail[Float], count:Long)=> {
            for (var by:Long = 16; by > 0; by /= 2) for (i in 0..(by - 1)) if (i + by < count) of(i) += of(i + by);
            return of(0);
        };
        val warps = (threads + 31) / 32;
        val parts = new Rail[Float](32, (w:Long)=> w >= warps ? 0.0f : tree(new Rail[Float](32, (i:Long)=> w * 32 + i < threads ? data(w * 32 + i) * data(w * 32 + i) : 0.0f), Math.min(32, threads - w * 32)));
        val sum = tree(parts, warps);
        val found = get(out);
        var right:Boolean = true;
        var before:Double = 0.0;
        for (t in 0..(threads - 1)) {
            before += data(t);
            if (found(2 * t) != sum || Math.abs(found(2 * t + 1) - before) > 1.0e-5) right = false;
        }
        Console.OUT.println("floats " + threads + (right ? " ok" : " WRONG"));
        same("doubles " + threads, get(exact), (t:Long)=> -(1.0f / threads) as Double + data(Math.min(t / 32 * 32 + 31, threads - 1)));
    }

    /** Until no thread of the block finds anything to do: what a whole block says can steer a loop with barriers. */
    static def converge(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 100);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val level = new Rail[Int](100, 0n);
                clocked finish for (t in 0n..99n) clocked async {
                    var rounds:Int = 0n;
                    var changed:Boolean = true;
                    while (CUDABlock.any(changed)) {
                        val left = t > 0n ? level(t - 1n) : 50n;
                        Clock.advanceAll();
                        changed = left > level(t) + 1n;
                        if (changed) level(t) = left - 1n;
                        rounds++;
                    }
                    out(t) = level(t) * 1000n + rounds;
                }
            }
        }
        same("converge", get(out), (t:Long)=> Math.max(0, 49 - t) as Int * 1000n + 50n);
    }

    /** Threads on two axes are numbered along the last one. */
    static def axes(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Long](p, 6 * 80);
        val more = CUDAUtilities.makeGlobalRail[Int](p, 1000);
        val count = 1000;
        finish async at (p) @CUDA {
            finish for ([by, bx] in (0n..1n) * (0n..2n)) async {
                clocked finish for ([z, y, x] in (0n..1n) * (0n..3n) * (0n..9n)) clocked async {
                    out(CUDAGrid.index()) = ((by * 3 + bx) * 2 + z) * 1000 + y * 100 + x + CUDABlock.rank() * 1000000 + CUDABlock.sum(x) * 1000000000;
                    for (var i:Long = CUDAGrid.index(); i < count; i += CUDAGrid.size()) more(i) = (i * 3) as Int + CUDABlock.size();
                }
            }
        }
        same("axes", get(out), (k:Long)=> {
            val rank = k % 80;
            return (k / 80 * 2 + rank / 40) * 1000 + rank / 10 % 4 * 100 + rank % 10 + rank * 1000000 + 360 * 1000000000;
        });
        same("grid", get(more), (k:Long)=> (k * 3 + 80) as Int);
    }

    @CUDA static def weighted[T](a:T, b:T, c:T){T <: Arithmetic[T]}:T = a * b + c;
    @CUDA static def least[T](a:T, b:T){T <: Ordered[T]}:T = a < b ? a : b;
    @CUDA static def swapped[T](rail:GlobalRail[T], i:Long, value:T):T {
        val old = rail(i);
        rail(i) = value;
        return old;
    }
    static def generic(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Double](p, 64);
        val pairs = CUDAUtilities.makeGlobalRail[Pair](p, 64, new Rail[Pair](64, (i:Long)=>Pair(i, i as Byte)));
        finish async at (p) @CUDA @FastMath {
            finish for (block in 0n..1n) async {
                clocked finish for (t in 0n..31n) clocked async {
                    val i = block * 32n + t;
                    val old = swapped[Pair](pairs, i, Pair(i * 2, 1y));
                    out(i) = weighted[Int](i, 3n, 1n) + weighted[Double](i, 0.5, 0.25) + least[Float](i, 20.0f) + old.a + Math.sqrt(4.0f);
                }
            }
        }
        same("generic", get(out), (i:Long)=> (i * 3 + 1) + (i * 0.5 + 0.25) + Math.min(i, 20) + i + 2.0);
        same("generic structs", get(pairs), (i:Long)=> Pair(i * 2, 1y));
    }

    public static def main(args:Rail[String]) {
        val p = place();
        for (threads in [32n as Int, 64n, 100n, 7n, 1000n, 1024n]) {
            shuffles(p, threads);
            votes(p, threads);
            reductions(p, threads);
            floats(p, threads);
        }
        converge(p);
        axes(p);
        generic(p);
        Console.OUT.println("alone " + CUDAWarp.sum(5n) + " " + CUDABlock.exclusiveSum(5n) + " " + CUDAWarp.ballot(true) + " " + CUDAGrid.index() + " " + CUDAGrid.size());
    }
}
