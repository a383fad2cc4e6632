// places: 2
// options: --heap 34M --threads 1

/** Bodies of `at` that end soon find room when only other places can make some, as all others do: nobody waits while messages are not read. */
public class brief_memory {
    static struct Eight(a:Long, b:Long, c:Long, d:Long, e:Long, f:Long, g:Long, h:Long) { }
    static struct Page(a:Eight, b:Eight, c:Eight, d:Eight, e:Eight, f:Eight, g:Eight, h:Eight) { }
    static struct Chapter(a:Page, b:Page, c:Page, d:Page, e:Page, f:Page, g:Page, h:Page) { }
    static struct Book(a:Chapter, b:Chapter, c:Chapter, d:Chapter) { }
    /** 16 KB. */
    static class Link {
        val next:Link;
        var book:Book;
        def this(next:Link) { this.next = next; }
    }
    static class Node {
        val next:Node;
        def this(next:Node) { this.next = next; }
    }
    static class Store {
        var kept:Node = null;
        var top:Link = null;
        var named:Rail[GlobalRef[Rail[Byte]]] = null;
        def grow() { top = new Link(new Link(new Link(new Link(top)))); }
    }

    /** This place gets names of what fills the heap of home. */
    static def name(store:PlaceLocalHandle[Store], home:Place) {
        store().named = at (home) {
            val all = new Rail[GlobalRef[Rail[Byte]]](31);
            for (i in all.range) all(i) = GlobalRef(new Rail[Byte](1 << 20));
            all
        };
    }

    /** Needs them no more, of which home will hear only after a moment, and uses more memory there: how often in vain. */
    static def grow(store:PlaceLocalHandle[Store], home:Place) {
        store().named = null;
        var failed:Long = 0;
        for (i in 1..60) {
            try {
                at (home) { store().grow(); }
            } catch (e:OutOfMemoryError) {
                failed++;
            }
        }
        at (home) { store().top = null; }
        return failed;
    }


    public static def main(Rail[String]) {
        val home = here, other = Place(1);
        val store = PlaceLocalHandle.make[Store](Place.places(), () => new Store());
        // What it takes a while to collect beside.
        at (other) { for (i in 1..1200000) store().kept = new Node(store().kept); }
        var failed:Long = 0;
        for (round in 1..8) {
            // In activities of their own: nothing is left on a stack.
            at (other) name(store, home);
            failed += at (other) grow(store, home);
        }
        Console.OUT.println(failed);
    }
}
