/**
 * Many activities of each place copy graphs to the next one while others make garbage: a copy keeps the collector away, and needs room all
 * the same. Arguments: activities of a place, rounds, elements of a rail.
 */
public class Copies {
    static def round(size:Long):Boolean {
        val next = Place.places().next(here);
        val rail = new Rail[Long](size, (i:Long) => i);
        val doubled = at (next) {
            val result = new Rail[Long](2 * size);
            for (i in result.range) result(i) = rail(i / 2);
            result
        };
        val rails = new Rail[Rail[Long]](20, (i:Long) => new Rail[Long](50, i));
        val changed = at (next) { rails(3)(4) = 7; rails };
        return doubled(2 * size - 1) == size - 1 && changed(3)(4) == 7 && changed(19)(49) == 19 && rails(3)(4) == 3;
    }

    public static def main(args:Rail[String]) {
        val activities = Long.parse(args(0)), rounds = Long.parse(args(1)), size = Long.parse(args(2));
        val failures = GlobalRef(new Cell[Long](0));
        finish for (p in Place.places()) at (p) async for (a in 1..activities) async {
            var failed:Long = 0;
            for (i in 1..rounds) {
                try {
                    if (!round(size)) failed += 1000000;
                } catch (e:OutOfMemoryError) {
                    if (failed++ == 0) Console.ERR.println(e.getMessage());
                }
            }
            val all = failed;
            at (failures.home) atomic failures()() = failures()() + all;
        }
        Console.OUT.println("failures " + failures()());
    }
}
