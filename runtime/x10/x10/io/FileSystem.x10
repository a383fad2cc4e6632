package x10.io;

/** What a file system can do: delete, rename and list files, and make directories. Raises an IOException where it fails. */
public abstract class FileSystem {
    /** What stands between the names of a path. */
    public static SEPARATOR_CHAR:Char = '/';
    /** The same as text. */
    public static SEPARATOR:String = "/";
    /** What stands between the paths of a list. */
    public static PATH_SEPARATOR_CHAR:Char = ':';
    /** The same as text. */
    public static PATH_SEPARATOR:String = ":";

    private static def require(done:Boolean, what:String, f:File):void {
        if (!done) throw new IOException("cannot " + what + " " + f.getPath());
    }
    /** Deletes a file or an empty directory. */
    public def delete(f:File):void { require(f.delete(), "delete", f); }
    /** Gives a file another path. */
    public def rename(f:File, t:File):void { require(f.renameTo(t), "rename", f); }
    /** Makes a directory. */
    public def mkdir(f:File):void { require(f.mkdir(), "make the directory", f); }
    /** Makes a directory, and those that it is in. */
    public def mkdirs(f:File):void { require(f.mkdirs(), "make the directory", f); }
    /** Whether the file is there. */
    public def exists(f:File):Boolean = f.exists();
    /** The number of its bytes. */
    public def size(f:File):Long = f.size();
    /** The files in a directory. */
    public def listFiles(f:File):Rail[File] {
        val names = f.list();
        if (names == null) throw new IOException("cannot list " + f.getPath());
        return new Rail[File](names.size, (i:Long)=>new File(f, names(i)));
    }
    /** The files in a directory that are wanted. */
    public def listFiles(f:File, wanted:(File)=>Boolean):Rail[File] {
        val found = new x10.util.RailBuilder[File]();
        for (file in listFiles(f)) if (wanted(file)) found.add(file);
        return found.result();
    }
}
