package x10.util;

/** The text of rails and lists. */
class RailText {
    /** At most ten of the first count elements, in brackets. */
    static def of[T](rail:Rail[T], count:Long):String {
        val text = new StringBuilder();
        text.add('[');
        val shown = Math.min(count, 10);
        for (i in 0..(shown - 1)) {
            if (i > 0) text.add(',');
            text.addString("" + rail(i));
        }
        if (shown < count) text.add("...(omitted ").add(count - shown).add(" elements)");
        return text.add(']').result();
    }
}
