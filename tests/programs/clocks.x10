/** Clocked activities move from phase to phase together. */
public class clocks {
    public static def main(args:Rail[String]) {
        val rail = new Rail[Long](8, (i:Long)=>i);
        val next = new Rail[Long](8);
        clocked finish for (i in 0..7) clocked async {
            for (round in 1..8) {
                next(i) = rail((i + 1) % 8);
                Clock.advanceAll();
                rail(i) = next(i);
                Clock.advanceAll();
            }
        }
        Console.OUT.println(rail);
        val clock = Clock.make();
        val phases = new Rail[Int](3);
        finish {
            for (i in 0..2) async clocked(clock) {
                for (p in 0..i) clock.advance();
                phases(i) = clock.phase();
            }
            clock.drop();
        }
        Console.OUT.println(phases.size);
    }
}
