import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * Kernels whose results tell whether barriers, shared memory and divergent code are right: reduction in a loop of barriers,
 * a barrier in a uniform branch, values that live across barriers, two axes, called functions, structs.
 */
public class kernels {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def result[T](remote:GlobalRail[T]){T haszero}:Rail[T] {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        CUDAUtilities.deleteGlobalRail(remote);
        return rail;
    }

    /** The sum of each block's numbers, by tree reduction, with a barrier in each round of a loop. */
    static def reduce(p:Place) {
        val n = 1024;
        val input = new Rail[Int](n, (i:Long)=>((i * 31) % 17) as Int);
        val sums = CUDAUtilities.makeGlobalRail[Int](p, 4);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                val shared = new Rail[Int](256, 0n);
                clocked finish for (thread in 0n..255n) clocked async {
                    shared(thread) = input(block * 256n + thread);
                    Clock.advanceAll();
                    for (var half:Int = 128n; half > 0n; half /= 2n) {
                        if (thread < half) shared(thread) = shared(thread) + shared(thread + half);
                        Clock.advanceAll();
                    }
                    if (thread == 0n) sums(block) = shared(0);
                }
            }
        }
        val found = result(sums);
        var right:Boolean = true;
        for (b in 0..3) {
            var sum:Int = 0n;
            for (i in (b * 256)..(b * 256 + 255)) sum += input(i);
            if (sum != found(b)) right = false;
        }
        Console.OUT.println("reduce " + right);
    }

    /** A barrier in a branch that all threads of a block take, and a private value that lives across it. */
    static def uniform(p:Place, mode:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val shared = new Rail[Int](64, (i:Long)=>(i as Int) * 3n);
                clocked finish for (thread in 0n..63n) clocked async {
                    val mine = shared(thread) + 1n;
                    var other:Int = -1n;
                    if (mode > 0n) {
                        Clock.advanceAll();
                        shared(thread) = mine;
                        Clock.advanceAll();
                        other = shared(63n - thread);
                    }
                    out(thread) = mine * 1000n + other;
                }
            }
        }
        val found = result(out);
        Console.OUT.println("uniform " + found(0) + " " + found(10) + " " + found(63));
    }

    @CUDA static def clamp(x:Int, low:Int, high:Int):Int {
        if (x < low) return low;
        if (x > high) return high;
        return x;
    }

    /** Two axes of blocks and threads: a transposition through a tile. */
    static def transpose(p:Place) {
        val size = 32n;
        val input = new Rail[Float](size * size, (i:Long)=>i as Float);
        val out = CUDAUtilities.makeGlobalRail[Float](p, size * size);
        finish async at (p) @CUDA {
            finish for ([by, bx] in (0n..3n) * (0n..3n)) async {
                val tile = new Rail[Float](64, 0.0f);
                clocked finish for ([ty, tx] in (0n..7n) * (0n..7n)) clocked async {
                    tile(ty * 8n + tx) = input((by * 8n + ty) * size + bx * 8n + tx);
                    Clock.advanceAll();
                    out((bx * 8n + ty) * size + by * 8n + tx) = tile(tx * 8n + ty);
                }
            }
        }
        val found = result(out);
        var right:Boolean = true;
        for (i in 0..31) for (j in 0..31) if (found(i * 32 + j) != input(j * 32 + i)) right = false;
        Console.OUT.println("transpose " + right);
    }

    /** Loops with break and continue per thread, doubles, longs, calls. */
    static def divergent(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Long](p, 100);
        val scale = 2.5;
        val wide = 5000000000;
        finish async at (p) @CUDA {
            finish for (block in 0n..9n) async {
                clocked finish for (thread in 0n..9n) clocked async {
                    val id = block * 10n + thread;
                    var sum:Long = 0;
                    for (i in 0n..1000n) {
                        if (i % 2n == 1n) continue;
                        if (i > id) break;
                        sum += i;
                    }
                    out(id) = sum + clamp(id, 10n, 20n) + ((id * scale) as Long) + wide;
                }
            }
        }
        val found = result(out);
        Console.OUT.println("divergent " + (found(0) - wide) + " " + (found(15) - wide) + " " + (found(99) - wide));
    }

    /** What is stored through one rail is seen through another that is the same. */
    static def increment(p:Place, from:GlobalRail[Long]{home==p}, to:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val id = block * 32n + thread;
                    to(id) = from(id) + id;
                    to(id) = from(id) + id;
                }
            }
        }
    }

    static def overlap(p:Place) {
        val a = CUDAUtilities.makeGlobalRail[Long](p, 64);
        val b = CUDAUtilities.makeGlobalRail[Long](p, 64);
        increment(p, a, b);
        increment(p, a, a);
        increment(p, a, b);
        Console.OUT.println("overlap " + result(a)(63) + " " + result(b)(63));
    }

    public static def main(args:Rail[String]) {
        val p = place();
        reduce(p);
        uniform(p, 0n);
        uniform(p, 1n);
        transpose(p);
        divergent(p);
        overlap(p);
        // The same kernel at a host place of another process.
        reduce(Place.places()(0));
    }
}
