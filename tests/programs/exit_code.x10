// status: 3

/** The status that a program ends with can be set at any place, and says nothing of what went well. */
public class exit_code {
    public static def main(Rail[String]) {
        finish for (p in Place.places()) async at (p) { if (here.id == Place.numPlaces() - 1) System.setExitCode(3n); }
        Console.OUT.println("all went well");
    }
}
