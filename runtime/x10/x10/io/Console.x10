package x10.io;

/** Standard output, error and input of the program. What any place prints reaches the console in whole lines. */
public class Console {
    /** Standard output. */
    public static OUT:Printer = new Printer(new ConsoleWriter(1n));
    /** Standard error. */
    public static ERR:Printer = new Printer(new ConsoleWriter(2n));
    /** Standard input of place 0. */
    public static IN:Reader = new ConsoleReader();
}
