/** A full heap raises an error that can be caught, and the program continues. */
public class out_of_memory {
    public static def main(args:Rail[String]) {
        try {
            val huge = new Rail[Long](1l << 50);
            Console.OUT.println("made " + huge.size);
        } catch (e:OutOfMemoryError) {
            Console.OUT.println("caught " + e.getMessage());
        }
        try {
            val none = new Rail[Long](-1);
            Console.OUT.println("made " + none.size);
        } catch (e:NegativeArraySizeException) {
            Console.OUT.println("caught " + e.getMessage());
        }
        var sum:Long = 0;
        for (i in 1..1000) {
            val rail = new Rail[Long](10000);
            rail(i) = i;
            sum += rail(i);
        }
        Console.OUT.println(sum);
    }
}
