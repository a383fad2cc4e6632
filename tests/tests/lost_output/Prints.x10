import x10.io.*;
/** Writes a number of lines to where the first argument says. */
public class Prints {
    static def lines(p:Printer) { for (i in 1..20000) p.println("line " + i); }
    public static def main(args:Rail[String]) {
        val to = args(0);
        if (to.equals("out")) lines(Console.OUT);
        if (to.equals("rest")) Console.OUT.print("no line end");
        if (to.equals("err")) lines(Console.ERR);
        if (to.equals("there")) at (Place.places().next(here)) { Console.OUT.println("there"); }
        if (to.equals("open")) { val p = new File("/dev/full").printer(); p.print("not closed"); }
        if (to.equals("caught")) { val p = new File("/dev/full").printer(); try { lines(p); } catch (IOException) { Console.OUT.println("caught"); } }
    }
}
