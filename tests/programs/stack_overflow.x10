/** Recursion without an end is an exception that can be caught, here and from other places, again and again. */
public class stack_overflow {
    static class Ring {
        var next:Ring;
        def depth():Long = 1 + next.depth();
    }

    static def ring() {
        val ring = new Ring();
        ring.next = ring;
        return ring;
    }

    public static def main(args:Rail[String]) {
        for (round in 1..2) {
            try {
                Console.OUT.println(ring().depth());
            } catch (e:StackOverflowError) {
                Console.OUT.println(e.getStackTrace()(0));
            }
            try {
                finish for (p in Place.places()) at (p) async ring().depth();
            } catch (e:MultipleExceptions) {
                Console.OUT.println(e.exceptions().size == Place.numPlaces());
                Console.OUT.println(e.exceptions()(0));
            }
        }
    }
}
// without: thread
// ThreadSanitizer has room for 65,536 calls inside each other.
