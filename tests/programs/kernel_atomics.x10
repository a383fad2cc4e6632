import x10.compiler.CUDA;
import x10.util.CUDAAtomic;
import x10.util.CUDAUtilities;

/** Atomic operations of threads on global and shared rails, in functions, and of activities on rails. */
public class kernel_atomics {
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

    @CUDA static def count(into:GlobalRail[Long], bin:Long, by:Long):void {
        CUDAAtomic.add(into, bin, by);
    }

    /** A histogram: each block counts in shared memory, then adds to the whole. */
    static def histogram(p:Place) {
        val n = 10000n;
        val values = new Rail[Int](n, (i:Long)=>((i * i) % 37) as Int);
        val bins = CUDAUtilities.makeGlobalRail[Long](p, 37);
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val mine = new Rail[Int](37, 0n);
                clocked finish for (thread in 0n..63n) clocked async {
                    for (var i:Int = block * 64n + thread; i < n; i += 512n) CUDAAtomic.add(mine, values(i), 1n);
                    Clock.advanceAll();
                    if (thread < 37n) count(bins, thread, mine(thread));
                }
            }
        }
        val found = result(bins);
        val expected = new Rail[Long](37);
        for (value in values) expected(value)++;
        var right:Boolean = true;
        for (i in 0..36) if (found(i) != expected(i)) right = false;
        Console.OUT.println("histogram " + right);
    }

    static def extremes(p:Place) {
        val ints = CUDAUtilities.makeGlobalRail[Int](p, 8, (i:Long)=>i == 5 ? -1n : 0n);
        val wide = CUDAUtilities.makeGlobalRail[ULong](p, 4);
        val floats = CUDAUtilities.makeGlobalRail[Float](p, 3);
        val doubles = CUDAUtilities.makeGlobalRail[Double](p, 3);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val id = block * 32n + thread;
                    CUDAAtomic.min(ints, 0, -id);
                    CUDAAtomic.max(ints, 1, id);
                    CUDAAtomic.or(ints, 2, 1n << (id % 7n));
                    CUDAAtomic.xor(ints, 3, id);
                    CUDAAtomic.and(ints, 5, ~(1n << (id % 3n)));
                    if (CUDAAtomic.cas(ints, 6, 0n, 7n) == 0n) CUDAAtomic.add(ints, 7, 1n);
                    if (CUDAAtomic.exchange(ints, 4, 9n) == 0n) CUDAAtomic.add(ints, 7, 100n);
                    CUDAAtomic.add(wide, 0, id as ULong);
                    CUDAAtomic.max(wide, 1, (id as ULong) << 32n);
                    CUDAAtomic.add(floats, 0, 0.5f);
                    CUDAAtomic.min(floats, 1, -id as Float);
                    CUDAAtomic.max(floats, 2, id as Float);
                    CUDAAtomic.add(doubles, 0, 0.25);
                    CUDAAtomic.min(doubles, 1, -id as Double);
                    CUDAAtomic.max(doubles, 2, id as Double);
                }
            }
        }
        Console.OUT.println(result(ints));
        Console.OUT.println(result(wide));
        Console.OUT.println(result(floats));
        Console.OUT.println(result(doubles));
    }

    static def activities() {
        val counts = new Rail[Long](2);
        finish for (i in 1..100) async {
            CUDAAtomic.add(counts, i % 2, i);
        }
        Console.OUT.println(counts);
        try {
            CUDAAtomic.add(counts, 2, 1);
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println(e.getMessage());
        }
    }

    public static def main(args:Rail[String]) {
        histogram(place());
        extremes(place());
        activities();
    }
}
