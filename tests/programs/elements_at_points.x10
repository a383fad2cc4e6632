import x10.regionarray.Array;
import x10.regionarray.Region;

/** Elements at points that no loop counts, and whether points are in regions: of all ranks, boxes and others, inside and outside. */
public class elements_at_points {
    static def look(name:String, r:Region, points:Rail[Point]) {
        val a = new Array[Long](r, (p:Point)=>p.rank == 0 ? 7 : p(0) * 10 + p(p.rank - 1));
        val text = new x10.util.StringBuilder();
        for (p in points) {
            text.add(p + (r.contains(p) ? "+" : "-"));
            try {
                val q = p as Point(a.rank);
                a(q) = a(q) + 1;
                text.add(a(q));
            } catch (e:ArrayIndexOutOfBoundsException) {
                text.add(e.getMessage());
            } catch (e:ClassCastException) {
                text.add("another rank");
            }
            text.add(" ");
        }
        Console.OUT.println(name + ": " + text);
    }

    /** The sum of the elements next to each, and what stands on the diagonal. */
    static def around(a:Array[Long](2)):Long {
        val steps = [Point.make(0, 1), Point.make(1, 0), Point.make(0, -1), Point.make(-1, 0)];
        var sum:Long = 0;
        for (p in a.region) for (d in steps) if (a.region.contains(p + d)) sum = sum * 3 % 1000003 + a(p + d);
        var spot:Point(2) = Point.make(a.region.min(0), a.region.min(1));
        while (a.region.contains(spot)) {
            a(spot) = -a(spot);
            spot = spot + 1;
        }
        for (p in a.region) sum += a(p) * (p(1) + 2);
        return sum;
    }

    public static def main(args:Rail[String]) {
        val points = [Point.make(2), Point.make(-1), Point.make(5), Point.make(2, 3), Point.make(-1, -1), Point.make(3, 3), Point.make(2, 4),
            Point.make(2, 3, 4), Point.make(2, 3, 5), Point.make(3, 3, 4), Point.make(2, 3, 4, 5), Point.make(2, 3, 4, 6),
            Point.make([2, 3, 4, 5, 6] as Rail[Long]), Point.make([2, 3, 4, 5, 7] as Rail[Long])] as Rail[Point];
        look("one", Region.make(2, 4), points);
        look("two", Region.make(-1..2, -1..3), points);
        look("three", Region.make(0..2, 3..3, 4..4), points);
        look("four", Region.make(0..2, 3..3, 4..4, 5..5), points);
        look("five", Region.makeRectangular([0, 3, 4, 5, 6], [2, 3, 4, 5, 6]), points);
        look("empty", Region.make(3..2, 0..4), points);
        look("upper", Region.makeUpperTriangular(4), points);
        look("banded", Region.makeBanded(5, 2, 1), points);
        look("halves", Region.makeRectangularPoly([0, 0], [3, 3]), points);
        val ends = Region.make(Long.MIN_VALUE..Long.MAX_VALUE, (Long.MAX_VALUE - 1)..Long.MAX_VALUE);
        Console.OUT.println(ends.contains(Point.make(0, Long.MAX_VALUE)) + " " + ends.contains(Point.make(Long.MIN_VALUE, 0)) + " "
            + ends.contains(Point.make(Long.MAX_VALUE, Long.MAX_VALUE - 2)) + " " + Region.makeFull(2).contains(Point.make(1, 2)) + " "
            + Region.makeEmpty(2).contains(Point.make(1, 2)));
        Console.OUT.println(around(new Array[Long](Region.make(-2..3, 1..4), (p:Point(2))=>p(0) * 7 + p(1))));
        Console.OUT.println(around(new Array[Long](Region.makeLowerTriangular(5), (p:Point(2))=>p(0) * 7 + p(1))));
        val square = new Array[Long](Region.make(0..1, 0..1), 5);
        for (i in 0..2) {
            try {
                square(1, i) = i;
                Console.OUT.print(square(1, i) + " " + square(i, 0) + " ");
            } catch (e:ArrayIndexOutOfBoundsException) {
                Console.OUT.println(e.getMessage());
            }
        }
        val next = Place.places().next(here);
        val box = Region.make(0..3, 0..3);
        Console.OUT.println(at (next) (box.contains(Point.make(3, 3)) + " " + box.contains(Point.make(3, 4)) + " " + box.size()));
    }
}
