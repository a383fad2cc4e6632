import x10.util.ArrayList;

/** What an OutOfMemoryError has ended is garbage: all that the heap has can be used again. Arguments: bytes of the heap. */
public class Again {
    static class Node {
        var next:Node = null;
        val padding = new Rail[Long](10);
    }

    static def fill() {
        var head:Node = null;
        while (true) {
            val node = new Node();
            node.next = head;
            head = node;
        }
    }
    static def fillHere() { fill(); }
    static def fillInActivities() { finish for (i in 1..4) async fill(); }
    static def fillElsewhere() { at (Place.places().next(here)) fill(); }
    static def growString() {
        var text:String = "0123456789";
        while (true) text = text + text;
    }
    static def growList() {
        val list = new ArrayList[Long]();
        while (true) list.add(1);
    }
    static def fillByException() {
        finish for (i in 1..4) async {
            var head:Node = null;
            for (j in 1..20000) {
                val node = new Node();
                node.next = head;
                head = node;
            }
            throw new Exception("ended with " + head.padding.size);
        }
    }
    /** One object in 50 stays, between others that do not. */
    static def keepFew(kept:Rail[Node]) {
        for (i in 0..(kept.size * 50 - 1)) {
            val node = new Node();
            if (i % 50 == 0) kept(i / 50) = node;
        }
    }

    /** Stacks are scanned conservatively: a word of an ended call may stay until others run there. */
    static def hasRoom(bytes:Long):Boolean {
        for (tries in 1..20) {
            try { return new Rail[Byte](bytes).size == bytes; }
            catch (e:OutOfMemoryError) { finish for (i in 1..16) async System.sleep(2); }
        }
        return false;
    }
    static def attempt(name:String, heap:Long, body:()=>void) {
        var ended:String = "returned";
        try { body(); }
        catch (e:OutOfMemoryError) { ended = "OutOfMemoryError"; }
        catch (e:MultipleExceptions) { ended = "MultipleExceptions"; }
        Console.OUT.print(name + ": " + ended + ", then");
        for (percent in [10, 30, 60]) Console.OUT.print(" " + percent + (hasRoom(heap / 100 * percent) ? "" : " not"));
        Console.OUT.println();
    }

    public static def main(args:Rail[String]) {
        val heap = Long.parse(args(0)), kept = new Rail[Node](heap / 8000);
        for (round in 1..2) {
            attempt("objects", heap, () => { fillHere(); });
            attempt("activities", heap, () => { fillInActivities(); });
            attempt("string", heap, () => { growString(); });
            attempt("list", heap, () => { growList(); });
            attempt("exceptions", heap, () => { fillByException(); });
            attempt("few", heap, () => { keepFew(kept); });
            attempt("elsewhere", heap, () => { fillElsewhere(); });
        }
    }
}
