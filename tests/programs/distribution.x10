import x10.util.Team;

// places: 1 2 5
/** Activities that travel on, one object a place, collective operations, copies, and what goes wrong at places that are not there. */
public class distribution {
    static class Result { var value:Long; }

    /** Every second term is computed at another place. */
    static def fib(n:Long):Long {
        if (n < 2) return n;
        val result = new Result();
        val there = GlobalRef[Result](result);
        var own:Long = 0;
        finish {
            async at (Place((here.id + n) % Place.numPlaces())) {
                val value = fib(n - 1);
                at (there.home) there().value = value;
            }
            own = fib(n - 2);
        }
        return own + result.value;
    }

    static def scatter(depth:Long, counts:PlaceLocalHandle[Result]):void {
        atomic counts().value += 1;
        if (depth > 0) for (i in 1..3) {
            async at (Place((here.id + i) % Place.numPlaces())) scatter(depth - 1, counts);
        }
    }

    static def collectives() {
        val mine = new Rail[Long](3, (i:Long)=>here.id + i);
        val sum = new Rail[Long](3);
        Team.WORLD.allreduce(mine, 0, sum, 0, 3, Team.ADD);
        val n = Place.numPlaces();
        for (i in 0..2) assert sum(i) == n * (n - 1) / 2 + n * i;
        Team.WORLD.barrier();
        assert Team.WORLD.allreduce(here.id, Team.MAX) == n - 1;
        val told = new Rail[Double](2);
        Team.WORLD.bcast(Place(n - 1), new Rail[Double](2, here.id + 0.5), 0, told, 0, 2);
        assert told(1) == n - 0.5;
        val least = new Rail[Long](1, -1);
        Team.WORLD.reduce(Place(0), mine, 2, least, 0, 1, Team.MIN);
        assert least(0) == (here.id == 0 ? 2 : -1);
    }

    static def exceptions(last:Place) {
        try {
            finish for (p in Place.places()) async at (p) {
                async throw new IllegalStateException("one");
                throw new IllegalStateException("two");
            }
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions.size == 2 * Place.numPlaces());
        }
        try {
            at (last) { finish async at (Place(0)) throw new IllegalArgumentException("nested"); }
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions.size + " " + e.exceptions(0).getMessage());
        }
        try {
            at (Place(99)) Console.OUT.println("nobody is there");
        } catch (e:BadPlaceException) {
            Console.OUT.println(e.getMessage());
        }
        val remote = at (last) GlobalRail[Long](new Rail[Long](10));
        try {
            finish Rail.asyncCopy(new Rail[Long](20), 0, remote, 5, 10);
        } catch (e:Exception) {
            Console.OUT.println(e.getMessage());
        }
    }

    public static def main(args:Rail[String]) {
        val last = Place(Place.numPlaces() - 1);
        Console.OUT.println(fib(9));

        val counts = PlaceLocalHandle.make[Result](Place.places(), ()=>new Result());
        for (round in 1..3) finish scatter(5, counts);
        var total:Long = 0;
        for (p in Place.places()) total += at (p) counts().value;
        Console.OUT.println(total);

        finish for (p in Place.places()) async at (p) for (round in 1..10) collectives();

        val source = new Rail[Double](100000, (i:Long)=>i as Double);
        val remote = at (last) GlobalRail[Double](new Rail[Double](100000));
        finish Rail.asyncCopy(source, 10, remote, 20, 99980);
        Console.OUT.println(at (last) { var sum:Double = 0; for (i in 0..99999) sum += remote(i); sum });
        val back = new Rail[Double](3);
        finish Rail.asyncCopy(remote, 99998, back, 1, 2);
        Console.OUT.println(back(0) + " " + back(1) + " " + back(2));

        exceptions(last);
    }
}
