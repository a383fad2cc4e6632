/** Binary trees: makes and forgets many small ones while a large one lives. Arguments: depth. Prints nanoseconds of each of 5 rounds. */
public class trees {
    static class Node {
        val left:Node;
        val right:Node;
        def this(left:Node, right:Node) {
            this.left = left;
            this.right = right;
        }
        def count():Long = left == null ? 1 : 1 + left.count() + right.count();
    }

    static def make(depth:Long):Node = depth == 0 ? new Node(null, null) : new Node(make(depth - 1), make(depth - 1));

    public static def main(args:Rail[String]) {
        val depth = Long.parse(args(0));
        val lasting = make(depth);
        for (round in 1..5) {
            val start = System.nanoTime();
            var nodes:Long = 0;
            for (var small:Long = 4; small <= depth; small += 4)
                for (i in 1..(1 << (depth - small + 4) as Int)) nodes += make(small).count();
            Console.OUT.println(System.nanoTime() - start);
            if (nodes < lasting.count()) Console.OUT.println(nodes);
        }
    }
}
