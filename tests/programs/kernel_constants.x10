import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Elements of constant rails with known indices: the same for all threads, some of them behind a look at the length. */
public class kernel_constants {
    static struct Weight(by:Float, plus:Float) { }

    static def run(p:Place, n:Int, weights:Rail[Float], pairs:Rail[Weight], out:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            val w = CUDAConstantRail(weights);
            val v = CUDAConstantRail(pairs);
            finish for (block in 0n..((n - 1n) / 64n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64n + thread;
                    if (i < n) {
                        var sum:Float = w(0n) * i;
                        for (k in 1n..3n) {
                            sum += w(1n) * k + v(0n).plus;
                            if (w.size() > 5) sum += w(5n) * v(1n).by;
                        }
                        out(i) = sum;
                    }
                }
            }
        }
    }

    static def expected(i:Int, w:Rail[Float], v:Rail[Weight]):Float {
        var sum:Float = w(0) * i;
        for (k in 1n..3n) {
            sum += w(1) * k + v(0).plus;
            if (w.size > 5) sum += w(5) * v(1).by;
        }
        return sum;
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val n = 1000n;
        val out = CUDAUtilities.makeGlobalRail[Float](p, n as Long);
        for (length in [2, 6, 7]) {
            val weights = new Rail[Float](length, (i:Long)=>(i + 1) as Float);
            val pairs = new Rail[Weight](2, (i:Long)=>Weight((i + 2) as Float, (i * 3 + 1) as Float));
            run(p, n, weights, pairs, out);
            val got = new Rail[Float](n as Long);
            finish Rail.asyncCopy(out, 0, got, 0, n as Long);
            var wrong:Long = 0;
            for (i in 0n..(n - 1n)) if (got(i) != expected(i, weights, pairs)) wrong++;
            Console.OUT.println(length + " weights: " + wrong + " wrong, last " + got(n - 1));
        }
        try {
            run(p, n, new Rail[Float](1, 1.0f), new Rail[Weight](2, Weight(1.0f, 1.0f)), out);
            Console.OUT.println("no exception");
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions()(0).typeName());
        }
        CUDAUtilities.deleteGlobalRail(out);
    }
}
