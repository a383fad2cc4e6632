package x10.io;

import x10.compiler.Intrinsic;

/** The name of a file or folder. */
public class File {
    /** Between the parts of a path. */
    public static SEPARATOR:Char = '/';
    private val path:String;

    /** The file of this path, relative to the current folder unless it starts with a slash. */
    public def this(path:String) { this.path = path; }
    /** The file of this name in a folder. */
    public def this(parent:File, name:String) { this.path = parent.path + "/" + name; }

    /** The part after the last slash. */
    public def getName():String = path.substring(path.lastIndexOf('/') + 1n);
    /** The path as given. */
    public def getPath():String = path;
    /** Whether the path starts with a slash. */
    public def isAbsolute():Boolean = path.startsWith("/");
    /** Whether there is such a file or folder. */
    public def exists():Boolean = exists(path);
    /** Whether it is a folder. */
    public def isDirectory():Boolean = isDirectory(path);
    /** Whether it is a file. */
    public def isFile():Boolean = exists() && !isDirectory();
    /** How many bytes it has; 0 if there is none. */
    public def size():Long = exists() ? size(path) : 0;
    /** Removes it; false if that failed. */
    public def delete():Boolean = delete(path);
    /** Makes it a folder; false if that failed. */
    public def mkdir():Boolean = mkdir(path);
    /** Opens it to read; raises a FileNotFoundException. */
    public def openRead():FileReader = new FileReader(this);
    /** Makes or empties it, to write. */
    public def openWrite():FileWriter = new FileWriter(this, false);
    /** Opens it to write, keeping what is there if append. */
    public def openWrite(append:Boolean):FileWriter = new FileWriter(this, append);
    /** Makes or empties it, to print to. */
    public def printer():Printer = new Printer(openWrite());
    /** Its lines. */
    public def lines():ReaderIterator[String] = openRead().lines();
    /** The path. */
    public def toString():String = path;

    @Intrinsic("rt.file_exists") private static native def exists(path:String):Boolean;
    @Intrinsic("rt.file_is_directory") private static native def isDirectory(path:String):Boolean;
    @Intrinsic("rt.file_size") private static native def size(path:String):Long;
    @Intrinsic("rt.file_delete") private static native def delete(path:String):Boolean;
    @Intrinsic("rt.file_mkdir") private static native def mkdir(path:String):Boolean;
}
