package x10.compiler;

import x10.lang.annotations.*;

/** A name for the message behind an `at`. */
public interface NamedMessage(name:String) extends RemoteInvocation { }
