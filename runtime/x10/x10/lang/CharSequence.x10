package x10.lang;

/** A sequence of characters. */
public interface CharSequence {
    /** How many. */
    def length():Int;
    /** The character at this position. */
    def charAt(index:Int):Char;
    /** Those from fromIndex to before toIndex. */
    def subSequence(fromIndex:Int, toIndex:Int):CharSequence;
}
