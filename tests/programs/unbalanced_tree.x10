// Unbalanced tree search (Olivier and others, "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006) with global load balancing
// (Saraswat and others, "Lifeline-based Global Load Balancing", PPoPP 2011): a geometric tree, whose nodes decide their children alone.
import x10.glb.*;
import x10.util.ArrayList;
import x10.util.Team;

public class unbalanced_tree {
    /** A node of the tree. */
    static struct Node(state:Long, depth:Long) {
        /** Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014: the mixing function of SplitMix64. */
        static def mix(x:Long):Long {
            var z:Long = x + (0x9e3779b97f4a7c15u as Long);
            z = (z ^ (z >>> 30n)) * (0xbf58476d1ce4e5b9u as Long);
            z = (z ^ (z >>> 27n)) * (0x94d049bb133111ebu as Long);
            return z ^ (z >>> 31n);
        }
        def child(i:Long) = Node(mix(state + i * 2 + 1), depth + 1);
        /** Geometrically distributed, four in the mean above the last level. */
        def children():Long {
            if (depth >= DEPTH) return 0;
            val u = (mix(state) >>> 11n) as Double / (1 << 53n) as Double;
            return Math.min(200.0, Math.floor(Math.log(1.0 - u) / Math.log(4.0 / 5.0))) as Long;
        }
    }
    static val DEPTH = 7;

    static class Queue implements TaskQueue[Queue, Long] {
        private val open = new ArrayListTaskBag[Node]();
        private var nodes:Long = 0;

        public def process(n:Long, context:Context[Queue, Long]):Boolean {
            val list = open.bag();
            for (var i:Long = 0; i < n && list.size() > 0; i++) {
                val node = list.removeLast();
                nodes++;
                for (c in 0..(node.children() - 1)) list.add(node.child(c));
            }
            return list.size() > 0;
        }
        public def split():TaskBag = open.split();
        public def merge(tasks:TaskBag):void { open.merge(tasks); }
        public def count():Long = nodes;
        public def getResult():GLBResult[Long] = new Result(nodes);
        public def printLog():void { }
        def start() { open.bag().add(Node(42, 0)); }
    }

    static class Result(nodes:Long) extends GLBResult[Long] {
        public def getReduceOperator():Int = Team.ADD;
        public def getResult():Rail[Long] = new Rail[Long](1, nodes);
        public def display(result:Rail[Long]):void { Console.OUT.println(result(0) + " nodes"); }
    }

    static def count(node:Node):Long {
        var sum:Long = 1;
        for (i in 0..(node.children() - 1)) sum += count(node.child(i));
        return sum;
    }

    public static def main(Rail[String]) {
        val expected = count(Node(42, 0));
        val parameters = GLBParameters(64n, 2n, 2n, GLBParameters.computeZ(Place.numPlaces(), 2n), 1024n, 0n);
        val glb = new GLB[Queue, Long](()=>new Queue(), parameters, true);
        val start = ()=>{ glb.taskQueue().start(); };
        Console.OUT.println("all nodes are counted once: " + (glb.run(start)(0) == expected && expected > 1000));
    }
}
