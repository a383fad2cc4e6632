// What activities see of each other's `@Volatile` fields, and what many read at once of objects that make something when first asked.
import x10.array.DistArray_Block_1;
import x10.compiler.Volatile;
import x10.regionarray.Dist;
import x10.regionarray.DistArray;
import x10.regionarray.Region;
import x10.util.HashMap;

public class volatile {
    static class Turn[T] {
        @Volatile var value:T;
        @Volatile var ready:Boolean = false;
        @Volatile private var next:Turn[T] = null;
        val log = new Rail[Long](1);
        def this(value:T) { this.value = value; }
        def link(that:Turn[T]) { next = that; return next.value; }
    }

    static class Named extends Turn[String] {
        @Volatile var weight:Double = 0.5;
        @Volatile var short:Short = 1s;
        def this() { super("none"); }
    }

    static def spin(turn:Turn[Long]) { while (!turn.ready) System.sleep(0); }

    /** An ordinary element is seen by all code that has seen the field that was written after it. */
    static def handOver() {
        val there = new Turn[Long](0), back = new Turn[Long](0);
        finish {
            async for (i in 1..100) {
                there.log(0) = i;
                there.value += i;
                there.ready = true;
                spin(back);
                back.ready = false;
                if (back.log(0) != 2 * i) Console.OUT.println("wrong " + i);
            }
            for (i in 1..100) {
                spin(there);
                there.ready = false;
                back.log(0) = there.log(0) + i;
                back.ready = true;
            }
        }
        Console.OUT.println(there.value + " " + there.link(back));
    }

    static def kinds() {
        val named = new Named();
        named.weight *= 3;
        named.short++;
        named.value = "all";
        val copy = at (Place.places().next(here)) {
            named.weight += 1;
            named
        };
        Console.OUT.println(copy.value + " " + copy.weight + " " + copy.short + " " + copy.ready + " " + named.weight);
    }

    /** Maps that arrive make their tables again; distributions what they have here. */
    static def many() {
        val map = new HashMap[Long,Long]();
        for (i in 0..999) map.put(i, i * i);
        val dist = Dist.makeBlock(Region.makeRectangular(0..99, 0..1));
        val array = DistArray.make[Long](dist, ([i,j]:Point) => i + j);
        val blocks = new DistArray_Block_1[Long](100, (i:Long) => i);
        finish for (p in Place.places()) at (p) async {
            val found = new Rail[Long](64);
            finish for (a in 0..63) async {
                for (i in 0..999) if (map(i) == i * i) found(a)++;
                for (pt in dist.get(here)) if (array(pt) == pt(0) + pt(1)) found(a)++;
                for (pt in blocks.localIndices()) if (blocks(pt) == pt(0)) found(a)++;
            }
            val expected = 1000 + dist.get(here).size() + blocks.localIndices().size();
            for (a in 0..63) if (found(a) != expected) Console.OUT.println("only " + found(a) + " of " + expected);
        }
        Console.OUT.println("found");
    }

    public static def main(args:Rail[String]) {
        handOver();
        kinds();
        many();
    }
}
