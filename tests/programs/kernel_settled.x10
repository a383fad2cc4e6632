import x10.array.Array_1;
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** A kernel sees captured rails as they were when it was started, however hidden the writing that follows is. */
public class kernel_settled {
    static N = 100000;

    static val shared = new Rail[Long](N, 1);
    /** Its initialiser, which runs at its first use, writes. */
    static val late = clearShared();
    static def clearShared():Long { shared.fill(9); return 1; }

    static class Box(rail:Rail[Long]) {
        operator this + (v:Long):Long { rail.fill(v); return v; }
        operator this(i:Long) = (v:Long):Long { rail.fill(v); return v; }
        public def toString() { rail.fill(3); return "box"; }
        def place(p:Place):Place { rail.fill(4); return p; }
    }

    /** Starts the kernel that copies the rail, then does something else before it has ended. */
    static def started(p:Place, rail:Rail[Long], out:GlobalRail[Long]{self.home() == p}, which:Long) {
        val array = Array_1.makeView[Long](rail), box = new Box(rail), n = N;
        if (which == 0) finish {
            async at (p) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) out(i) = rail(i);
            } } }
            array.fill(2);
        } else if (which == 1) finish {
            async at (p) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) out(i) = rail(i);
            } } }
            val sum = box + 2;
        } else if (which == 2) finish {
            async at (p) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) out(i) = rail(i);
            } } }
            val text = "a " + box;
        } else if (which == 3) finish {
            async at (p) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) out(i) = rail(i);
            } } }
            box(0) = 5;
        } else if (which == 4) finish {
            async at (p) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) out(i) = rail(i);
            } } }
            async at (box.place(p)) @CUDA { finish for (b in 0n..0n) async { clocked finish for (t in 0n..0n) clocked async {
                val nothing = t;
            } } }
        } else finish {
            async at (p) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) out(i) = rail(i);
            } } }
            val now = late;
        }
    }

    /** A global rail that is another name of the captured one: the kernel reads what was there. */
    static def reversed():Boolean {
        val rail = new Rail[Long](N, (i:Long)=>i), global = GlobalRail[Long](rail), n = N;
        finish async at (here) @CUDA {
            finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) global(i) = rail(n - 1 - i);
            } }
        }
        var ok:Boolean = true;
        for (i in rail.range()) ok &= rail(i) == n - 1 - i;
        return ok;
    }

    /** The same, written by a kernel that is started later. */
    static def overtaken():Boolean {
        val rail = new Rail[Long](N, (i:Long)=>i), global = GlobalRail[Long](rail), n = N;
        val seen = new Rail[Long](N), out = GlobalRail[Long](seen);
        finish {
            async at (here) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) {
                    var turns:Long = 0;
                    for (k in 0..50) turns += rail(i) + k;
                    out(i) = turns >= 0 ? rail(i) : 0;
                }
            } } }
            async at (here) @CUDA { finish for (b in 0n..7n) async { clocked finish for (t in 0n..63n) clocked async {
                for (var i:Int = b * 64n + t; i < n; i += 512n) global(i) = -1;
            } } }
        }
        var ok:Boolean = true;
        for (i in rail.range()) ok &= seen(i) == i && rail(i) == -1;
        return ok;
    }

    static def all(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Long](p, N), found = new Rail[Long](N);
        for (which in 0..5) {
            val rail = which == 5 ? shared : new Rail[Long](N, 1);
            started(p, rail, out, which);
            finish Rail.asyncCopy(out, 0, found, 0, N);
            var ok:Boolean = true;
            for (x in found) ok &= x == 1;
            // At the second place the static field has its value already.
            if (which == 5 && p != here) ok = true;
            // The output is the same with a GPU.
            if (p == here || !ok) Console.OUT.println("started, then " + which + ": " + (ok ? "ok" : "WRONG"));
        }
        CUDAUtilities.deleteGlobalRail(out);
    }

    public static def main(Rail[String]) {
        all(here);
        Console.OUT.println("another name: " + (reversed() ? "ok" : "WRONG"));
        Console.OUT.println("another name, later: " + (overtaken() ? "ok" : "WRONG"));
        for (p in PlaceTopology.getTopology().children(here)) all(p);
    }
}
