/** Static fields are computed once, at their first use, and have the same value at every place. */
public class statics {
    static FIRST = compute("first");
    static SECOND = FIRST + 1;
    static TABLE = new Rail[Long](5, (i:Long)=>i * SECOND);

    static def compute(name:String):Long {
        Console.OUT.println("computing " + name);
        return 41;
    }

    public static def main(args:Rail[String]) {
        Console.OUT.println("main");
        Console.OUT.println(SECOND);
        Console.OUT.println(TABLE);
        finish for (i in 1..20) async { if (SECOND != 42) Console.OUT.println("wrong"); }
    }
}
