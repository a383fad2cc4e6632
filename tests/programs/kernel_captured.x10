import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** A kernel sees captured rails as they were when it was started, whatever is done to them afterwards. */
public class kernel_captured {
    static def fetch(g:GlobalRail[Int]):Rail[Int] {
        val r = new Rail[Int](g.size);
        finish Rail.asyncCopy(g, 0, r, 0, g.size);
        return r;
    }

    /** The output is the same with a GPU. */
    static def say(p:Place, name:String, ok:Boolean) {
        if (p == here || !ok) Console.OUT.println(name + (ok ? ": ok" : ": WRONG"));
    }

    /** Started, then changed. */
    static def changed(p:Place, n:Int) {
        val rail = new Rail[Int](n, (i:Long)=>i as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n as Long);
        finish {
            async at (p) @CUDA {
                finish for (block in 0n..((n + 63n) / 64n - 1n)) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        val i = block * 64n + thread;
                        if (i < n) out(i) = rail(i);
                    }
                }
            }
            for (i in rail.range()) rail(i) = -1n;
        }
        val found = fetch(out);
        var ok:Boolean = true;
        for (i in found.range()) ok &= found(i) == (i as Int);
        say(p, "changed after the start, " + n, ok);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Started again and again by a loop that changes an element each time, and sometimes none. */
    static def again(p:Place, n:Int) {
        val rail = new Rail[Int](n, (i:Long)=>(i % 5) as Int), last = n - 1n;
        val out = CUDAUtilities.makeGlobalRail[Int](p, 60);
        finish for (round in 0n..29n) {
            if (round % 4n != 0n) rail((round * 7919n) % n) = 100n + round;
            val at0 = (round * 7919n) % n;
            async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..1n) clocked async {
                        out(2n * round + thread) = thread == 0n ? rail(at0) : rail(last);
                    }
                }
            }
        }
        rail(last) = 77n;
        var ok:Boolean = true;
        val found = fetch(out);
        val like = new Rail[Int](n, (i:Long)=>(i % 5) as Int);
        for (round in 0n..29n) {
            if (round % 4n != 0n) like((round * 7919n) % n) = 100n + round;
            ok &= found(2n * round) == like((round * 7919n) % n) && found(2n * round + 1n) == like(last);
        }
        say(p, "changed between starts, " + n, ok);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Waited for each time; the rail is left alone for some rounds, then one of its ends changes, then it is cleared. */
    static def waited(p:Place, n:Int) {
        val rail = new Rail[Int](n, 3n);
        val out = CUDAUtilities.makeGlobalRail[Int](p, 3);
        var ok:Boolean = true;
        for (round in 0n..39n) {
            if (round % 6n == 5n) rail(round % 4n == 1n ? 0 : n - 1) = round;
            if (round % 15n == 14n) rail(n / 2) = 1000n + round;
            if (round == 30n) rail.clear();
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..2n) clocked async {
                        out(thread) = rail(thread == 0n ? 0 : thread == 1n ? n / 2 : n - 1);
                    }
                }
            }
            val found = fetch(out);
            ok &= found(0) == rail(0) && found(1) == rail(n / 2) && found(2) == rail(n - 1);
        }
        say(p, "waited for, " + n, ok);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** What comes back from the place by a copy is seen by the next kernel. */
    static def copied(p:Place, n:Int) {
        val rail = new Rail[Int](n);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n as Long);
        for (round in 1n..12n)
            finish {
                finish async at (p) @CUDA {
                    finish for (block in 0n..((n + 255n) / 256n - 1n)) async {
                        clocked finish for (thread in 0n..255n) clocked async {
                            val i = block * 256n + thread;
                            if (i < n) out(i) = rail(i) + 1n;
                        }
                    }
                }
                if (round % 3n != 0n) finish Rail.asyncCopy(out, 0, rail, 0, n as Long);
            }
        var ok:Boolean = true;
        for (x in rail) ok &= x == 8n;
        say(p, "copied back, " + n, ok);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Several at once that only read. */
    static def together(p:Place, n:Int) {
        val rail = new Rail[Int](n, (i:Long)=>i as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, 8);
        for (turn in 1n..3n)
            finish for (k in 0n..7n) async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..0n) clocked async { out(k) += rail(k * (n / 8n)); }
                }
            }
        var ok:Boolean = true;
        val found = fetch(out);
        for (k in 0..7) ok &= found(k) == (3 * k * (n / 8)) as Int;
        say(p, "several at once, " + n, ok);
        CUDAUtilities.deleteGlobalRail(out);
    }

    static def all(p:Place) {
        for (n in [100n, 20000n, 100000n, 1000000n]) {
            changed(p, n); again(p, n); waited(p, n); copied(p, n); together(p, n);
        }
    }

    public static def main(Rail[String]) {
        all(here);
        for (p in PlaceTopology.getTopology().children(here)) all(p);
    }
}
