package x10.lang;

/** Values that are set by index: s(i) = v. */
public interface Settable[I,V] {
    /** Sets the value at i. */
    operator this(i:I)=(v:V):V;
}
