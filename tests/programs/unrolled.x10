import x10.compiler.CUDA;
import x10.compiler.Unroll;
import x10.util.CUDAUtilities;

/** Requests to unroll loops in loops: as far as is good for the compiler. */
public class unrolled {
    static def host(n:Long):Long {
        var sum:Long = 0;
        @Unroll(100) for (i in 0..(n - 1))
            @Unroll(100) for (j in 0..(n - 1))
                @Unroll(100) for (k in 0..(n - 1))
                    @Unroll(50) for (l in 0..3)
                        sum += i * j - k * l;
        return sum;
    }

    static def kernel(n:Long):Long {
        val topology = PlaceTopology.getTopology();
        val place = topology.numChildren(here) == 0 ? here : topology.getChild(here, 0);
        val out = CUDAUtilities.makeGlobalRail[Long](place, 32);
        finish async at (place) @CUDA {
            finish for (b in 0n..0n) async
                clocked finish for (t in 0n..31n) clocked async {
                    var sum:Long = t as Long;
                    @Unroll(100) for (i in 0..(n - 1))
                        @Unroll(100) for (j in 0..(n - 1))
                            @Unroll(100) for (k in 0..(n - 1))
                                @Unroll(50) for (l in 0..3)
                                    sum += i * j - k * l;
                    out(t) = sum;
                }
        }
        val all = new Rail[Long](32);
        finish Rail.asyncCopy(out, 0, all, 0, 32);
        return all(31);
    }

    public static def main(Rail[String]) {
        Console.OUT.println(host(12) + " " + kernel(12));
        var turns:Long = 0;
        @Unroll(100000) for (i in 1..1000) turns += i;
        @Unroll(0) for (i in 1..1000) turns += i;
        var left:Int = 10n;
        @Unroll(70000) do turns++; while (--left > 0n);
        @Unroll(70000) while (left < 7n) { left++; turns--; }
        Console.OUT.println(turns);
    }
}
