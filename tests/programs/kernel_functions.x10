import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Functions of kernels: rails as parameters, static fields, generic ones, struct methods that call others. */
public class kernel_functions {
    static val THREE = 3n;
    static val ROOT = Math.sqrt(2.0);
    static val SUM = THREE * 2n + 1n;

    static struct Range(low:Int, high:Int) {
        @CUDA def has(i:Int):Boolean = i >= low && i <= high;
        @CUDA def clamp(i:Int):Int = has(i) ? i : nearest(i);
        @CUDA def nearest(i:Int):Int = i < low ? low : high;
    }

    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    @CUDA static def scaled(x:Int):Double = x * ROOT + SUM;
    @CUDA static def put[T](rail:GlobalRail[T], i:Long, x:T) { rail(i) = x; }
    @CUDA static def add(rail:GlobalRail[Double], i:Long, x:Double) { rail(i) += x; put[Double](rail, i, rail(i) * 2.0); }
    @CUDA static def total(rail:Rail[Float], n:Int):Float {
        var sum:Float = 0.0f;
        for (i in 0n..(n - 1n)) sum += rail(i);
        for (x in rail) sum += x;
        for (i in rail.range()) sum += 0.0f * rail(i);
        return sum;
    }

    static def outside(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Double](p, 4);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (t in 0n..7n) clocked async put[Double](out, t, 1.0);
                }
            }
            Console.OUT.println("outside WRONG");
        } catch (e:MultipleExceptions) { Console.OUT.println(e.exceptions()(0).typeName()); }
        CUDAUtilities.deleteGlobalRail(out);
    }

    public static def main(args:Rail[String]) {
        val p = place();
        val data = new Rail[Float](10, 1.5f);
        val range = Range(3n, 6n);
        val out = CUDAUtilities.makeGlobalRail[Double](p, 10, 1.0);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val tile = new Rail[Float](10, 2.0f);
                clocked finish for (t in 0n..9n) clocked async {
                    var odd:Int = 0n;
                    for (i in data.range()) odd += (i % 2) as Int;
                    add(out, t, (odd - 5n) + scaled(t) + total(data, t) + total(tile, 2n) + range.clamp(t) * ROOT);
                }
            }
        }
        val found = new Rail[Double](10);
        finish Rail.asyncCopy(out, 0, found, 0, 10);
        CUDAUtilities.deleteGlobalRail(out);
        for (t in 0n..9n) {
            val wanted = 2.0 * (1.0 + scaled(t) + total(data, t) + 20.0 + 4.0 + range.clamp(t) * ROOT);
            if (Math.abs(found(t) - wanted) > 1.0e-9) Console.OUT.println("WRONG at " + t + ": " + found(t) + " for " + wanted);
        }
        Console.OUT.println("functions " + scaled(2n).toString().substring(0n, 8n));
        outside(p);
    }
}
