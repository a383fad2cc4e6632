/** The trees of trees.x10 in Java. */
public class trees {
    record Node(Node left, Node right) {
        long count() { return left == null ? 1 : 1 + left.count() + right.count(); }
    }

    static Node make(int depth) { return depth == 0 ? new Node(null, null) : new Node(make(depth - 1), make(depth - 1)); }

    public static void main(String[] args) {
        int depth = Integer.parseInt(args[0]);
        Node lasting = make(depth);
        for (int round = 1; round <= 5; round++) {
            long start = System.nanoTime(), nodes = 0;
            for (int small = 4; small <= depth; small += 4)
                for (long i = 0; i < 1L << (depth - small + 4); i++) nodes += make(small).count();
            System.out.println(System.nanoTime() - start);
            if (nodes < lasting.count()) System.out.println(nodes);
        }
    }
}
