/** Strings joined from parts of every type, few and many, and the order in which the parts are made. */
public class joined_text {
    static struct Pair(a:Int, b:Double) { }

    static struct Named(name:String) {
        public def toString() = "<" + name + ">";
    }

    static class Thing {
        public def toString() = "thing";
    }

    static class Silent {
        public def toString():String = null;
    }

    static class Log {
        var text:String = "";
        def say(word:String):String { text += word; return word; }
        def count(n:Long):Long { text += n; return n; }
    }

    static def show[T](x:T, y:T):String = "[" + x + ", " + y + "]";

    public static def main(args:Rail[String]) {
        val b = -128y, ub = 255uy, s = -32768s, us = 65535us;
        val i = -2147483648n, ui = 4294967295un, l = 0x8000000000000000, ul = 18446744073709551615ul;
        Console.OUT.println("" + b + ' ' + ub + ' ' + s + ' ' + us + ' ' + i + ' ' + ui);
        Console.OUT.println(l + " " + ul + "," + 0 + 1n + 10 + 99 + 100 + -100);
        Console.OUT.println("f " + 1.5f + ' ' + 1e10f + ' ' + -0.0f + ' ' + 3.4028235e38f + " d " + 1.0 + ' ' + 1e-5 + ' ' + 123456789.125);
        Console.OUT.println("" + true + false + 'x' + '\u00e9' + '\u4e16' + null);
        val none:String = null;
        val nothing:Thing = null;
        Console.OUT.println(none + none + "|" + nothing + "|" + new Thing() + "|" + new Silent() + "|" + none);
        Console.OUT.println("" + Pair(1n, 2.5) + " " + Named("n") + " " + new Rail[Long](3, (k:Long)=>k * k) + " " + (1..3) + " " + Point.make(4, 5));
        Console.OUT.println(show(1, 2) + show("a", null) + show(1.5, 2.5) + show('p', 'q') + show[Any](1n, "z") + show(true, false) + show(7uy, 8uy));
        val log = new Log();
        val made = log.say("a") + log.count(1) + log.say("b") + log.count(2) + log.say("c") + log.count(3) + log.say("d") + log.count(4) + log.say("e")
            + log.count(5) + log.say("f") + log.count(6) + log.say("g") + log.count(7) + log.say("h") + log.count(8) + log.say("i") + log.count(9);
        Console.OUT.println(made + " " + made.equals(log.text) + " " + made.length());
        var grown:String = "";
        for (k in 1..12) grown += k + (k < 12 ? "," : ".");
        Console.OUT.println(grown);
        var total:Long = 0;
        for (k in 1..200000) {
            val line = "item " + k + ", next " + (k + 1) + ' ' + (k % 2 == 0);
            total += line.length();
        }
        Console.OUT.println(total);
        Console.OUT.println(1 + 2 + "x" + 1 + 2 + ('a' + "b") + (1.5 + "c") + ("d" + 'e' + 1n));
    }
}
