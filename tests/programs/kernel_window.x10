import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Values of a window that move from variable to variable across barriers; some must be kept where they are. */
public class kernel_window {
    static def run(p:Place, steps:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 2 * 64 * 4);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                val tile = new Rail[Int](64, 0n);
                clocked finish for (thread in 0n..63n) clocked async {
                    var a:Int = thread;
                    var b:Int = 2n * thread;
                    var c:Int = 3n * thread;
                    var kept:Int = 0n;
                    for (var i:Int = 0n; i < steps; ++i) {
                        c = b; b = a; a = c + i + block;
                        tile(thread) = a + b + c;
                        Clock.advanceAll();
                        kept = b; c = a; a = tile((thread + 1n) % 64n) % 1000n;
                        Clock.advanceAll();
                        b = c; c = b + kept;
                        tile(thread) = c;
                        Clock.advanceAll();
                    }
                    val at0 = (block * 64n + thread) * 4n;
                    out(at0) = a; out(at0 + 1n) = b; out(at0 + 2n) = c; out(at0 + 3n) = kept;
                }
            }
        }
        val found = new Rail[Int](out.size);
        finish Rail.asyncCopy(out, 0, found, 0, out.size);
        Console.OUT.println(steps + (equal(found, steps) ? " steps are right" : " steps are WRONG"));
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** The same, thread by thread between the barriers. */
    static def equal(found:Rail[Int], steps:Int):Boolean {
        for (block in 0n..1n) {
            val a = new Rail[Int](64, (i:Long) => i as Int), b = new Rail[Int](64, (i:Long) => (2 * i) as Int);
            val c = new Rail[Int](64, (i:Long) => (3 * i) as Int), kept = new Rail[Int](64), tile = new Rail[Int](64);
            for (i in 0n..(steps - 1n)) {
                for (t in 0..63) { c(t) = b(t); b(t) = a(t); a(t) = c(t) + i + block; tile(t) = a(t) + b(t) + c(t); }
                for (t in 0..63) { kept(t) = b(t); c(t) = a(t); a(t) = tile((t + 1) % 64) % 1000n; }
                for (t in 0..63) { b(t) = c(t); c(t) = b(t) + kept(t); tile(t) = c(t); }
            }
            for (t in 0..63) {
                val k = (block * 64 + t) * 4;
                if (found(k) != a(t) || found(k + 1) != b(t) || found(k + 2) != c(t) || found(k + 3) != kept(t)) return false;
            }
        }
        return true;
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        for (steps in 0n..5n) run(p, steps);
        run(p, 40n);
    }
}
