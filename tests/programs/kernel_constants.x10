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

    static def wrong(n:Int, w:Rail[Float], v:Rail[Weight], out:GlobalRail[Float]):Long {
        val got = new Rail[Float](n as Long);
        finish Rail.asyncCopy(out, 0, got, 0, n as Long);
        var wrong:Long = 0;
        for (i in 0n..(n - 1n)) if (got(i) != expected(i, w, v)) wrong++;
        return wrong;
    }

    /** The same constants in many launches, now and then changed where they lie. */
    static def again(p:Place, n:Int, out:GlobalRail[Float]{home==p}) {
        val weights = new Rail[Float](6, (i:Long)=>(i + 1) as Float);
        val pairs = new Rail[Weight](2, (i:Long)=>Weight((i + 2) as Float, (i * 3 + 1) as Float));
        var wrong:Long = 0;
        for (round in 1..12) {
            if (round % 3 == 0) weights(round < 7 ? 0 : 5) += 1.0f;
            if (round == 10) { weights(0) -= 2.0f; weights(5) -= 1.0f; }
            if (round == 11) pairs(1) = Weight(9.0f, 9.0f);
            run(p, n, weights, pairs, out);
            wrong += wrong(n, weights, pairs, out);
        }
        Console.OUT.println("again: " + wrong + " wrong");
    }

    /** Launches with the same and with other constants side by side. */
    static def atOnce(p:Place, n:Int) {
        val pairs = new Rail[Weight](2, (i:Long)=>Weight((i + 2) as Float, (i * 3 + 1) as Float));
        val weights = new Rail[Rail[Float]](3, (k:Long)=>new Rail[Float](6, (i:Long)=>(10 * k + i) as Float));
        val outs = new Rail[GlobalRail[Float]](8, (Long)=>CUDAUtilities.makeGlobalRail[Float](p, n as Long));
        var wrong:Long = 0;
        for (round in 1..10) {
            finish for (k in 0..7) async {
                val to = outs(k) as GlobalRail[Float]{home==p};
                run(p, n, weights((k + round) % 3), pairs, to);
            }
            for (k in 0..7) wrong += wrong(n, weights((k + round) % 3), pairs, outs(k));
        }
        for (k in 0..7) CUDAUtilities.deleteGlobalRail(outs(k));
        Console.OUT.println("at once: " + wrong + " wrong");
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
        again(p, n, out);
        atOnce(p, n);
        try {
            run(p, n, new Rail[Float](1, 1.0f), new Rail[Weight](2, Weight(1.0f, 1.0f)), out);
            Console.OUT.println("no exception");
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions()(0).typeName());
        }
        CUDAUtilities.deleteGlobalRail(out);
    }
}
