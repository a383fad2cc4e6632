import x10.util.ArrayList;
import x10.util.GrowableRail;
import x10.util.StringBuilder;

/** Characters of strings at the counts of loops: all of them there, some of them not, and strings that change while a loop counts. */
public class texts_in_loops {
    static def count(s:String, wanted:Char, from:Int, to:Int):Long {
        var found:Long = 0;
        for (i in from..to) if (s.charAt(i) == wanted) found++;
        return found;
    }

    /** How far a loop comes before there is no character. */
    static def far(s:String, from:Int, to:Int, more:Int):String {
        var done:Long = 0;
        var sum:Long = 0;
        try {
            for (i in from..to) {
                done++;
                sum += s(i + more).ord();
            }
        } catch (e:StringIndexOutOfBoundsException) {
            return "stopped in turn " + done + ", sum " + sum;
        } catch (e:NullPointerException) {
            return "no text in turn " + done;
        }
        return "sum " + sum;
    }

    static def backwards(s:String):String {
        val result = new StringBuilder();
        for (var i:Long = s.length() - 1; i >= 0; i--) result.add(s(i as Int));
        return result.result();
    }

    static def everySecond(s:String):String {
        val result = new StringBuilder();
        for (var i:Long = 1; i < s.length(); i += 2) result.add(s.charAt((i - 1) as Int));
        return result.result();
    }

    /** Pairs of equal characters. */
    static def pairs(a:String, b:String):Long {
        var found:Long = 0;
        for (i in 0n..(a.length() - 1n)) for (j in 1n..b.length()) if (a.charAt(i) == b(j - 1n)) found++;
        return found;
    }

    static def growing(n:Int):String {
        var s:String = "a";
        for (i in 0n..n) {
            val last = s.charAt(i);
            s += (last.ord() < 122n ? last + 1n : 'a');
        }
        for (i in 0n..(s.length() - 1n)) if (s(i) == 'c') s += "!";
        return s;
    }

    static def shortened():String {
        var s:String = "abcdef";
        var done:Long = 0;
        try {
            for (i in 0n..5n) {
                done += s(i).ord();
                s = s.substring(0n, s.length() - 1n);
            }
        } catch (e:StringIndexOutOfBoundsException) {
            return s + " " + done;
        }
        return "not stopped";
    }

    static def lists(n:Long):String {
        val list = new ArrayList[Char]();
        val rail = new GrowableRail[Long]();
        val texts = new ArrayList[String]();
        for (i in 1..n) {
            list.add('a' + (i % 26) as Int);
            rail.add(i);
            texts.add("t" + i);
            if (i % 3 == 0) list.removeLast();
            if (i % 5 == 0) rail.removeLast();
            if (i % 7 == 0) texts.removeLast();
        }
        var sum:Long = 0;
        for (i in 0..(list.size() - 1)) sum += list(i).ord() + texts(i).length();
        for (i in 0..(rail.size() - 1)) sum += rail(i);
        for (bad in [-1, list.size(), Long.MAX_VALUE, Long.MIN_VALUE]) {
            try { sum += list(bad).ord(); Console.OUT.println("found " + bad); } catch (e:ArrayIndexOutOfBoundsException) { sum++; }
            try { list.set('x', bad); if (bad != list.size() - 1) Console.OUT.println("set " + bad); } catch (e:ArrayIndexOutOfBoundsException) { sum++; }
        }
        while (!list.isEmpty()) sum += list.removeLast().ord();
        try { list.removeLast(); } catch (e:ArrayIndexOutOfBoundsException) { sum += 1000; }
        list.resize(3, 'z');
        return sum + " " + list;
    }

    /** Inner loops that are never come to: nothing of a text is asked that is not there. */
    static def fill(r:Rail[Long], s:String) {
        for (i in 0..3) {
            if (s != null)
                for (j in 0..(i + (s.length() as Long))) r(j) = i;
        }
    }
    static def rows(r:Rail[Long], s:String) {
        for (i in 0..3) if (s != null)
            for (j in 0..((s.length() as Long) - 1))
                for (k in 0..j) r(k) += 1;
    }

    static def perhapsNone() {
        val r = new Rail[Long](100);
        fill(r, null);
        rows(r, null);
        Console.OUT.println(r(0));
        fill(r, "abc");
        rows(r, "abc");
        Console.OUT.println(r(0) + " " + r(3) + " " + r(6));
        try {
            for (i in 0..1) {
                Console.OUT.println("before " + i);
                val none:String = r(0) > 0 ? null : "x";
                for (j in 0..((none.length() as Long) + i)) r(j) = i;
            }
        } catch (e:NullPointerException) {
            Console.OUT.println("null");
        }
    }

    public static def main(args:Rail[String]) {
        val s = "the quick brown fox";
        val none:String = args.size == 0 ? null : s;
        Console.OUT.println(count(s, 'o', 0n, s.length() - 1n) + " " + count(s, 'q', 4n, 4n) + " " + count("", 'a', 0n, -1n));
        Console.OUT.println(far(s, 0n, s.length() - 1n, 0n));
        Console.OUT.println(far(s, 0n, s.length() - 1n, 1n));
        Console.OUT.println(far(s, -1n, 3n, 0n));
        Console.OUT.println(far(s, 0n, 3n, -2147483647n));
        Console.OUT.println(far(s, 2147483647n - 3n, 2147483647n, -2147483640n));
        Console.OUT.println(far(s, -2147483648n, -2147483648n + 3n, -2147483647n - 1n));
        Console.OUT.println(far(none, 0n, 3n, 0n));
        Console.OUT.println(far(none, 3n, 0n, 0n));
        Console.OUT.println(far("\u00e4z", 0n, "\u00e4z".length() - 1n, 0n));
        Console.OUT.println(backwards(s) + "|" + everySecond(s) + "|" + backwards("") + everySecond(""));
        Console.OUT.println(pairs(s, "look out") + " " + pairs("", s) + " " + pairs(s, ""));
        Console.OUT.println(growing(30n) + " " + shortened());
        for (n in 0..40) {
            val part = new StringBuilder();
            part.add(s);
            part.add((s + s + s).substring(0n, n as Int));
            part.add("|");
            if (n % 8 <= 1) Console.OUT.println(part.result());
        }
        Console.OUT.println(lists(100));
        perhapsNone();
    }
}
