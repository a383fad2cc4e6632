import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.compiler.Unroll;
import x10.util.CUDAUtilities;

/**
 * Loops that all threads of a block take alike, under branches that each takes for itself, with values kept from iteration to iteration and across barriers;
 * blocks of as many threads as make whole chunks on a CPU, and of fewer and more. Each kernel beside ordinary code.
 */
public class kernel_lanes {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def result(remote:GlobalRail[Int]):Rail[Int] {
        val rail = new Rail[Int](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        CUDAUtilities.deleteGlobalRail(remote);
        return rail;
    }

    static def compare(name:String, remote:GlobalRail[Int], expected:(Int)=>Int) {
        val found = result(remote);
        for (i in 0..(found.size - 1)) {
            val wanted = expected(i as Int);
            if (found(i) != wanted) {
                Console.OUT.println(name + ": at " + i + " " + found(i) + " for " + wanted);
                return;
            }
        }
        Console.OUT.println(name + " ok");
    }

    static def table() = new Rail[Int](64, (i:Long)=>((i * 37) % 101) as Int);

    /** A loop under a branch and its other side, with a loop of its own length inside. */
    static def branches(p:Place, n:Int, turns:Int) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, n);
        val weights = table();
        finish async at (p) @CUDA {
            finish for (block in 0n..6n) async {
                val cache = new Rail[Int](weights);
                clocked finish for (thread in 0n..99n) clocked async {
                    val i = block * 100n + thread;
                    if (i < n) {
                        var sum:Int = i;
                        var last:Int = -1n;
                        if (i % 3n == 0n) {
                            for (k in 0n..(turns - 1n)) {
                                sum += cache(k) * i;
                                if (sum % 7n == 0n) last = k;
                            }
                        } else {
                            for (k in 0n..(turns - 1n)) for (j in 0n..(k % 4n)) sum -= cache((k + j) % 64n) + j;
                            for (k in 0n..(i % 5n)) last += k;
                        }
                        to(i) = sum * 31n + last;
                    }
                }
            }
        }
        compare("branches of " + n + ", " + turns, to, (i:Int)=>{
            var sum:Int = i;
            var last:Int = -1n;
            if (i % 3n == 0n) {
                for (k in 0n..(turns - 1n)) {
                    sum += weights(k) * i;
                    if (sum % 7n == 0n) last = k;
                }
            } else {
                for (k in 0n..(turns - 1n)) for (j in 0n..(k % 4n)) sum -= weights((k + j) % 64n) + j;
                for (k in 0n..(i % 5n)) last += k;
            }
            return sum * 31n + last;
        });
    }

    /** Loops that threads leave early, each at an iteration of its own, or continue with the next iteration. */
    static def ends(p:Place, n:Int) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, n, (Long)=>-5n);
        val weights = table();
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                val cache = new Rail[Int](weights);
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64n + thread;
                    if (i < n) {
                        var sum:Int = 0n;
                        for (k in 0n..9n) {
                            if ((i + k) % 4n == 0n) continue;
                            sum += cache(k);
                        }
                        if (i % 5n != 0n) {
                            for (k in 10n..19n) sum = sum * 3n + cache(k) + i;
                            for (k in 0n..30n) {
                                if (k * 7n > i) break;
                                to(i) = sum + k;
                            }
                        }
                    }
                }
            }
        }
        compare("ends of " + n, to, (i:Int)=>{
            var sum:Int = 0n;
            for (k in 0n..9n) if ((i + k) % 4n != 0n) sum += weights(k);
            if (i % 5n == 0n) return -5n;
            for (k in 10n..19n) sum = sum * 3n + weights(k) + i;
            return sum + (i / 7n < 30n ? i / 7n : 30n);
        });
    }

    /** Rails of threads and variables across barriers in loops; what grows by the same for all. */
    static def barriers(p:Place, turns:Int) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, 8 * 24);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                val tile = new Rail[Int](96, 0n);
                clocked finish for ([y, x] in (0n..3n) * (0n..23n)) clocked async {
                    val tx = x as Int;
                    val ty = y as Int;
                    val rank = ty * 24n + tx;
                    @StackAllocate val own = new Rail[Int](5);
                    var where:Int = rank;
                    var best:Int = 0n;
                    for (var turn:Int = 0n; turn < turns; turn++) {
                        tile(rank) = where + turn;
                        Clock.advanceAll();
                        @Unroll(5) for (j in 0n..4n) {
                            own(j) = own(j) + tile((rank + j * 7n) % 96n) * (turn + 1n);
                            if (own(j) % 3n == 0n) best = own(j);
                        }
                        where += 11n;
                        Clock.advanceAll();
                        where -= turn;
                    }
                    var sum:Int = best + where;
                    for (j in 0n..4n) sum = sum * 5n + own(j);
                    to((block as Int) * 96n + rank) = sum;
                }
            }
        }
        compare("barriers, " + turns, to, (i:Int)=>{
            val rank = i % 96n;
            val own = new Rail[Int](5);
            var offset:Int = 0n;
            var best:Int = 0n;
            for (var turn:Int = 0n; turn < turns; turn++) {
                for (j in 0n..4n) {
                    val other = (rank + j * 7n) % 96n;
                    own(j) = own(j) + (other + offset + turn) * (turn + 1n);
                    if (own(j) % 3n == 0n) best = own(j);
                }
                offset += 11n - turn;
            }
            var sum:Int = best + rank + offset;
            for (j in 0n..4n) sum = sum * 5n + own(j);
            return sum;
        });
    }

    /** Indices that wrap on their way, which 64 bits would not. */
    static def wraps(p:Place, far:Int) {
        val n = 200n;
        val to = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64n + thread;
                    val beyond = i + far + far;
                    var sum:Int = 0n;
                    for (k in 0n..7n) sum += beyond * k;
                    val back = beyond - far - far;
                    if (back >= 0n && back < n) to(back) = sum + i;
                }
            }
        }
        compare("wraps by " + far, to, (i:Int)=>{
            var sum:Int = 0n;
            for (k in 0n..7n) sum += (i + far + far) * k;
            return sum + i;
        });
    }

    /** Grid-stride loops with a loop inside. */
    static def strides(p:Place, n:Int, turns:Int) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, n);
        val weights = table();
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                val cache = new Rail[Int](weights);
                clocked finish for (thread in 0n..39n) clocked async {
                    for (var i:Int = block * 40n + thread; i < n; i += 120n) {
                        var least:Int = Int.MAX_VALUE;
                        var which:Int = -1n;
                        for (k in 0n..(turns - 1n)) {
                            val distance = Math.abs(cache(k) - i % 101n);
                            if (distance < least) { least = distance; which = k; }
                        }
                        to(i) = which * 1000n + (which < 0n ? 0n : least);
                    }
                }
            }
        }
        compare("strides of " + n + ", " + turns, to, (i:Int)=>{
            var least:Int = Int.MAX_VALUE;
            var which:Int = -1n;
            for (k in 0n..(turns - 1n)) {
                val distance = Math.abs(weights(k) - i % 101n);
                if (distance < least) { least = distance; which = k; }
            }
            return which * 1000n + (which < 0n ? 0n : least);
        });
    }

    public static def main(Rail[String]) {
        val p = place();
        for (n in [1n, 15n, 16n, 17n, 99n, 100n, 101n, 700n]) branches(p, n, 12n);
        branches(p, 650n, 0n);
        for (n in [1n, 64n, 250n]) ends(p, n);
        for (turns in [0n, 1n, 6n]) barriers(p, turns);
        for (far in [0n, 5n, 0x7FFFFF00n]) wraps(p, far);
        for (n in [1n, 119n, 121n, 1000n]) strides(p, n, 33n);
        strides(p, 500n, 0n);
    }
}
