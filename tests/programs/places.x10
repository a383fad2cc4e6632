/** at copies what it captures, sharing and cycles kept; GlobalRef brings one home; results come back. */
public class places {
    static class Node {
        var value:Long;
        var next:Node;
        transient var scratch:Long = 9;
        def this(value:Long) { this.value = value; }
    }

    public static def main(args:Rail[String]) {
        val last = Place.places()(Place.numPlaces() - 1);
        val node = new Node(1);
        node.next = node;
        val pair = new Rail[Node](2, node);
        at (last) {
            node.value = 5;
            Console.OUT.println(node.next.value + " " + (pair(0) == pair(1)) + " " + (pair(0) == node) + " " + node.scratch);
        }
        Console.OUT.println(node.value + " " + node.scratch);

        val ref = GlobalRef[Node](node);
        finish for (p in Place.places()) at (p) async {
            val id = here.id;
            at (ref.home) atomic ref().value += id;
        }
        Console.OUT.println(node.value - 1 == Place.numPlaces() * (Place.numPlaces() - 1) / 2);

        val there = at (last) here.id * 10;
        Console.OUT.println(there == last.id * 10);
        val text = at (last) { val s = "made at " + (here == last); s };
        Console.OUT.println(text);
        try {
            at (last) throw new IllegalStateException("from there");
        } catch (e:IllegalStateException) {
            Console.OUT.println(e.getMessage());
        }
        try {
            finish for (p in Place.places()) at (p) async { throw new IllegalStateException("all"); }
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions.size == Place.numPlaces());
        }

        val rail = new Rail[Long](100, (i:Long)=>i);
        val remote = at (last) new GlobalRail[Long](new Rail[Long](100));
        finish Rail.asyncCopy(rail, 10, remote, 0, 50);
        val back = new Rail[Long](100);
        finish Rail.asyncCopy(remote, 0, back, 50, 50);
        Console.OUT.println(back(49) + " " + back(50) + " " + back(99));
        Console.OUT.println(at (remote.home()) remote(5));
    }
}
