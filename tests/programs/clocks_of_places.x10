// places: 1 2 4
/** Activities of all places go from phase to phase together, on the clock of a clocked finish and on clocks that are handed on. */
public class clocks_of_places {
    static class Counter { var value:Long; }

    public static def main(args:Rail[String]) {
        val n = Place.numPlaces();
        val counter = new Counter();
        val ref = GlobalRef[Counter](counter);

        clocked finish {
            for (p in Place.places()) clocked async at (p) {
                for (round in 1..5) {
                    at (ref.home) atomic ref().value += 1;
                    Clock.advanceAll();
                    val seen = at (ref.home) { var value:Long; atomic value = ref().value; value };
                    if (seen != round * n) Console.OUT.println("phase " + round + " at " + here + ": " + seen);
                    Clock.advanceAll();
                }
            }
        }
        Console.OUT.println(counter.value == 5 * n);

        counter.value = 0;
        val last = Place(n - 1);
        finish async {
            val clock = Clock.make();
            async clocked (clock) at (last) {
                // Registers one at the next place, which outlives this activity.
                async clocked (clock) at (Place((here.id + 1) % n)) {
                    clock.advance();
                    at (ref.home) atomic ref().value += 10;
                    clock.resume();
                    clock.advance();
                    clock.drop();
                    if (clock.registered()) Console.OUT.println("still registered");
                }
                clock.advance();
                if (clock.phase() != 2n) Console.OUT.println("phase " + clock.phase());
            }
            clock.advance();
            clock.advance();
            var value:Long;
            atomic value = counter.value;
            Console.OUT.println(value);
            try {
                clock.drop();
                clock.advance();
            } catch (e:ClockUseException) {
                Console.OUT.println("dropped");
            }
        }
    }
}
