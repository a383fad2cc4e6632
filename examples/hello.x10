/** Says hello from every place. Try `apg run examples/hello.x10 --places 4`. */
public class hello {
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async {
            Console.OUT.println("Hello from " + here + " of " + Place.numPlaces());
        }
    }
}
