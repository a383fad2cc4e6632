package x10.io;

/** Is never sent to another place: an attempt raises a NotSerializableException. */
public interface Unserializable { }
