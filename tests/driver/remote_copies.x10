import x10.util.CUDAUtilities;

/** Copies between two hosts of which each has an accelerator; none between an accelerator and its own host. */
public class remote_copies {
    static def check(what:String, rail:Rail[Long], first:Long) {
        for (i in rail.range) {
            if (rail(i) != first + i) throw new Exception(what + " of " + rail.size + ": element " + i + " is " + rail(i));
        }
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val other = Place.places().next(here);
        val own = topology.getChild(here, 0);
        val theirs = topology.getChild(other, 0);
        // Also lengths beside the limits of what is copied, and of pieces.
        for (n in [0, 1, 1000, 2048, 2049, 1048576, 1048577, 2500001]) {
            val a = CUDAUtilities.makeGlobalRail[Long](theirs, n);
            val b = CUDAUtilities.makeGlobalRail[Long](own, n);
            val c = CUDAUtilities.makeGlobalRail[Long](theirs, n);
            val rail = new Rail[Long](n, (i:Long)=>7 + i);
            val back = new Rail[Long](n);
            finish Rail.asyncCopy(rail, 0, a, 0, n);
            finish Rail.asyncCopy(a, 0, back, 0, n);
            check("from their accelerator", back, 7);
            // From accelerator to accelerator, to another one, and to a rail of the other host.
            finish Rail.asyncCopy(a, 0, b, 0, n);
            finish Rail.asyncCopy(b, 0, c, 0, n);
            val again = new Rail[Long](n);
            finish Rail.asyncCopy(c, 0, again, 0, n);
            check("from accelerator to accelerator", again, 7);
            val host = at (other) new GlobalRail[Long](new Rail[Long](n));
            finish Rail.asyncCopy(b, 0, host, 0, n);
            at (other) check("from an accelerator to the other host", host(), 7);
            // A part.
            if (n > 10) {
                finish Rail.asyncCopy(rail, 1, a, 5, n - 5);
                val part = new Rail[Long](n - 5);
                finish Rail.asyncCopy(a, 5, part, 0, n - 5);
                check("part", part, 8);
            }
            CUDAUtilities.deleteGlobalRail(a);
            try {
                finish Rail.asyncCopy(b, 0, a, 0, n);
                if (n > 0) Console.OUT.println("copied to a rail that was deleted");
            } catch (e:MultipleExceptions) {
                if (n == 2048) Console.OUT.println(e.exceptions()(0).getMessage());
            }
            try {
                finish Rail.asyncCopy(a, 0, back, 0, n);
                if (n > 0) Console.OUT.println("copied from a rail that was deleted");
            } catch (e:MultipleExceptions) {
                if (n == 2048) Console.OUT.println(e.exceptions()(0).getMessage());
            }
            CUDAUtilities.deleteGlobalRail(b);
            CUDAUtilities.deleteGlobalRail(c);
        }
        Console.OUT.println("all right");
    }
}
