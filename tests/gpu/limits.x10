// status: 0
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** What a device cannot do is an exception that names the limit and the value, and the device continues. */
public class limits {
    static def said(name:String, needles:Rail[String], run:()=>void) {
        try {
            run();
            Console.OUT.println(name + " WRONG: no exception");
        } catch (e:MultipleExceptions) {
            val text = e.exceptions()(0).toString();
            for (needle in needles) if (text.indexOf(needle) < 0n) { Console.OUT.println(name + " WRONG: " + text); return; }
            Console.OUT.println(name + " refused");
        }
    }

    static def launch(p:Place, out:GlobalRail[Byte]{home==p}, blocks:Int, rows:Int, shared:Int) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in (0n..(rows - 1n)) * (0n..(blocks - 1n))) async {
                val tile = new Rail[Long](shared);
                clocked finish for (thread in 0n..31n) clocked async {
                    tile(thread % shared) = thread;
                    Clock.advanceAll();
                    if (bx == 0 && by == 0) out(thread) = tile(thread % shared) as Byte;
                }
            }
        }
    }

    public static def main(args:Rail[String]) {
        val p = PlaceTopology.getTopology().getChild(here, 0);
        val small = CUDAUtilities.makeGlobalRail[Byte](p, 64);
        said("shared memory", ["8000000", "shared memory"], ()=>{ launch(p, small, 1n, 1n, 1000000n); });
        said("grid", ["70000 blocks along y", "65535"], ()=>{ launch(p, small, 1n, 70000n, 1n); });
        said("no shared memory", ["NegativeArraySize", "-3 elements"], ()=>{ launch(p, small, 1n, 1n, -3n); });
        launch(p, small, 4n, 2n, 20000n);
        launch(p, small, 0n, 2n, 32n);
        launch(p, small, 1n, 1n, 32n);
        val back = new Rail[Byte](64);
        finish Rail.asyncCopy(small, 0, back, 0, 64);
        Console.OUT.println("usable " + back(31));
        CUDAUtilities.deleteGlobalRail(small);

        // More elements than an Int counts.
        val n = (1 << 31) + 100;
        val long = CUDAUtilities.makeGlobalRail[Byte](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    long((1 << 31) + thread) = thread as Byte;
                    long(Int.MAX_VALUE - thread) = 7y;
                }
            }
        }
        val end = new Rail[Byte](132);
        finish Rail.asyncCopy(long, n - 132, end, 0, 132);
        Console.OUT.println("long " + end(31) + " " + end(32) + " " + end(63));
        said("outside", [n.toString()], ()=>{
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..0n) clocked async { long((1 << 31) + 100) = 1y; }
                }
            }
        });
        CUDAUtilities.deleteGlobalRail(long);
    }
}
