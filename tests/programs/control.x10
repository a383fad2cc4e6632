/** Statements: loops of all kinds, labels, switch, conditional evaluation order. */
public class control {
    static def trace(name:String, value:Boolean):Boolean {
        Console.OUT.print(name + " ");
        return value;
    }

    static def word(n:Int):String {
        switch (n) {
            case 0n: return "zero";
            case 1n:
            case 2n: return "few";
            default: return "many";
        }
    }

    public static def main(args:Rail[String]) {
        for (var i:Long = 0; i < 3; i++) Console.OUT.print(i + " ");
        for (i in 3..5) Console.OUT.print(i + " ");
        for (i in 5..3) Console.OUT.print("never");
        for (x in [10, 20]) Console.OUT.print(x + " ");
        for (i:Int in 1n..2n) Console.OUT.print(i + " ");
        Console.OUT.println();

        var n:Int = 0n;
        while (true) { n++; if (n == 2n) continue; if (n > 4n) break; Console.OUT.print(n + " "); }
        do { n--; } while (n > 0n);
        Console.OUT.println(n);

        outer: for (i in 0..3) {
            for (j in 0..3) {
                if (j == 2) continue outer;
                if (i == 2) break outer;
                Console.OUT.print(i + "" + j + " ");
            }
        }
        Console.OUT.println();

        for (i in 0n..3n) Console.OUT.print(word(i) + " ");
        Console.OUT.println();

        var sum:Int = 0n;
        switch (2n) {
            case 1n: sum += 1n;
            case 2n: sum += 2n;
            case 3n: sum += 3n; break;
            case 4n: sum += 4n;
        }
        Console.OUT.println(sum);

        val a = trace("a", false) && trace("b", true) || trace("c", true);
        Console.OUT.println(a);
        val rail = new Rail[Long](3);
        var index:Long = 0;
        rail(index++) = index;
        rail(index++) += 10;
        rail(2) -= 5;
        Console.OUT.println(rail + " " + index);
        { val shadow = 1; Console.OUT.println(shadow); }
        { val shadow = 2; Console.OUT.println(shadow); }
        val late:String;
        if (index > 1) late = "assigned once"; else late = "or here";
        Console.OUT.println(late);
        Console.OUT.println((Int.MAX_VALUE - 1n)..Int.MAX_VALUE);
        var count:Long = 0;
        for (i in (Int.MAX_VALUE - 1n)..Int.MAX_VALUE) count++;
        Console.OUT.println(count);
    }
}
