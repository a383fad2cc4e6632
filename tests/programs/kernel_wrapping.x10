import x10.compiler.*;
import x10.util.*;

/** Numbers that exceed their types on the way to an index: what the program makes of them counts, not what they would be. */
public class kernel_wrapping {
    static val SIZE = 10n;

    /** 32 bits: `a * 32` is 0 again. */
    static def captured(p:Place, out:GlobalRail[Int]{self.home==p}, a:Int) {
        finish async at (p) @CUDA {
            finish for (b in 0n..0n) async {
                clocked finish for (t in 0n..(SIZE - 1n)) clocked async {
                    val first = a * 32n;
                    out(first + t) = t + 1n;
                    out(a * 32n + t) += 10n;
                }
            }
        }
    }

    /** 64 bits: below such a large end, the counter is negative after four iterations. */
    static def counted(p:Place, out:GlobalRail[Int]{self.home==p}, n:Long) {
        finish async at (p) @CUDA {
            finish for (b in 0n..0n) async {
                clocked finish for (t in 0n..0n) clocked async {
                    for (var k:Long = t * 2; k < n; k += 1 << 61) out(k % SIZE) = 7n;
                }
            }
        }
    }

    static def show(p:Place, size:Long, run:(GlobalRail[Int]{self.home==p})=>void) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, size, (i:Long)=>0n);
        try {
            run(out);
            val got = new Rail[Int](size);
            finish Rail.asyncCopy(out, 0, got, 0, size);
            Console.OUT.println(got);
        } catch (e:MultipleExceptions) {
            for (x in e.exceptions()) Console.OUT.println(x.getMessage().substring(x.getMessage().indexOf("Index")).split(";")(0));
        }
        CUDAUtilities.deleteGlobalRail(out);
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) == 0 ? here : topology.getChild(here, 0);
        show(p, 10, (out:GlobalRail[Int]{self.home==p}) => captured(p, out, 0n));
        show(p, 10, (out:GlobalRail[Int]{self.home==p}) => captured(p, out, 1n << 30));
        show(p, 10, (out:GlobalRail[Int]{self.home==p}) => captured(p, out, 3n << 28));
        show(p, 9, (out:GlobalRail[Int]{self.home==p}) => captured(p, out, 1n << 30));
        show(p, 10, (out:GlobalRail[Int]{self.home==p}) => counted(p, out, 1 << 62));
        show(p, 10, (out:GlobalRail[Int]{self.home==p}) => counted(p, out, Long.MAX_VALUE));
    }
}
