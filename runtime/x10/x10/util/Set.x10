package x10.util;

/** A collection that has no two equal values. */
public interface Set[T] extends Collection[T] { }
