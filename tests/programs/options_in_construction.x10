import x10.util.Option;
import x10.util.OptionsParser;

/** The options of a program are read while the object that holds them is constructed. */
public class options_in_construction extends OptionsParser {
    val size:Long;
    def this(args:Rail[String]) {
        super(args, new Rail[Option](0), [Option("n", "size", "how many")]);
        size = this("-n", 100);
    }
    public static def main(args:Rail[String]) {
        Console.OUT.println(new options_in_construction(args).size);
        Console.OUT.println(new options_in_construction(["-n" as String, "7"]).size);
    }
}
