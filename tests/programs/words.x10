// A map over places: words are counted where their hash says; text is cut with the functions of String.
import x10.util.ArrayList;
import x10.util.HashMap;
import x10.util.RailUtils;
import x10.util.StringBuilder;

public class words {
    static type Counts = HashMap[String,Long];
    static val TEXT = "The quick brown fox jumps over the lazy dog. The dog, being lazy, sleeps;\n  the fox (quick as ever) runs: 3 times 14 = 42!";

    static class Distributed[K,V]{V haszero} {
        val parts:PlaceLocalHandle[HashMap[K,V]];
        def this() { parts = PlaceLocalHandle.make[HashMap[K,V]](Place.places(), () => new HashMap[K,V]()); }
        def home(key:K):Place = Place.places()(Math.abs(key.hashCode() as Long) % Place.numPlaces());
        def change(key:K, by:(V)=>V):void {
            val parts = this.parts;
            at (home(key)) atomic { val map = parts(); map.put(key, by(map.getOrElse(key, Zero.get[V]()))); }
        }
        operator this(key:K):V { val parts = this.parts; return at (home(key)) parts().getOrElse(key, Zero.get[V]()); }
        def fold[R](zero:R, one:(HashMap[K,V])=>R, add:(R,R)=>R):R {
            var all:R = zero;
            val parts = this.parts;
            for (p in Place.places()) all = add(all, at (p) one(parts()));
            return all;
        }
    }

    static def split(text:String):ArrayList[String] {
        val found = new ArrayList[String]();
        var word:StringBuilder = new StringBuilder();
        for (i in 0n..(text.length() - 1n)) {
            val c = text(i);
            if (c.isLetter()) word.add(c.toLowerCase());
            else if (word.length() > 0n) { found.add(word.result()); word = new StringBuilder(); }
        }
        if (word.length() > 0n) found.add(word.result());
        return found;
    }

    public static def main(args:Rail[String]) {
        val counts = new Distributed[String,Long]();
        finish for (w in split(TEXT)) async counts.change(w, (n:Long) => n + 1);
        for (w in ["the", "lazy", "fox", "cat"]) Console.OUT.println(w + " " + counts(w));
        Console.OUT.println("different " + counts.fold(0, (m:Counts) => m.size(), (a:Long, b:Long) => a + b));
        val all = counts.fold(new Rail[String](0), (m:Counts) => { val k = m.keySet().iterator(); new Rail[String](m.size(), (Long) => k.next()) },
            (a:Rail[String], b:Rail[String]) => new Rail[String](a.size + b.size, (i:Long) => i < a.size ? a(i) : b(i - a.size)));
        RailUtils.sort(all, (a:String, b:String) => a.compareTo(b));
        Console.OUT.println(all.toString(20));
        val numbers = new ArrayList[Long]();
        for (token in TEXT.split(" ")) try { numbers.add(Long.parse(token.trim())); } catch (e:NumberFormatException) { }
        Console.OUT.println(numbers + " " + TEXT.indexOf("fox") + " " + TEXT.lastIndexOf('x') + " " + "  cut ".trim() + "|" + "abc".substring(1n) + "|" + String.format("%5d|%-5s|%.3f|%x", [42 as Any, "ab", 3.14159, 255n]));
    }
}
