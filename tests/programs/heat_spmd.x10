// Heat in a rod: each place has a part, exchanges its ends with its neighbours, and a team finds the largest change.
import x10.util.Team;

public class heat_spmd {
    static class Part {
        val n:Long;
        var now:Rail[Double];
        var next:Rail[Double];
        def this(n:Long) { this.n = n; now = new Rail[Double](n + 2); next = new Rail[Double](n + 2); }
        def step():Double {
            var change:Double = 0.0;
            for (i in 1..n) {
                next(i) = 0.5 * (now(i - 1) + now(i + 1));
                change = Math.max(change, Math.abs(next(i) - now(i)));
            }
            next(0) = now(0);
            next(n + 1) = now(n + 1);
            val t = now; now = next; next = t;
            return change;
        }
    }
    public static def main(args:Rail[String]) {
        val total = 20;
        val P = Place.numPlaces();
        val parts = PlaceLocalHandle.make[Part](Place.places(), () => {
            val lo = here.id * total / P, hi = (here.id + 1) * total / P;
            val part = new Part(hi - lo);
            if (here.id == 0) part.now(0) = 1.0;
            if (here.id == P - 1) part.now(part.n + 1) = 0.0;
            return part;
        });
        val steps = new GlobalRef[Cell[Long]](new Cell[Long](0));
        Place.places().broadcastFlat(() => {
            val team = Team.WORLD;
            var k:Long = 0;
            var change:Double = 1.0;
            while (change > 1e-6) {
                val part = parts();
                val first = part.now(1), last = part.now(part.n);
                if (here.id > 0) { val p = Place(here.id - 1); at (p) { val q = parts(); q.now(q.n + 1) = first; } }
                if (here.id < P - 1) { val p = Place(here.id + 1); at (p) { parts().now(0) = last; } }
                team.barrier();
                change = team.allreduce(part.step(), Team.MAX);
                team.barrier();
                k++;
            }
            if (here.id == 0) { val kk = k; at (steps) { steps()() = kk; } }
        });
        var sum:Double = 0.0;
        for (p in Place.places()) sum += at (p) { var s:Double = 0.0; val q = parts(); for (i in 1..q.n) s += q.now(i); s };
        Console.OUT.println("steps " + steps()());
        Console.OUT.printf("sum %.4f\n", sum);
    }
}
