package x10.io;

/** Marks classes whose objects mean nothing at another place: sending one raises a NotSerializableException. */
public interface Unserializable { }
