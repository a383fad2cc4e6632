import x10.array.Array_2;
import x10.regionarray.*;
import x10.util.ArrayList;

/** Points in loops: of regions whose rank is known or not, boxes or other forms, as indices of what covers them and what does not. */
public class points_as_indices {
    static def show(name:String, value:Any) { Console.OUT.println(name + ": " + value); }

    /** The sum of each point's coordinates, weighted, over a region of any rank. */
    static def weigh(r:Region):Long {
        var sum:Long = 0;
        for (p in r) for (axis in 0..(p.rank - 1)) sum = sum * 3 % 1000003 + p(axis);
        return sum;
    }
    static def sum(a:Array[Long], r:Region):Long {
        var sum:Long = 0;
        for (p in r) {
            if (p.rank > 1 && p(0) == p(1)) continue;
            sum += a(p as Point(a.rank)) * (p(0) + 1);
        }
        return sum;
    }
    static def twice(a:Array[Long]) {
        for (p in a) a(p) *= 2;
        for (p in a.region) a(p as Point(a.rank)) += p(p.rank - 1);
    }
    static def ranks() {
        for (rank in 1..6) {
            val low = new Rail[Long](rank, (i:Long)=>-i);
            val high = new Rail[Long](rank, (i:Long)=>2 - i % 2);
            val r:Region = Region.makeRectangular(low, high);
            val a = new Array[Long](r, (p:Point)=>p(0) * 10 + p(p.rank - 1));
            twice(a);
            show("rank " + rank, r.size() + " points, " + weigh(r) + ", " + sum(a, r) + ", " + a.reduce((x:Long, y:Long)=>x + y, 0));
        }
        show("empty", weigh(Region.make(3..2, 0..4)) + weigh(Region.makeEmpty(3)));
        show("unit", weigh(Region.makeUnit()));
    }
    static def forms() {
        for (r in [Region.makeUpperTriangular(4) as Region, Region.makeLowerTriangular(2, 1, 3), Region.makeBanded(5, 2, 1),
                (Region.make(0..3, 0..3) && Region.makeUpperTriangular(3)) as Region]) {
            val a = new Array[Long](r, (p:Point)=>p(0) * 10 + p(1));
            twice(a);
            var inside:Long = 0;
            for (p in Region.make(-1..5, -1..5)) if (r.contains(p as Point(r.rank))) inside++;
            show("form", r + ": " + r.size() + "=" + inside + ", " + weigh(r) + ", " + sum(a, r));
        }
        val tri = Region.makeUpperTriangular(4);
        val a = new Array[Long](tri, 1);
        try {
            for (p in Region.make(0..3, 0..3)) a(p) = 7;
        } catch (e:ArrayIndexOutOfBoundsException) { show("below", e.getMessage() + ", " + a.reduce((x:Long, y:Long)=>x + y, 0)); }
    }
    /** What does not exist is found where it is requested, after all before it. */
    static def outside(a:Array[Long], r:Region):Long {
        var done:Long = 0;
        try {
            for (p in r) {
                a(p as Point(a.rank)) = 5;
                done++;
            }
        } catch (e:ArrayIndexOutOfBoundsException) { show("outside", e.getMessage()); }
        return done;
    }
    static def neighbours():Long {
        val r = Region.make(0..5, 0..6);
        val a = new Array[Long](r, (p:Point)=>(p(0) * 7 + p(1) * 5) % 11);
        val steps = [Point.make(0, 1), Point.make(1, 0), Point.make(0, -1), Point.make(-1, 0)];
        var count:Long = 0;
        for (p in r) for (d in steps) {
            val q = p + d;
            if (r.contains(q) && a(q) > a(p)) count++;
        }
        return count;
    }
    static def kept() {
        val list = new ArrayList[Point]();
        outer: for (p in Region.make(0..3, 0..3) as Region) {
            if (p(0) == 2) break;
            for (q in Region.make(0..3) as Region) {
                if (q(0) == p(1)) continue outer;
                if (p(0) + q(0) == 2) list.add(p);
            }
        }
        show("kept", list);
        val again = new Rail[Point](4);
        var n:Long = 0;
        for (p in Region.make(0..1, 0..1)) again(n++) = p;
        show("rail", again);
        val sums = new Rail[()=>Long](4);
        n = 0;
        for (p in Region.make(0..1, 2..3) as Region) sums(n++) = ()=>p(0) * 10 + p(1);
        show("closures", sums(0)() + " " + sums(3)());
    }
    static def spaces() {
        val a = new Array_2[Double](3, 4, (i:Long, j:Long)=>(i * 4 + j) as Double);
        for (p in a.indices()) a(p) = a(p) + p(0) * 100;
        for (p[i, j] in a.indices()) if (i == j) a(p) = -a(i, j);
        var sum:Double = 0;
        for (p:Point(2) in a.indices()) sum += a(p) * p(1);
        show("dense", sum + " " + a);
    }
    static def distributed() {
        val d = Dist.makeBlock(Region.make(0..7, 0..2));
        val a = DistArray.make[Long](d, (p:Point)=>p(0) * 3 + p(1));
        finish for (place in d.places()) at (place) async {
            for (p in d | here) a(p) = a(p) * 2 + p(0);
            for ([i, j] in d(here)) a(i, j) += j;
        }
        var sum:Long = 0;
        for (place in d.places()) sum += at (place) {
            var mine:Long = 0;
            for (p in d(here)) mine += a(p) * (p(0) + 1);
            mine
        };
        show("distributed", sum);
        try {
            finish for (place in d.places()) at (place) async {
                for (p in Region.make(0..8, 0..0)) if (p(0) == 8) a(p as Point(a.rank)) = 1;
            }
        } catch (e:MultipleExceptions) { show("no point", e.exceptions()(0).getMessage()); }
    }
    static def moved() {
        val big = Region.make(0..5, 0..5);
        val inner = Region.make(1..4, 1..4);
        val a = new Array[Double](big, (p:Point)=>(p(0) * p(1)) as Double);
        val b = new Array[Double](big, 0.0);
        for (p in inner) b(p) = (a(p(0) - 1, p(1)) + a(p(0) + 1, p(1)) + a(p + Point.make(0, 1)) + a(p - [0 as Long, 1])) / 4;
        for (p in inner) a(p) = b(p) + p(1);
        show("moved", a.reduce((x:Double, y:Double)=>x + y, 0.0));
        b.copy(a as Array[Double](b.rank), inner as Region(b.rank));
        show("copied", b.reduce((x:Double, y:Double)=>x + y, 0.0));
        show("mapped", b.map((x:Double)=>x * 2).reduce((x:Double, y:Double)=>x + y, 0.0));
        show("scanned", a.scan((x:Double, y:Double)=>x + y, 0.0)(Point.make(5, 5) as Point(a.rank)));
    }
    public static def main(Rail[String]) {
        ranks();
        forms();
        val line = new Array[Long](Region.make(0, 4), 1);
        show("done", outside(line, Region.make(-0, 9)));
        show("done", outside(new Array[Long](Region.make(0..3, 0..3), 1), Region.make(1..3, 1..4)));
        show("done", outside(new Array[Long](Region.make(0..2, 0..2, 0..2), 1), Region.make(0..2, 0..3, 0..2)));
        try {
            outside(line, Region.make(0..1, 0..1));
        } catch (e:FailedDynamicCheckException) { show("rank", "differs"); } catch (e:ClassCastException) { show("rank", "differs"); }
        show("neighbours", neighbours());
        kept();
        spaces();
        distributed();
        moved();
    }
}
