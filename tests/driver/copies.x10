import x10.util.CUDAUtilities;

/** Copies of every kind between hosts and accelerators, again and again, so that memory is pinned and reused. */
public class copies {
    static def check(what:String, rail:Rail[Long], from:Long, first:Long) {
        for (i in 0..(rail.size - 1)) {
            if (rail(i) != first + i * (from == 0 ? 1 : from)) throw new Exception(what + ": element " + i + " is " + rail(i));
        }
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.getChild(here, 0);
        val q = topology.getChild(here, 1);
        // Of many sizes: in slices, by several threads, pinned.
        for (n in [0, 1, 1000, 400000, 1 << 20, 5000001]) {
            val a = CUDAUtilities.makeGlobalRail[Long](p, n);
            val b = CUDAUtilities.makeGlobalRail[Long](q, n);
            for (turn in 1..6) {
                // New rails, where old ones were.
                val rail = new Rail[Long](n, (i:Long)=>turn + i);
                for (again in 1..3) finish Rail.asyncCopy(rail, 0, a, 0, n);
                finish Rail.asyncCopy(a, 0, b, 0, n);
                val back = new Rail[Long](n);
                for (again in 1..3) finish Rail.asyncCopy(b, 0, back, 0, n);
                check("copy of " + n, back, 1, turn);
                // Parts: the middle from the device onto itself and back.
                if (n > 100) {
                    val half = n / 2;
                    finish Rail.asyncCopy(b, 0, b, n - half, half);
                    finish Rail.asyncCopy(b, n - half, back, 0, half);
                    for (i in 0..(half - 1)) if (back(i) != turn + i) throw new Exception("part " + i + " is " + back(i));
                    // Onto a part of itself.
                    finish Rail.asyncCopy(b, 0, b, 10, half);
                    finish Rail.asyncCopy(b, 10, back, 0, half);
                    for (i in 0..(half - 1)) if (back(i) != turn + i) throw new Exception("shifted " + i + " is " + back(i));
                }
            }
            CUDAUtilities.deleteGlobalRail(a);
            CUDAUtilities.deleteGlobalRail(b);
        }
        // Many at once, some of them by activities.
        val many = CUDAUtilities.makeGlobalRail[Long](p, 40000);
        val parts = new Rail[Long](40000, (i:Long)=>i);
        finish for (i in 0..999) {
            if (i % 3 == 0) async Rail.asyncCopy(parts, 40 * i, many, 40 * i, 40);
            else Rail.asyncCopy(parts, 40 * i, many, 40 * i, 40);
        }
        val together = new Rail[Long](40000);
        finish for (i in 0..999) {
            if (i % 3 == 0) async Rail.asyncCopy(many, 40 * i, together, 40 * i, 40);
            else Rail.asyncCopy(many, 40 * i, together, 40 * i, 40);
        }
        check("many", together, 1, 0);
        CUDAUtilities.deleteGlobalRail(many);
        // Between a rail that has a name everywhere and an accelerator's.
        val own = new GlobalRail[Long](new Rail[Long](100, (i:Long)=>i * 3));
        val there = CUDAUtilities.makeGlobalRail[Long](q, 100);
        finish Rail.asyncCopy(own, 0, there, 0, 100);
        val found = new GlobalRail[Long](new Rail[Long](100));
        finish Rail.asyncCopy(there, 0, found, 0, 100);
        check("named", found(), 3, 0);
        try {
            finish Rail.asyncCopy(there, 50, there, 0, 51);
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions()(0).getMessage());
        }
        CUDAUtilities.deleteGlobalRail(there);
        Console.OUT.println("all right");
    }
}
