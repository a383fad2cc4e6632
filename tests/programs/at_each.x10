/** `ateach`: an activity for each point of a distribution, at the point's place; with clocks; over a DistArray. */
import x10.regionarray.*;

public class at_each {
    public static def main(args:Rail[String]) {
        val places = Place.numPlaces();
        val d = Dist.makeBlock(Region.makeRectangular(0..19, 0..1));
        val total = new Cell[Long](0);
        val home = GlobalRef[Cell[Long]](total);
        val bad = GlobalRef[Cell[Long]](new Cell[Long](0));
        finish ateach (p[i,j] in d) {
            val n = i * 2 + j;
            if (d(p) != here) at (bad.home) atomic { bad()() = bad()() + 1; }
            at (home.home) atomic { home()() = home()() + n; }
        }
        Console.OUT.println(total() + " " + bad.evalAtHome((c:Cell[Long]) => c()));

        val once = new Cell[Long](0);
        val count = GlobalRef[Cell[Long]](once);
        finish ateach ([i] in Dist.makeUnique()) {
            at (count.home) atomic { count()() = count()() + 1; }
        }
        Console.OUT.println(once() == places);

        val array = DistArray.make[Long](d, ([i,j]:Point) => i + j);
        finish ateach (p in array) array(p) = array(p) * 10;
        Console.OUT.println(array.reduce((a:Long, b:Long) => a + b, 0));

        finish async {
            val c = Clock.make();
            ateach (p in Dist.makeUnique()) clocked (c) {
                c.advance();
                at (count.home) atomic { count()() = count()() + 100; }
                c.advance();
            }
            c.advance();
            c.advance();
            Console.OUT.println(count()() == places * 101);
            c.drop();
        }
    }
}
