package x10.glb;

import x10.util.ArrayList;

/** Tasks in a list. */
public class ArrayListTaskBag[T] implements TaskBag {
    private val bag = new ArrayList[T]();

    /** How many tasks. */
    public def size():Long = bag.size();
    /** Adds the tasks of another such bag. */
    public def merge(tb0:TaskBag):void {
        for (task in (tb0 as ArrayListTaskBag[T]).bag) bag.add(task);
    }
    /** Takes out half of the tasks, the older ones; null if there are less than two. */
    public def split():ArrayListTaskBag[T] {
        if (bag.size() < 2) return null;
        val given = bag.size() / 2;
        val half = new ArrayListTaskBag[T]();
        val kept = new ArrayList[T]();
        for (i in 0..(bag.size() - 1)) {
            if (i < given) half.bag.add(bag(i)); else kept.add(bag(i));
        }
        bag.clear();
        for (task in kept) bag.add(task);
        return half;
    }
    /** The list. */
    public def bag():ArrayList[T] = bag;
}
