package x10.compiler;

import x10.lang.annotations.*;

/** A remote activity with a message type of its own, called name. */
public interface NamedMessage(name:String) extends RemoteInvocation { }
