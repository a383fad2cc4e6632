import x10.util.ArrayList;

/** Traces name the line of the expression that failed, not that of its statement's beginning. */
public class expression_lines {
    static class Node(value:Long) {
        var next:Node;
        def this(value:Long, next:Node) { property(value); this.next = next; }
        def after() = next;
        def fail(what:String):Long { throw new Exception(what); }
    }
    static struct Pair(first:Long, second:Long) { }
    static abstract class Shape { abstract def area(side:Long):Long; }
    static class Square extends Shape { def area(side:Long) = 10 / side; }
    static class Round extends Shape { def area(side:Long) = 20 / side; }

    static def element(rail:Rail[Long], i:Long):Long =
        rail(0) +
            rail(1) *
            rail(i);
    static def chain(n:Node):Long =
        n.value
            + n.after()
                // the next but one: .after()
                .after() /* and
                its value */ .value;
    static def condition(a:Long, b:Long):Boolean {
        if (a > 0 &&
            a
                / b > 1)
            return true;
        return false;
    }
    static def loop(rail:Rail[Long]):Long {
        var i:Long = 0;
        while (i >= 0 &&
                rail(i) > 0)
            i++;
        return i;
    }
    static def store(rail:Rail[Long], i:Long) {
        rail(0) = rail(1)
            + rail(
                i);
    }
    static def choice(n:Node, first:Boolean):Long = first
        ? 1
        : n
            .after().value;
    static def made(n:Node):Pair = Pair(
        n.value,
        n.fail("made"));
    static def literal(n:Node):Rail[Long] = [
        n.value,
        n.fail("literal"),
        3
    ];
    static def virtual(shape:Shape):Long = shape.area(2) +
        shape.area(1) +
        shape.area(0);
    static def text(list:ArrayList[Long]):String = "a" + list.get(0) +
        list.get(1) +
        "c";
    static def cast(o:Any):Long = 1 +
        (o as Long);
    static def local(n:Node):Long {
        val found =
            n
                .fail("local");
        return found;
    }
    static def elsewhere(n:Node):Long = 1 +
        at (here)
            n.fail("elsewhere");
    static def closures(f:(Long)=>Long):Long = f(1) +
        f(0);

    static def trace(what:String, run:()=>void) {
        try {
            run();
        } catch (e:Exception) {
            for (line in e.getStackTrace()) {
                if (line.indexOf("expression_lines." + what + " ") >= 0) Console.OUT.println(line);
            }
        }
    }
    public static def main(args:Rail[String]) {
        val n = new Node(1, new Node(2, null));
        val r = [1, 2, 3];
        val one = new ArrayList[Long]();
        one.add(1);
        trace("element", ()=>{ element(r, 7); });
        trace("chain", ()=>{ chain(n); });
        trace("condition", ()=>{ condition(5, 0); });
        trace("loop", ()=>{ loop(r); });
        trace("store", ()=>{ store(r, 3); });
        trace("choice", ()=>{ choice(n.after(), false); });
        trace("made", ()=>{ made(n); });
        trace("literal", ()=>{ literal(n); });
        trace("virtual", ()=>{ virtual(new Round()); virtual(new Square()); });
        trace("text", ()=>{ text(one); });
        trace("cast", ()=>{ cast("text"); });
        trace("local", ()=>{ local(n); });
        trace("elsewhere", ()=>{ elsewhere(n); });
        trace("closures", ()=>{ closures((i:Long)=>1 / i); });
        try {
            Console.OUT.println(1 +
                Math.max(2,
                    n.fail("main")));
        } catch (e:Exception) {
            Console.OUT.println(e.getStackTrace()(1));
        }
    }
}
// without: clang
// It merges what two lines of a function raise into one call that is of no line.
