package x10.compiler;

import x10.lang.annotations.*;

/** Says that the method is called seldom, so that what leads to its call is kept out of the way of other code. */
public interface Cold extends MethodAnnotation { }
