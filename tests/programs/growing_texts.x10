import x10.util.ArrayList;

/** Strings that grow by assignment: what others have of them stays what it was. */
public class growing_texts {
    static def show(name:String, value:Any) { Console.OUT.println(name + ": " + value); }
    static val KEPT = new Cell[String]("");
    static def keep(s:String):Boolean { KEPT() = s; return s.length() > 3n; }

    static def numbers(n:Long):String {
        var s:String = "";
        for (i in 1..n) s += i;
        return s;
    }
    /** Copies in a variable, a list, a rail, a closure and an activity. */
    static def copies() {
        val list = new ArrayList[String]();
        val rail = new Rail[String](6);
        val closures = new ArrayList[()=>String]();
        var s:String = "a";
        var t:String = "";
        for (i in 0..5) {
            s += i;
            if (i % 2 == 0) list.add(s);
            s = s + ',' + (i as Int) + "/" + (i as UInt) + "/" + (i as Byte) + "/" + (i > 2);
            rail(i) = s;
            if (i == 3) t = s;
            val now = s;
            closures.add(()=>now);
            s += 1.5;
            s += 2.5f;
        }
        show("list", list);
        for (r in rail) show("rail", r);
        show("t", t);
        for (c in closures) show("closure", c().length());
        show("s", s);
    }
    static def parameter(var s:String, n:Long):String {
        for (i in 1..n) {
            if (keep(s)) s += ";";
            s += s.length() + s;
        }
        return s + KEPT();
    }
    static def swapped():String {
        var a:String = "x";
        var b:String = "y";
        for (i in 1..6) {
            a += i;
            b += a;
            val c = a;
            a = b;
            b = c;
            a += "-";
            b += "+";
        }
        return a + " " + b;
    }
    static def caught():String {
        var s:String = "";
        for (i in 0..5) {
            try {
                s += "[" + i + ":";
                if (i > 2) throw new IllegalArgumentException();
                s += 7;
                if (i == 1) continue;
                s += "]";
            } catch (e:IllegalArgumentException) {
                val before = s;
                s += "!";
                KEPT() = before;
            } finally { s += "."; }
        }
        return s + KEPT();
    }
    static def nothing():String {
        var s:String = null;
        for (i in 1..3) {
            s += i;
            s += null as String;
        }
        return s;
    }
    static def nested(n:Long):String {
        var all:String = "";
        for (i in 1..n) {
            var line:String = "";
            var j:Long = 0;
            while (line.length() < 10n) {
                line += j++;
                if (line.equals("0123")) line += "!";
            }
            all += line;
            if (all.indexOf("9") < 0n) all += "\n";
        }
        return all;
    }
    /** Ends of what grows lie where other strings might. */
    static def many():Long {
        val all = new Rail[String](50, "");
        for (n in 0..200) for (i in 0..49) {
            var s:String = all(i);
            for (k in 0..(i % 3)) s += k;
            all(i) = s;
        }
        var sum:Long = 0;
        for (i in 0..49) {
            for (k in 0n..(all(i).length() - 1n)) if (all(i)(k) != "012"(k % (i % 3 + 1) as Int)) sum += 1000000;
            sum += all(i).length();
        }
        return sum;
    }
    static def shared():String {
        var s:String = "s";
        for (i in 1..3) {
            s += i;
            val before = s;
            finish async { KEPT() = before; }
            s += KEPT().equals(before) ? "y" : "n";
        }
        finish for (i in 1..3) async atomic { s += "z"; }
        return s + KEPT();
    }
    public static def main(Rail[String]) {
        show("numbers", numbers(20) + " " + numbers(3000).length());
        copies();
        show("parameter", parameter("p", 4));
        show("swapped", swapped());
        show("caught", caught());
        show("nothing", nothing());
        show("nested", nested(4));
        show("many", many());
        show("shared", shared());
    }
}
