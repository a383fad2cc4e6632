/** `switch` on numbers, characters and strings, with constants that operators make. Labelled statements of all kinds. */
public class switches {
    static val ONE = 1n;
    static val TWO = ONE + ONE;
    static val HIGH = (1n << 31n) + TWO * 3n;
    static val PREFIX = "name";

    static def number(n:Int):String {
        val local = TWO + 1n;
        switch (n) {
            case ONE: return "one";
            case TWO: return "two";
            case local: return "three";
            case -ONE: return "minus one";
            case HIGH: return "high";
            case ~0x7fn: return "minus 128";
            default: return "other";
        }
    }

    static def small(b:UByte):Long {
        switch (b) {
            case 200uy + 100uy: return 44;
            case 255uy: return 255;
            default: return -1;
        }
    }

    static def word(s:String):String {
        var log:String = "";
        switch (s) {
            case "one": log += "1";
            case "two": log += "2"; break;
            case PREFIX + ONE: log += "n"; break;
            case "": log += "empty"; break;
            default: log += "?";
            case "Grüße": log += "!"; break;
        }
        return log;
    }

    static def inLoop(words:Rail[String]):Long {
        var count:Long = 0;
        all: for (w in words) {
            switch (w) {
                case "skip": continue;
                case "stop": break all;
                case "two": count++;
            }
            count++;
        }
        return count;
    }

    static def evaluatedOnce() {
        var n:Long = 0;
        switch ("a" + n++) {
            case "b": case "a0": Console.OUT.println("a0 " + n); break;
            case "a1": Console.OUT.println("twice");
        }
    }

    static def phases(last:Long):String {
        var log:String = "";
        phases: {
            log += "1";
            if (last == 1) break phases;
            log += "2";
            inner: try {
                if (last == 2) break phases;
                if (last == 3) break inner;
                log += "3";
            } finally {
                log += "f";
            }
            outer: second: while (true) {
                choice: switch (last) {
                    case 4: break outer;
                    case 5: break second;
                    case 6: break choice;
                    default: break phases;
                }
                break;
            }
            log += "4";
        }
        chosen: if (last % 2 == 0) {
            if (last > 4) break chosen;
            log += "e";
        }
        return log;
    }

    static def locked(n:Long):Long {
        var sum:Long = 0;
        locked: atomic {
            if (n == 0) break locked;
            sum = n;
        }
        waited: when (sum == n) {
            if (n == 1) break waited;
            sum++;
        }
        all: finish {
            for (i in 0..n) {
                if (i == 2) break all;
                async atomic sum++;
            }
        }
        return sum;
    }

    public static def main(args:Rail[String]) {
        for (n in [1n, 2n, 3n, -1n, Int.MIN_VALUE + 6n, -128n, 7n]) Console.OUT.print(number(n) + ", ");
        Console.OUT.println();
        for (b in [44uy, 255uy, 43uy]) Console.OUT.print(small(b) + " ");
        Console.OUT.println();
        for (w in ["one", "two", "name1", "", "Grüße", "on", null as String, "Two"]) Console.OUT.print(word(w) + " ");
        Console.OUT.println();
        Console.OUT.println(inLoop(["two", "skip", "x", "stop", "two"]));
        evaluatedOnce();
        for (last in 1..7) Console.OUT.print(phases(last) + " ");
        Console.OUT.println();
        for (n in 0..3) Console.OUT.print(locked(n) + " ");
        Console.OUT.println();
        Console.OUT.println(at (Place.places().next(here)) word("one"));
    }
}
