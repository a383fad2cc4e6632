import x10.regionarray.*;

/** The algebra of regions, rectangular and not, and arrays over them. */
public class regions {
    static def show(name:String, r:Region) {
        Console.OUT.println(name + " = " + r + ": rank " + r.rank + ", size " + r.size()
            + (r.rect ? ", rect" : "") + (r.zeroBased ? ", zero-based" : "") + (r.rail ? ", rail" : ""));
        var text:String = "";
        for (p in r) text += p;
        Console.OUT.println("  " + text);
    }

    static def rectangles() {
        val r = Region.make(0..2, 1..3);
        val s = Region.make(1..4, 0..2);
        show("r", r);
        show("r && s", r && s);
        show("r + [1,1]", r + Point.make(1, 1));
        show("r - [1,1]", r - Point.make(1, 1));
        show("projection", r.projection(1));
        show("eliminate", r.eliminate(0));
        show("product", Region.make(0, 1) * Region.make(5, 6));
        show("unit", Region.makeUnit());
        show("empty", Region.makeEmpty(2));
        val far = r && Region.make(7..8, 7..8);
        Console.OUT.println(far.isEmpty() + " " + r.disjoint(s) + " " + r.contains(Point.make(2, 3)) + " " + r.contains(3, 3));
        Console.OUT.println(r.indexOf(1, 2) + " " + r.indexOf(9, 9) + " " + r.minPoint() + " " + r.maxPoint() + " " + r.boundingBox());
        Console.OUT.println((r == s) + " " + r.equals(Region.make(0..2, 1..3)) + " " + far.equals(Region.makeEmpty(2)));
        Console.OUT.println((0..1) * (2..3) + " " + Region.make([0..1, 2..3, 4..5, 6..7, 8..9]).size());
        var count:Long = 0;
        for (p in Region.make([0..1, 2..3, 4..5, 6..7, 8..9])) count += p(4);
        Console.OUT.println(count);
    }

    static def polyhedra() {
        show("upper", Region.makeUpperTriangular(3));
        show("lower", Region.makeLowerTriangular(1, 2, 3));
        show("banded", Region.makeBanded(4, 2, 1));
        val wedge = Region.makeHalfspace(Point.make(1, 1), -4) && Region.make(0..3, 0..3);
        show("x+y<=4", wedge);
        show("translated", wedge.translate(Point.make(-1, 1)));
        show("extruded", Region.makeUpperTriangular(2) * Region.make(7, 8));
        Console.OUT.println(wedge.contains(Point.make(2, 2)) + " " + wedge.contains(Point.make(3, 2)) + " " + wedge.indexOf(2, 1));
        Console.OUT.println(wedge.contains(Region.make(0..2, 0..2)) + " " + wedge.contains(Region.make(0..2, 0..3)));
        Console.OUT.println(wedge.boundingBox() + " " + wedge.projection(0) + " " + wedge.eliminate(1));
        Console.OUT.println(Region.makeUpperTriangular(3).equals(Region.makeUpperTriangular(3) && Region.make(0..9, 0..9)));
        val odd = Region.makeHalfspace(Point.make(2, -2), -1) && Region.makeHalfspace(Point.make(-2, 2), 1);
        Console.OUT.println("no whole numbers: " + odd.isEmpty());
        try {
            Console.OUT.println(Region.makeHalfspace(Point.make(1, 0), 0).size());
        } catch (e:UnboundedRegionException) {
            Console.OUT.println(e.getMessage());
        }
        try {
            Region.makeFull(2).iterator();
        } catch (e:UnboundedRegionException) {
            Console.OUT.println(e.getMessage());
        }
    }

    static def arrays() {
        val r = Region.make(1..3, -1..1);
        val a = new Array[Long](r, (p:Point(2))=>10 * p(0) + p(1));
        Console.OUT.println(a(1, -1) + " " + a(3, 1) + " " + a(Point.make(2, 0)) + " " + a.rank + " " + a.size);
        a(2, 0) = 7;
        a(Point.make(2, 1)) += 100;
        Console.OUT.println(a.raw());
        Console.OUT.println(a.reduce((x:Long, y:Long)=>x + y, 0) + " " + a.map((x:Long)=>-x)(3, 1));
        val b = new Array[Long](r);
        a.map(b, a, (x:Long, y:Long)=>x - y);
        Console.OUT.println(b.reduce((x:Long, y:Long)=>x + y, 0));
        Console.OUT.println(a.scan((x:Long, y:Long)=>x + y, 0).raw());
        b.copy(a, Region.make(1..1, 0..1));
        Console.OUT.println(b.raw());
        val t = new Array[Long](Region.makeUpperTriangular(3), (p:Point)=>p(0) * p(1));
        Console.OUT.println(t(1, 2) + " " + t.reduce((x:Long, y:Long)=>x + y, 0));
        for (x in t.values()) Console.OUT.print(x + " ");
        Console.OUT.println();
        try {
            t(2, 1) = 1;
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println(e.getMessage());
        }
        try {
            Console.OUT.println(a(0, 0));
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println(e.getMessage());
        }
        val line = new Array[Int](4, (i:Long)=>i as Int);
        line(3) = 30n;
        Console.OUT.println(line + " " + line.rail + " " + line.region);
    }

    public static def main(args:Rail[String]) {
        rectangles();
        polyhedra();
        arrays();
    }
}
