import x10.compiler.CUDA;
import x10.compiler.FastMath;
import x10.util.CUDAUtilities;

/** Fast mathematical functions of an expression, a statement, a block and a function: what is around stays exact. */
public class kernel_fast_math {
    @CUDA @FastMath static def wave(x:Float):Float = Math.sinf(x) * Math.exp(-x);
    @CUDA static def exact(x:Float):Float = Math.sqrt(x) / 3.0f;

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val n = 1000n;
        val out = CUDAUtilities.makeGlobalRail[Float](p, n * 5);
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..127n) clocked async {
                    val i = block * 128n + thread;
                    if (i < n) {
                        val x = 0.5f + i * 0.001f;
                        @FastMath val q = 1.0f / x;
                        out(i) = exact(x) + q;
                        out(n + i) = @FastMath Math.log(x) / @FastMath Math.sqrt(x);
                        @FastMath {
                            var sum:Float = 0.0f;
                            for (var k:Int = 1n; k <= 4n; ++k) sum += Math.pow(x, 0.25f * k) / k;
                            out(2n * n + i) = sum;
                        }
                        out(3n * n + i) = wave(x);
                        out(4n * n + i) = Math.cosf(x) / Math.tanf(x);
                    }
                }
            }
        }
        val found = new Rail[Float](n * 5);
        finish Rail.asyncCopy(out, 0, found, 0, found.size);
        val worst = new Rail[Double](5);
        for (i in 0n..(n - 1n)) {
            val x = (0.5f + i * 0.001f) as Double;
            var sum:Double = 0.0;
            for (k in 1..4) sum += Math.pow(x, 0.25 * k) / k;
            val wanted = [Math.sqrt(x) / 3.0 + 1.0 / x, Math.log(x) / Math.sqrt(x), sum, Math.sin(x) * Math.exp(-x), Math.cos(x) / Math.tan(x)];
            for (k in 0..4) worst(k) = Math.max(worst(k), Math.abs(wanted(k) - found(k * n + i)));
        }
        for (k in 0..3) Console.OUT.println(k + (worst(k) < 1e-5 ? " is near" : " is off by " + worst(k)));
        Console.OUT.println(4 + (worst(4) < 1e-6 ? " is exact" : " is off by " + worst(4)));
        CUDAUtilities.deleteGlobalRail(out);
    }
}
