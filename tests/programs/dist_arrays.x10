import x10.regionarray.*;

/** Arrays distributed over the places: made, read where they are, mapped, reduced, with ghosts. What is printed does not depend on how many there are. */
public class dist_arrays {
    static def check(what:String, holds:Boolean) {
        if (!holds) Console.OUT.println("WRONG: " + what);
    }

    static def distributions() {
        val r = Region.make(0..9, 0..6);
        val dists = [Dist.makeBlock(r), Dist.makeBlock(r, 1), Dist.makeBlockBlock(r), r->here, Dist.makeBlockBlock(r, 1, 0)];
        for (d in dists) {
            var sum:Long = 0;
            for (p in d.places()) {
                val own = d.get(p);
                sum += own.size();
                for (point in own) check("place of " + point, d(point) == p);
            }
            Console.OUT.println(sum + " points, " + d.rank + " axes");
            val part = d | Region.make(2..3, 2..3);
            check("restricted region", part.region.size() == 4);
            for (point in part.region) check("restricted place", part(point) == d(point));
            check("restricted to here", (d | here).region.equals(d.get(here)));
            check("equal", d.equals(d) && part.isSubdistribution(d));
        }
        try {
            Console.OUT.println(dists(0)(10, 0));
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println(e.getMessage());
        }
        check("unique", Dist.makeUnique().region.size() == Place.numPlaces());
    }

    static def arrays() {
        val d = Dist.makeBlock(Region.make(1..8, 1..3));
        val a = DistArray.make[Long](d, ([i, j]:Point)=>10 * i + j);
        var sum:Long = 0;
        for (p in a) sum += at (a.dist(p)) a(p);
        Console.OUT.println(sum + " " + a.reduce((x:Long, y:Long)=>x + y, 0));
        val b = a.map((x:Long)=>x as Double / 2);
        Console.OUT.println(b.reduce((x:Double, y:Double)=>x + y, 0.0));
        finish for (p in d.places()) async at (p) {
            for (point in a.localRegion()) a(point) = -a(point);
        }
        Console.OUT.println(a.reduce((x:Long, y:Long)=>Math.min(x, y), 0) + " " + (a | Region.make(1..2, 1..1)).reduce((x:Long, y:Long)=>x + y, 0));
        val c = DistArray.make[Long](d, 5);
        c.map(c, a, (x:Long, y:Long)=>x + y);
        Console.OUT.println(c.reduce((x:Long, y:Long)=>x + y, 0));
        c.fill(2);
        Console.OUT.println(c.reduce((x:Long, y:Long)=>x + y, 0));
        try {
            Console.OUT.println(a(0, 0));
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println(e.getMessage());
        }
        var caught:Long = 0;
        for (p in d.places()) if (p != here) {
            try {
                a(d.get(p).minPoint());
            } catch (e:BadPlaceException) {
                caught++;
            }
        }
        check("elements of other places", caught == Place.numPlaces() - 1);
        at (d.places()(Place.numPlaces() - 1)) {
            val own = a.localRegion();
            val patch = a.getPatch(own as Region(a.rank){self.rect});
            check("patch", patch.region.equals(own) && patch(own.minPoint()) == a(own.minPoint()));
        }
    }

    static def ghosts(d:Dist, periodic:Boolean) {
        val a = DistArray.make[Long](d, (p:Point)=>100 * p(0) + p(1), 1, periodic);
        a.updateGhosts();
        finish for (p in d.places()) async at (p) {
            for (point in a.localRegion()) {
                val home = PeriodicBoundaryConditions.wrapPeriodic(point, d.region);
                check("ghost " + point + " at " + here, a(point) == 100 * home(0) + home(1));
            }
        }
    }

    public static def main(args:Rail[String]) {
        distributions();
        arrays();
        val r = Region.make(0..11, 0..7);
        for (periodic in [false, true]) {
            ghosts(Dist.makeBlock(r), periodic);
            ghosts(Dist.makeBlock(r, 1), periodic);
            ghosts(Dist.makeBlockBlock(r), periodic);
        }
        Console.OUT.println("ghosts are right");
    }
}
