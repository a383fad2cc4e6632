// Regions and distributions against sets of points: every operation on every pair of some regions of each rank, empty ones among them.
import x10.regionarray.*;
import x10.util.ArrayList;

public class regions_as_sets {
    static val checks = new Rail[Long](2);

    static def check(holds:Boolean, what:()=>String):void {
        checks(0)++;
        if (!holds && checks(1)++ < 20) Console.OUT.println("wrong: " + what());
    }

    // The points that are examined: a cube of SIDE numbers from LOW on each axis.
    static val LOW = -2;
    static val SIDE = 7;

    static def volume(rank:Long):Long { var n:Long = 1; for (i in 1..rank) n *= SIDE; return n; }
    /** Number n of the points, in lexicographic order. */
    static def point(rank:Long, n:Long):Point(rank) {
        val c = new Rail[Long](rank);
        var rest:Long = n;
        for (var axis:Long = rank - 1; axis >= 0; axis--) {
            c(axis) = LOW + rest % SIDE;
            rest /= SIDE;
        }
        return Point.make(c) as Point(rank);
    }

    /** A region, and which points of the cube are in it. It has no others, unless it is unbounded. */
    static class Case {
        val region:Region;
        val model:Rail[Boolean];
        val bounded:Boolean;
        /** Whether the coordinates of its points have no gaps: then projections are as exact as those of sets. */
        val whole:Boolean;

        def this(region:Region, bounded:Boolean, whole:Boolean, holds:(Point)=>Boolean) {
            this.region = region; this.bounded = bounded; this.whole = whole;
            model = new Rail[Boolean](volume(region.rank), (n:Long)=>holds(point(region.rank, n)));
        }
        def this(region:Region, holds:(Point)=>Boolean) { this(region, true, true, holds); }
        def size():Long { var count:Long = 0; for (b in model) if (b) count++; return count; }
        public def toString():String = region.toString();
    }

    static def box(low:Rail[Long], high:Rail[Long]):Case = new Case(Region.makeRectangular(low, high), (p:Point)=>{
        for (i in 0..(p.rank - 1)) if (p(i) < low(i) || p(i) > high(i)) return false;
        return true;
    });
    static def half(normal:Rail[Long], k:Long):Case = new Case(Region.makeHalfspace(Point.make(normal), k), false, true, (p:Point)=>{
        var sum:Long = k;
        for (i in 0..(p.rank - 1)) sum += normal(i) * p(i);
        return sum <= 0;
    });
    static def both(a:Case, b:Case, whole:Boolean):Case {
        val model = new Rail[Boolean](a.model.size, (n:Long)=>a.model(n) && b.model(n));
        val rank = a.region.rank;
        return new Case(a.region.intersection(b.region as Region(rank)), a.bounded || b.bounded, whole, (p:Point)=>model(number(p)));
    }
    static def number(p:Point):Long { var n:Long = 0; for (i in 0..(p.rank - 1)) n = n * SIDE + p(i) - LOW; return n; }

    static def cases(rank:Long):Rail[Case] {
        val all = new ArrayList[Case]();
        val of = (x:Long)=>new Rail[Long](rank, x);
        val but = (x:Long, axis:Long, y:Long)=>new Rail[Long](rank, (i:Long)=>i == axis ? y : x);
        all.add(new Case(Region.makeEmpty(rank), (p:Point)=>false));
        all.add(new Case(Region.makeFull(rank), rank == 0, true, (p:Point)=>true));
        all.add(box(of(0), of(2)));
        all.add(box(of(1), of(1)));
        all.add(box(of(-1), of(3)));
        if (rank == 0) { all.add(new Case(Region.makeUnit(), (p:Point)=>true)); return all.toRail(); }
        for (axis in 0..(rank - 1)) {
            all.add(box(but(0, axis, 1), but(2, axis, 0)));
            all.add(box(but(0, axis, -1), but(1, axis, 1)));
        }
        all.add(box(of(3), of(-1)));
        all.add(half(but(0, 0, 1), -1));
        all.add(half(of(1), -2));
        all.add(both(half(of(1), -2), box(of(0), of(3)), true));
        all.add(both(half(but(-1, 0, 2), 0), box(of(-1), of(2)), false));
        // Between two half-spaces there are points with fractions only.
        all.add(both(both(half(but(0, 0, 2), -1), half(but(0, 0, -2), 1), true), box(of(0), of(2)), true));
        if (rank == 1) return all.toRail();
        all.add(both(both(half(but(-2, 0, 1), 0), half(but(2, 0, -1), 0), false), box(of(0), of(4)), false));
        if (rank == 2) {
            all.add(new Case(Region.makeUpperTriangular(3), (p:Point)=>0 <= p(0) && p(0) <= p(1) && p(1) < 3));
            all.add(new Case(Region.makeLowerTriangular(-1, 1, 3), (p:Point)=>1 <= p(1) && p(0) + 1 >= p(1) - 1 && p(0) < 2));
            all.add(new Case(Region.makeBanded(4, 2, 1), (p:Point)=>0 <= p(0) && p(0) < 4 && 0 <= p(1) && p(1) < 4 && p(1) - p(0) <= 1 && p(0) <= p(1)));
            all.add(new Case(Region.makeBanded(3), (p:Point)=>0 <= p(0) && p(0) < 3 && p(0) == p(1)));
            all.add(new Case(Region.makeUpperTriangular(0), (p:Point)=>false));
        }
        return all.toRail();
    }

    static def alone(it:Case) {
        val region = it.region;
        val rank = region.rank;
        for (n in 0..(it.model.size - 1)) {
            val p = point(rank, n);
            check(region.contains(p) == it.model(n), ()=>it + " contains " + p);
        }
        check(region.isEmpty() == (it.size() == 0), ()=>it + " is empty");
        check(region.equals(region) && region.contains(region), ()=>it + " equals itself");
        check(region.isConvex() && region.hashCode() == region.hashCode(), ()=>it + " is convex");
        if (!it.bounded) return;
        check(region.size() == it.size(), ()=>"size of " + it + ": " + region.size());
        // In order, and each at its index.
        var next:Long = 0;
        var inOrder:Boolean = true;
        var before:Long = -1;
        for (p in region) {
            inOrder &= number(p) > before && it.model(number(p)) && region.indexOf(p) == next;
            before = number(p);
            next++;
        }
        var steps:Long = 0;
        for (val points = region.iterator(); points.hasNext(); points.next()) steps++;
        val found = next;
        val walked = steps;
        val good = inOrder;
        check(good && found == it.size() && walked == it.size(), ()=>"points of " + it + ": " + found + " " + walked + " " + good);
        check(region.indexOf(Point.make(rank, (i:Long)=>100)) == (rank == 0 && it.size() == 1 ? 0 : -1), ()=>"index in " + it);
        if (it.size() == 0) return;
        val bounds = region.boundingBox();
        for (axis in 0..(rank - 1)) {
            var least:Long = 100;
            var greatest:Long = -100;
            for (n in 0..(it.model.size - 1)) if (it.model(n)) {
                least = Math.min(least, point(rank, n)(axis));
                greatest = Math.max(greatest, point(rank, n)(axis));
            }
            val low = least;
            val high = greatest;
            check(region.min(axis) == low && region.max(axis) == high && bounds.min(axis) == low && bounds.max(axis) == high,
                ()=>"bounds of " + it + " on " + axis + ": " + region.min(axis) + ".." + region.max(axis));
            check(region.projection(axis).equals(Region.make(low, high)), ()=>"projection of " + it + " on " + axis);
        }
        check(bounds.contains(region as Region(bounds.rank)) && bounds.rect, ()=>"box of " + it);
    }

    static def lessAnAxis(it:Case) {
        val rank = it.region.rank;
        for (axis in 0..(rank - 1)) {
            val shadow = it.region.eliminate(axis);
            val model = new Rail[Boolean](volume(rank - 1));
            for (n in 0..(it.model.size - 1)) if (it.model(n)) {
                val p = point(rank, n);
                model(number(Point.make(rank - 1, (i:Long)=>p(i < axis ? i : i + 1)))) = true;
            }
            if (!it.bounded) continue;
            for (n in 0..(model.size - 1)) {
                val is = shadow.contains(point(rank - 1, n));
                check(it.whole ? is == model(n) : is || !model(n), ()=>it + " without axis " + axis + ": " + shadow + " at " + point(rank - 1, n));
            }
            if (it.size() == 0) check(shadow.isEmpty() && it.region.projection(axis).isEmpty(), ()=>"shadow of " + it);
        }
    }

    static def moved(it:Case) {
        val rank = it.region.rank;
        for (by in -1..1) {
            val v = Point.make(rank, (i:Long)=>i % 2 == 0 ? by : -by);
            val there = it.region + (v as Point(it.region.rank));
            val back = there - (v as Point(there.rank));
            for (n in 0..(it.model.size - 1)) {
                val p = point(rank, n);
                check(there.contains(p + v) == it.model(n) && back.contains(p) == it.model(n), ()=>it + " moved by " + v + " at " + p);
            }
            check(back.equals(it.region), ()=>it + " moved to and fro");
        }
    }

    static def pair(a:Case, b:Case) {
        val rank = a.region.rank;
        val left = a.region as Region(rank);
        val right = b.region as Region(rank);
        val both = left && right;
        var common:Long = 0;
        var within:Boolean = true;
        var same:Boolean = true;
        for (n in 0..(a.model.size - 1)) {
            val is = a.model(n) && b.model(n);
            if (is) common++;
            within &= a.model(n) || !b.model(n);
            same &= a.model(n) == b.model(n);
            check(both.contains(point(rank, n)) == is, ()=>a + " and " + b + " at " + point(rank, n));
        }
        val count = common;
        if (a.bounded || b.bounded) {
            check(both.size() == count && both.isEmpty() == (count == 0), ()=>"size of " + a + " and " + b + ": " + both.size());
            check(left.disjoint(right) == (count == 0), ()=>a + " and " + b + " are disjoint");
        }
        val contains = within && (b.bounded || !a.bounded);
        // Of two unbounded regions the cube says too little.
        if (a.bounded || b.bounded) {
            check(left.contains(right) == contains, ()=>a + " contains " + b);
            val equal = same && a.bounded == b.bounded;
            check(left.equals(right) == equal, ()=>a + " equals " + b);
            if (equal) check(left.hashCode() == right.hashCode(), ()=>"hashes of " + a + " and " + b);
        }
    }

    static def product(a:Case, b:Case) {
        val all = a.region * b.region;
        val rank = a.region.rank;
        for (n in 0..(a.model.size - 1)) for (m in 0..(b.model.size - 1)) {
            val p = point(rank, n);
            val q = point(b.region.rank, m);
            val joint = Point.make(rank + q.rank, (i:Long)=>i < rank ? p(i) : q(i - rank));
            check(all.contains(joint) == (a.model(n) && b.model(m)), ()=>a + " times " + b + " at " + joint);
        }
        if (a.bounded && b.bounded) check(all.size() == a.size() * b.size(), ()=>"size of " + a + " times " + b);
    }

    /** Each point is at one place, which has it among its points, in parts that are those of the region. */
    static def distributed(d:Dist, it:Case, what:String) {
        val rank = it.region.rank;
        val parts = new ArrayList[Region]();
        for (part in d.regions()) parts.add(part);
        var total:Long = 0;
        for (part in parts) total += part.size();
        val sum = total;
        check(sum == it.size() && d.numPlaces() == parts.size() && d.region.size() == sum, ()=>what + " of " + it + ": " + sum);
        for (n in 0..(it.model.size - 1)) {
            val p = point(rank, n);
            check(d.contains(p) == it.model(n), ()=>what + " of " + it + " contains " + p);
            if (!it.model(n)) continue;
            val home = d(p as Point(d.rank));
            check(d.get(home).contains(p), ()=>what + " of " + it + ": " + p + " at " + home);
            check(d.containsLocally(p) == (home == here), ()=>what + " of " + it + " has " + p + " here");
        }
        check(d.equals(d) && d.isSubdistribution(d as Dist(d.rank)), ()=>what + " of " + it + " equals itself");
    }

    static def distributions(it:Case, some:Rail[Case]) {
        val region = it.region;
        val rank = region.rank;
        val all = new ArrayList[Dist]();
        all.add(Dist.makeConstant(region));
        for (axis in 0..(rank - 1)) all.add(Dist.makeBlock(region, axis));
        if (rank > 1) all.add(Dist.makeBlockBlock(region, 0, 1));
        if (rank > 1) all.add(Dist.makeBlockBlock(region, rank - 1, 0));
        for (d in all) {
            distributed(d, it, d.typeName());
            for (other in some) {
                val r = other.region as Region(d.rank);
                distributed(d | r, both(it, other, false), d.typeName() + " within " + other);
            }
            var total:Long = 0;
            for (p in Place.places()) {
                val there = d | p;
                check(there.region.equals(d(p)) && there.isSubdistribution(d as Dist(there.rank)), ()=>d + " at " + p);
                val inner = there | (some(0).region as Region(there.rank));
                check(inner.get(p).size() == 0 && inner.region.isEmpty(), ()=>d + " at " + p + " without points");
                total += there.region.size();
            }
            val sum = total;
            check(sum == it.size(), ()=>d + " at all places: " + sum);
        }
        val array = DistArray.make[Long](all.getLast(), (p:Point)=>1);
        check(array.reduce((a:Long, b:Long)=>a + b, 0) == it.size(), ()=>"array over " + all.getLast());
        val whole = new Array[Long](region, (p:Point)=>2);
        check(whole.reduce((a:Long, b:Long)=>a + b, 0) == 2 * it.size(), ()=>"array of " + region);
    }

    public static def main(Rail[String]) {
        for (rank in 0..3) {
            val all = cases(rank);
            for (it in all) {
                alone(it);
                lessAnAxis(it);
                moved(it);
                for (other in all) pair(it, other);
            }
        }
        val singles = cases(1);
        for (rank in 0..2) for (a in cases(rank)) for (b in singles) {
            product(a, b);
            product(b, a);
        }
        for (rank in 1..2) {
            val all = cases(rank);
            for (it in all) if (it.bounded) distributions(it, [all(0), all(2), all(4), all(6)]);
        }
        // Empty boxes of each rank, and an intersection of two.
        val empty = Region.make(1..0) && Region.make(5..4);
        check(empty.isEmpty() && !empty.iterator().hasNext() && empty.equals(Region.makeEmpty(1)), ()=>"two empty ranges");
        // As many numbers as there are Longs.
        val line = Region.make(Long.MIN_VALUE..Long.MAX_VALUE);
        check(line.equals(Region.makeFull(1)) && line.contains(Long.MIN_VALUE) && line.hashCode() == Region.makeFull(1).hashCode(), ()=>"all Longs");
        check((line && Region.make(3..4)).size() == 2 && line.iterator().next()(0) == Long.MIN_VALUE, ()=>"some of all Longs");
        val last = Region.make((Long.MAX_VALUE - 1)..Long.MAX_VALUE, Long.MIN_VALUE..Long.MIN_VALUE);
        var count:Long = 0;
        for (p in last) count++;
        val counted = count;
        check(counted == 2 && last.size() == 2, ()=>"the last Longs: " + counted);
        Console.OUT.println(checks(1) + " checks fail" + (checks(0) > 10000 ? "" : ": too few were made"));
    }
}
