package x10.io;

import x10.compiler.Intrinsic;

/** The name of a file or folder. */
public class File {
    /** Between the parts of a path. */
    public static SEPARATOR:Char = '/';
    /** Between several paths. */
    public static PATH_SEPARATOR:Char = ':';
    private val path:String;

    /** The file of this path, relative to the current folder unless it starts with a slash. */
    public def this(fullName:String) { this.path = fullName; }
    /** The file of this name in a folder. */
    public def this(p:File, n:String) { this.path = p == null ? n : p.path + "/" + n; }

    /** The part after the last slash. */
    public def getName():String = path.substring(path.lastIndexOf('/') + 1n);
    /** The folder that it is in, if the path says so, or null. */
    public def getParentFile():File {
        val slash = path.lastIndexOf('/');
        return slash < 0n ? null : slash == 0n ? (path.length() == 1n ? null : new File("/")) : new File(path.substring(0n, slash));
    }
    /** The path as given. */
    public def getPath():String = path;
    /** Whether the path starts with a slash. */
    public def isAbsolute():Boolean = path.startsWith("/");
    /** The file with its path from the root on. */
    public def getAbsoluteFile():File = new File(absolute(path));
    /** The file with its path from the root on, without links; raises an IOException if there is none. */
    public def getCanonicalFile():File = new File(canonical(path));
    /** Whether there is such a file or folder. */
    public def exists():Boolean = exists(path);
    /** Whether it is a folder. */
    public def isDirectory():Boolean = isDirectory(path);
    /** Whether it is a file. */
    public def isFile():Boolean = exists() && !isDirectory();
    /** Whether its name starts with a dot. */
    public def isHidden():Boolean = getName().startsWith(".");
    /** When it was changed, in milliseconds since 1970; 0 if there is none. */
    public def lastModified():Long = modified(path);
    /** Sets when it was changed; false if that failed. */
    public def setLastModified(t:Long):Boolean = setModified(path, t);
    /** How many bytes it has; 0 if there is none. */
    public def size():Long = Math.max(size(path), 0);
    /** Order of the paths. */
    public def compareTo(f:File):Int = path.compareTo(f.path);
    /** Whether the program may read it. */
    public def canRead():Boolean = may(path, 4n);
    /** Whether the program may write it. */
    public def canWrite():Boolean = may(path, 2n);
    /** Removes it; false if that failed. */
    public def delete():Boolean = delete(path);
    /** The names in a folder, in order; null if it is none. */
    public def list():Rail[String] {
        val names = names(path);
        if (names == null) return null;
        return names.length() == 0n ? new Rail[String](0) : names.substring(0n, names.length() - 1n).split("/");
    }
    /** Makes it a folder; false if that failed. */
    public def mkdir():Boolean = mkdir(path);
    /** Makes it a folder, and those that it is in; false if that failed. */
    public def mkdirs():Boolean = !exists() && mkdirs(path);
    /** Gives it another name; false if that failed. */
    public def renameTo(dest:File):Boolean = rename(path, dest.path);
    /** Opens it to read; raises a FileNotFoundException. */
    public def openRead():FileReader = new FileReader(this);
    /** Makes or empties it, to write. */
    public def openWrite():FileWriter = new FileWriter(this, false);
    /** Opens it to write, keeping what is there if append. */
    public def openWrite(append:Boolean):FileWriter = new FileWriter(this, append);
    /** Makes or empties it, to print to. */
    public def printer():Printer = new Printer(openWrite());
    /** Opens it to print to, keeping what is there if append. */
    public def printer(append:Boolean):Printer = new Printer(openWrite(append));
    /** Its lines. */
    public def lines():ReaderIterator[String] = openRead().lines();
    /** Its characters. */
    public def chars():ReaderIterator[Char] = openRead().chars();
    /** Its bytes. */
    public def bytes():ReaderIterator[Byte] = openRead().bytes();
    /** The path. */
    public def toString():String = path;
    /** Whether that has the same path. */
    public def equals(that:Any):Boolean = that instanceof File && (that as File).path.equals(path);
    /** A hash of the path. */
    public def hashCode():Int = path.hashCode();

    @Intrinsic("rt.file_exists") private static native def exists(path:String):Boolean;
    @Intrinsic("rt.file_is_directory") private static native def isDirectory(path:String):Boolean;
    @Intrinsic("rt.file_size") private static native def size(path:String):Long;
    @Intrinsic("rt.file_delete") private static native def delete(path:String):Boolean;
    @Intrinsic("rt.file_mkdir") private static native def mkdir(path:String):Boolean;
    @Intrinsic("rt.file_mkdirs") private static native def mkdirs(path:String):Boolean;
    @Intrinsic("rt.file_rename") private static native def rename(from:String, to:String):Boolean;
    @Intrinsic("rt.file_list") private static native def names(path:String):String;
    @Intrinsic("rt.file_modified") private static native def modified(path:String):Long;
    @Intrinsic("rt.file_set_modified") private static native def setModified(path:String, millis:Long):Boolean;
    @Intrinsic("rt.file_may") private static native def may(path:String, what:Int):Boolean;
    @Intrinsic("rt.file_absolute") private static native def absolute(path:String):String;
    @Intrinsic("rt.file_canonical") private static native def canonical(path:String):String;
}
