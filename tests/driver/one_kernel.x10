import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** A kernel, a long rail, and what becomes of the program if they fail. */
public class one_kernel {
    static def attempt(what:String, run:()=>void) {
        try {
            run();
            Console.OUT.println(what + ": done");
        } catch (e:MultipleExceptions) {
            Console.OUT.println(what + ": " + e.exceptions()(0));
        } catch (e:CheckedThrowable) {
            Console.OUT.println(what + ": " + e);
        }
    }

    static def kernel(p:Place) {
        val values = new Rail[Float](10);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..31n) clocked async { val x = values(thread % 10n); }
            }
        }
    }

    static def empty(p:Place) {
        val none = new Rail[Float](0);
        val found = CUDAUtilities.makeGlobalRail[Long](p, 32);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async { found(thread) = none.size; }
            }
        }
        val sizes = new Rail[Long](32, 1);
        finish Rail.asyncCopy(found, 0, sizes, 0, 32);
        CUDAUtilities.deleteGlobalRail(found);
        for (size in sizes) if (size != 0) throw new Exception("not empty: " + size);
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        attempt("kernel", ()=>{ kernel(p); });
        attempt("empty rail", ()=>{ empty(p); });
        attempt("memory", ()=>{ CUDAUtilities.deleteGlobalRail(CUDAUtilities.makeGlobalRail[Long](p, 100000000)); });
        attempt("nothing", ()=>{ CUDAUtilities.deleteGlobalRail(CUDAUtilities.makeGlobalRail[Long](p, 0)); });
        attempt("kernel again", ()=>{ kernel(p); });
        Console.OUT.println("at the end");
    }
}
