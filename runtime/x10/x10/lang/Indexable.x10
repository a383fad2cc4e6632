package x10.lang;

/** Values that are read by index: s(i). */
public interface Indexable[I,V] extends (I)=>V { }
