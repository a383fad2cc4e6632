import x10.io.*;
import x10.util.*;

/** Files, readers, writers and the forms of values in them. */
public class files {
  static def show(what:String, value:Any) { Console.OUT.println(what + ": " + value); }
  static def raises(what:String, body:()=>void) {
    try { body(); show(what, "nothing raised"); }
    catch (e:Exception) { show(what, e.typeName()); }
  }

  static def text(folder:File) {
    val file = new File(folder, "lines.txt");
    val out = file.printer();
    out.println("one");
    out.print("two "); out.printf("%d %s\n", 2, "zwei");
    out.println();
    out.print("last\u00e9");
    out.close();
    show("size", file.size() + " " + file.isFile() + " " + file.canRead() + " " + (file.lastModified() > 1000000000000));
    var count:Long = 0;
    for (line in file.lines()) show("line " + count++, "[" + line + "]");
    val appended = file.openWrite(true);
    appended.write("!\n");
    appended.close();
    val reader = file.openRead();
    show("first", reader.readLine() + " " + reader.offset() + " " + reader.available());
    reader.mark(100);
    reader.skip(4);
    show("char", "" + reader.readChar() + reader.readChar());
    reader.reset();
    show("again", reader.readLine() + "|" + reader.readLine() + "|" + reader.readLine());
    raises("end", ()=>{ reader.readLine(); });
    raises("byte", ()=>{ reader.read(); });
    reader.close();
    raises("closed", ()=>{ reader.read(); });
    val characters = new StringBuilder();
    for (c in file.chars()) characters.add(c);
    show("chars", characters.result().substring(16n, 23n));
    var bytes:Long = 0;
    for (b in file.bytes()) bytes++;
    show("bytes", bytes);
  }

  static def values(folder:File) {
    val file = new File(folder, "values");
    val out = file.openWrite();
    out.writeByte(-3y); out.writeUByte(250uy); out.writeShort(-300s); out.writeUShort(60000us);
    out.writeInt(-70000n); out.writeUInt(4000000000un); out.writeLong(-5000000000); out.writeULong(18000000000000000000u);
    out.writeFloat(1.5f); out.writeDouble(-2.25e100); out.writeBoolean(true); out.writeBoolean(false);
    for (c in "a\u00e9\u20ac".chars()) out.writeByte(c.ord() as Byte);
    out.writeChar('x'); out.writeChar(8364n as Char);
    out.write(Marshal.INT, 77n);
    out.write(Marshal.LINE, "done\n");
    out.close();
    val in_ = file.openRead();
    show("small", in_.readByte() + " " + in_.readUByte() + " " + in_.readShort() + " " + in_.readUShort());
    show("large", in_.readInt() + " " + in_.readUInt() + " " + in_.readLong() + " " + in_.readULong());
    show("other", in_.readFloat() + " " + in_.readDouble() + " " + in_.readBoolean() + " " + in_.readBoolean());
    show("chars", "" + in_.readChar() + in_.readChar() + in_.readChar() + in_.readChar() + in_.readChar());
    val numbers = new Rail[Int](1);
    in_.read(Marshal.INT, numbers);
    show("rest", numbers + " " + in_.read(Marshal.LINE));
    raises("end", ()=>{ in_.readLong(); });
    in_.close();
  }

  static def folders(folder:File) {
    show("names", folder.list() + " " + folder.isDirectory() + " " + folder.mkdir());
    val deep = new File(folder, "a/b/c");
    show("deep", deep.mkdirs() + " " + deep.exists() + " " + deep.getName() + " " + deep.getParentFile().getName() + " " + deep.list());
    val file = new File(folder, "values");
    val moved = new File(deep, ".moved");
    show("moved", file.renameTo(moved) + " " + file.exists() + " " + moved.exists() + " " + moved.isHidden() + " " + file.renameTo(moved));
    show("time", moved.setLastModified(1234567000) + " " + moved.lastModified());
    show("same", moved.equals(new File(moved.getPath())) + " " + moved.getCanonicalFile().equals(new File(new File(deep, "../c").getCanonicalFile(), ".moved")));
    show("absolute", new File("x").isAbsolute() + " " + new File("x").getAbsoluteFile().isAbsolute());
    show("deleted", deep.delete() + " " + moved.delete() + " " + deep.delete() + " " + moved.size() + " " + moved.list());
    raises("open", ()=>{ moved.openRead(); });
    raises("write", ()=>{ moved.openWrite(); });
    raises("canonical", ()=>{ moved.getCanonicalFile(); });
    new File(folder, "a/b").delete();
    new File(folder, "a").delete();
    new File(folder, "lines.txt").delete();
    show("gone", folder.delete() + " " + folder.exists());
  }

  static def memory() {
    val text = new StringWriter();
    text.write("abc");
    text.write(100y);
    text.write([101y as Byte, 102y, 103y], 1, 2);
    show("text", text.result() + " " + text.size());
    val printer = new Printer(text);
    printer.println(12);
    printer.flush();
    show("printed", text.result().trim() + " " + text.size());
    val source = new Source("hello");
    val back = new PutbackReader(source);
    val first = back.read();
    back.putback(first);
    back.putback(65y);
    val some = new Rail[Byte](4);
    back.read(some, 0, 4);
    show("back", new String(some) + " " + back.available() + " " + back.markSupported());
    raises("mark", ()=>{ back.mark(1); });
    show("rest", back.readLine());
  }
  /** The bytes of a string. */
  static class Source extends Reader {
    val text:String;
    var position:Int = 0n;
    def this(text:String) { this.text = text; }
    public def close() { }
    public def read():Byte {
      if (position == text.length()) throw new EOFException();
      return text(position++).ord() as Byte;
    }
    public def read(r:Rail[Byte], off:Long, len:Long) { for (i in 0..(len - 1)) r(off + i) = read(); }
    public def available():Long = text.length() - position;
  }

  public static def main(Rail[String]) {
    val folder = new File("/tmp/apg-files-" + System.currentTimeMillis() + "-" + System.nanoTime());
    folder.mkdir();
    text(folder);
    values(folder);
    folders(folder);
    memory();
  }
}
