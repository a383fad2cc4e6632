import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Locals that take a counter's value: in the body it is that of the iteration, after the counter's step it may be one beyond. */
public class kernel_bounds_copies {
    static val SIZE = 40n;

    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def say(what:String, run:()=>void) {
        try {
            run();
            Console.OUT.println(what + ": fine");
        } catch (e:MultipleExceptions) {
            val one = e.exceptions(0).getMessage();
            val start = one.indexOf("Index ");
            Console.OUT.println(what + ": " + one.substring(start, one.indexOf(" out of")));
        }
    }

    public static def main(args:Rail[String]) {
        val p = place();
        val out = CUDAUtilities.makeGlobalRail[Int](p, SIZE as Long);
        say("after the step", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    val s = new Rail[Int](SIZE, 0n);
                    clocked finish for (thread in 0n..0n) clocked async {
                        var j:Int = 0n;
                        for (var i:Int = 0n; i < SIZE; i++, j = i) { s(i) = 1n; s(j) = i; }
                        s(j) = 7n;
                        out(thread) = s(39);
                    }
                }
            }
        });
        say("after a step down", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    val s = new Rail[Int](SIZE, 0n);
                    clocked finish for (thread in 0n..0n) clocked async {
                        var j:Int = 0n;
                        for (var i:Int = SIZE - 1n; i >= 0n; i--, j = i) { s(i) = 1n; }
                        s(j) = 7n;
                        out(thread) = s(39);
                    }
                }
            }
        });
        say("before the step", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    val s = new Rail[Int](SIZE, 0n);
                    clocked finish for (thread in 0n..0n) clocked async {
                        var j:Int = 0n;
                        for (var i:Int = 0n; i < SIZE; j = i, i++) { s(j) = 1n; }
                        s(j) = 7n;
                        out(thread) = s(39);
                    }
                }
            }
        });
        say("in the body", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    val s = new Rail[Int](SIZE, 0n);
                    clocked finish for (thread in 0n..0n) clocked async {
                        var j:Int = 0n;
                        for (var i:Int = 0n; i < SIZE; i++) { s(j) = 1n; j = i; }
                        s(j) = 7n;
                        out(thread) = s(39);
                    }
                }
            }
        });
        CUDAUtilities.deleteGlobalRail(out);
    }
}
