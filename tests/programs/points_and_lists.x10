import x10.regionarray.Array;
import x10.regionarray.Region;
import x10.util.ArrayList;
import x10.util.GrowableRail;
import x10.util.HashMap;
import x10.util.Stack;

/** Points that loops make and arithmetic on them, at all ranks; the ends of lists; strings that are searched and split. */
public class points_and_lists {
    static def print(what:String, value:Any) { Console.OUT.println(what + ": " + value); }

    static def fails(what:String, body:()=>void) {
        try {
            body();
            print(what, "nothing raised");
        } catch (e:Exception) {
            print(what, e.typeName() + " " + e.getMessage());
        }
    }

    static def arithmetic(p:Point, q:Point(p.rank)) {
        print("p", p);
        print("-p", -p);
        print("+p", +p);
        print("p + q", p + q);
        print("p - q", p - q);
        print("p * q", p * q);
        print("p / q", p / q);
        print("p op 3", "" + (p + 3) + (p - 3) + (p * 3) + (p / 3));
        print("60 op p", "" + (60 + p) + (60 - p) + (60 * p) + (60 / p));
        print("order", "" + (p < q) + (p <= q) + (p > q) + (p >= q) + p.equals(q) + p.equals(p + 0) + (p.hashCode() == (p * 1).hashCode()));
        fails("p / 0", ()=>{ print("p / 0", p / 0); });
        fails("p(rank)", ()=>{ print("p(rank)", p(p.rank)); });
    }

    /** Of any rank: the points are the rows' own. */
    static def ofAnyRank(r:Region):String {
        var text:String = "";
        for (p in r) text += p;
        return text;
    }

    static def kept(r:Region(2)):ArrayList[Point(2)] {
        val all = new ArrayList[Point(2)]();
        for (p in r) all.add(p);
        return all;
    }

    static def sumOf(a:Array[Long](3)):Long {
        var sum:Long = 0;
        for (p in a) sum += a(p) * p(2);
        for (p[i, j, k] in a.region) sum += a(p) - a(i, j, k);
        return sum;
    }

    static def neighbours(a:Array[Long](2), r:Region(2)):Long {
        val steps = [Point.make(0, 1), Point.make(1, 0), Point.make(0, -1), Point.make(-1, 0)];
        var sum:Long = 0;
        for (p in r) for (s in steps) {
            val q = p + s;
            if (r.contains(q)) sum += a(q) * q(0) - q(1);
        }
        return sum;
    }

    static def points() {
        arithmetic(Point.make(7), Point.make(2) as Point(1));
        val p2 = Point.make(7, -8);
        arithmetic(p2, Point.make(2, 3));
        arithmetic(Point.make(7, -8, 9), Point.make(2, 3, -4) as Point(3));
        arithmetic(Point.make(7, -8, 9, 5), Point.make(2, 3, -4, 7));
        val p5 = Point.make([7, -8, 9, 5, 4]), q5 = Point.make([2, 3, -4, 7, 4]);
        arithmetic(p5, q5 as Point(p5.rank));
        print("rank 0", Point.make(0, (i:Long)=>i) + 3);
        fails("rank -1", ()=>{ Point.make(-1, (i:Long)=>i); });
        fails("quotient", ()=>{ print("quotient", Point.make(1, 2) / Point.make(1, 0)); });

        for (rank in 1..5) {
            val box = Region.makeRectangular(new Rail[Long](rank, -1), new Rail[Long](rank, (i:Long)=>i < 2 ? 0 : -1));
            print("box", ofAnyRank(box));
        }
        print("triangle", ofAnyRank(Region.makeLowerTriangular(3)));
        print("band", ofAnyRank(Region.makeBanded(3, 2, 1)));
        print("empty", ofAnyRank(Region.makeEmpty(2)));
        print("kept", kept(Region.make(0..1, 3..5)));
        print("kept of a triangle", kept(Region.makeUpperTriangular(3)));
        val cube = new Array[Long](Region.make(1..3, 0..2, -1..1), (p:Point(3))=>p(0) * 100 + p(1) * 10 + p(2));
        print("cube", sumOf(cube));
        val square = Region.make(0..4, 0..4);
        val plane = new Array[Long](square, (p:Point(2))=>p(0) * 5 + p(1));
        print("neighbours", neighbours(plane, square));
        val lower = Region.makeLowerTriangular(5);
        val half = new Array[Long](lower, (p:Point(2))=>p(0) * 5 + p(1));
        print("neighbours in a triangle", neighbours(half, lower));
        val four = new Array[Long](Region.make(0..1, 0..1, 0..1, 0..1), (p:Point(4))=>p(0) * 8 + p(1) * 4 + p(2) * 2 + p(3));
        var sum:Long = 0;
        for (p in four) sum = sum * 3 + four(p) + four(p(0), p(1), p(2), p(3));
        print("four axes", sum);
        fails("outside", ()=>{ print("outside", plane(Point.make(5, 0))); });
        fails("outside a triangle", ()=>{ print("outside", half(Point.make(0, 1))); });
        fails("outside by indices", ()=>{ print("outside", plane(0, -1)); });
        var previous:Point(2) = Point.make(0, 0);
        for (p in Region.make(0..1, 0..2)) {
            if (p(1) == 1) previous = p;
        }
        print("previous", previous);
    }

    static def lists() {
        val list = new ArrayList[String]();
        for (i in 1..5) list.add("s" + i);
        print("removed", list.removeLast() + list.removeFirst() + list.removeAt(1));
        list(0) = "first";
        list(list.size()) = "added";
        print("list", list);
        fails("set beyond", ()=>{ list(7) = "x"; });
        fails("set before", ()=>{ list(-1) = "x"; });
        val stack = new Stack[Long]();
        fails("pop of none", ()=>{ stack.pop(); });
        for (i in 1..3) stack.push(i * i);
        print("stack", "" + stack.pop() + " " + stack.peek() + " " + stack.pop() + " " + stack.pop() + " " + stack.size());
        val map = new HashMap[Long,String]();
        for (i in 0..999) map(i * 977 % 1000) = "v" + i;
        for (i in 0..999) if (i % 3 != 0) map.remove(i);
        var found:Long = 0;
        for (i in 0..999) if (map.containsKey(i)) found += map(i).length();
        print("map", "" + map.size() + " " + found + " " + map.remove(1) + " " + map.put(3, "new") + " " + map(3) + " " + map.delete(3) + " " + map.delete(3));
        map.clear();
        map(5) = "five";
        map.rehash();
        print("map", map);
    }

    static def texts() {
        for (text in ["", ",", "a", "a,b", ",a,,b,", "axxbxxxc"]) {
            print("split at ,", text.split(","));
            print("split at xx", text.split("xx"));
            print("split", text.split(""));
            print("index", "" + text.indexOf(",") + text.indexOf("xx") + text.indexOf("") + text.indexOf(",", 1n) + text.indexOf("", 9n) + text.indexOf("xx", -3n));
            print("last index", "" + text.lastIndexOf(",") + text.lastIndexOf("xx") + text.lastIndexOf("") + text.lastIndexOf(",", 1n) + text.lastIndexOf("xx", -1n) + text.lastIndexOf('x', 3n));
            print("starts", "" + text.startsWith("a") + text.startsWith("") + text.startsWith("a,b,c") + text.endsWith("b") + text.endsWith("") + text.endsWith(",a,,b,,") + text.contains("x"));
        }
        print("characters", new String(['a', 'b']) + new String(['ä', 'b', '€']) + new String(new Rail[Char](0)));
        var long:String = "";
        for (i in 1..3000) long += "" + i + (i % 100 == 0 ? "\n" : " ");
        print("long", long.length());
        print("end", long.substring(long.length() - 20n).trim());
        fails("starts with null", ()=>{ print("null", "a".startsWith(null)); });
    }

    public static def main(Rail[String]) {
        points();
        lists();
        texts();
    }
}
