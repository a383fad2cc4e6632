import x10.array.*;
import x10.compiler.Profile;
import x10.io.*;
import x10.util.*;
import x10.xrx.Runtime;

/** Less common members of the library: processes, profiles, distributions of x10.array, file systems, handlers of options. */
public class library_names {
    static class Files extends FileSystem { }

    static class Options extends OptionsParser {
        def this(args:Rail[String], handlers:Rail[Any]) {
            super(args, [Option("n", "size", "how many", 1n), Option("v", "", "more"), Option("l", "list", "values", 2n, true)], handlers);
        }
        def show() {
            Console.OUT.println(options.size + " " + keyMap.containsKey("--size") + keyMap.containsKey("-q") + " " + args + " " + properties("-n") + " " +
                tailStart + " " + required.size() + " " + oneCharFlags.contains("-v") + " " + getTail() + " " + filteredArgs());
        }
    }

    static def options() {
        val line = ["-v", "-n", "3", "x", "--size=4", "--bad", "y"];
        new Options(line, new Rail[Any](0)).show();
        val twice:OptionsParser.DupHandler = (k:String, m:OptionsParser.OptionsMap, a:Rail[String], f:Int, c:Int) => {
            Console.OUT.println("again " + k + " " + a(f) + " " + c);
        };
        new Options(line, [twice as Any]).show();
        new Options(line, [OptionsParser.startTailOnUnknownKey as Any]).show();
        Console.OUT.println(new Options(["-l", "3", "4"], [OptionsParser.lastOnMoreThanOne as Any])("list", "0"));
        Console.OUT.println(new Options(["-l", "3"], [((k:String, wanted:Int, got:Int):Rail[String] => [k + wanted + got]) as Any])("l", "0"));
        try { new Options(["-l", "3"], new Rail[Any](0)); } catch (e:OptionsParser.Err) { Console.OUT.println(e.getMessage()); }
    }

    static def processes() {
        Console.OUT.println((Runtime.getName().indexOf('@') > 0n) + " " + (Runtime.MAX_THREADS >= Runtime.NTHREADS) + " " + (Runtime.processStartNanos() <= System.nanoTime()));
        val output = Runtime.execForRead("echo one; echo two");
        Console.OUT.println(output.readLine() + output.readLine());
        try { output.readLine(); } catch (EOFException) { Console.OUT.println("end"); }
        output.close();
        val endless = Runtime.execForRead("yes");
        Console.OUT.println(endless.readLine());
        endless.close();
        val path = "/tmp/apg_library_names_" + Runtime.getName();
        val input = Runtime.execForWrite("tr a-z A-Z > " + path);
        input.write("hello\n");
        input.close();
        Console.OUT.println(new File(path).openRead().readLine());
        new File(path).delete();
        val deaf = Runtime.execForWrite("true");
        try { for (i in 1..100000) deaf.write("hello hello\n"); } catch (IOException) { Console.OUT.println("nobody reads"); }
    }

    val k = 3;
    def profiles(next:Place) {
        val prof = new Runtime.Profile();
        val big = new Rail[Long](1000, 3);
        @Profile(prof) at (next) { big(3) = k; }
        Console.OUT.println((prof.bytes > 8000) + " " + (prof.communicationNanos > 0) + (prof.serializationNanos > 0));
        prof.reset();
        val sum = @Profile(prof) at (next) big(2) + k;
        Console.OUT.println(sum + " " + (prof.bytes > 8000));
        prof.reset();
        finish @Profile(prof) async at (next) { big(3) = k; }
        Console.OUT.println(prof.bytes > 8000);
        prof.reset();
        finish @Profile(prof) at (next) async { }
        Console.OUT.println(prof.bytes > 0 && prof.bytes < 1000);
        Console.OUT.println(Runtime.evalAt[Long](next, () => here.id, prof) == next.id);
        Runtime.runAt(next, () => { if (here != next) Console.OUT.println("elsewhere"); }, null);
        val before = prof.bytes;
        val copy = Runtime.deepCopy[Rail[Long]](big, prof);
        Console.OUT.println(copy(0) + " " + (prof.bytes - before > 8000));
    }

    /** Each place has the points of which the distribution says so, and together they have all. */
    static def covers(dist:x10.array.Dist) {
        val count = GlobalRef(new Cell[Long](0));
        finish for (p in dist.pg) at (p) async {
            val local = dist.localIndices();
            var own:Long = 0;
            for (point in local) { if (dist.place(point as Point(dist.rank())) != here) Console.OUT.println(point + " is not at " + here); own++; }
            val found = own;
            at (count.home) async atomic count()() = count()() + found;
        }
        Console.OUT.println(dist.rank + " " + dist.is + " " + (count()() == dist.is.size()));
    }

    static def distributions() {
        val all = Place.places();
        covers(new Dist_Block_1(all, new DenseIterationSpace_1(3, 9)));
        covers(new Dist_Block_2(all, new DenseIterationSpace_2(0, 1, 9, 4)));
        covers(new Dist_Block_3(all, new DenseIterationSpace_3(0, 1, 2, 9, 4, 3)));
        covers(new Dist_BlockBlock_2(all, new DenseIterationSpace_2(0, 1, 9, 4)));
        covers(new Dist_BlockBlock_3(all, new DenseIterationSpace_3(0, 1, 2, 9, 4, 3)));
        val plane:x10.array.Dist(2) = new Dist_Block_2(all, new DenseIterationSpace_2(0, 0, 3, 3));
        Console.OUT.println(plane.place(Point.make(0, 4)) == Place.INVALID_PLACE);
    }

    static def files() {
        val fs = new Files();
        val folder = new File("/tmp/apg_library_names_folder_" + Runtime.getName());
        fs.mkdirs(folder);
        fs.mkdir(new File(folder, "a"));
        fs.mkdir(new File(folder, "b"));
        for (file in fs.listFiles(folder)) Console.OUT.println(file.getName());
        fs.rename(new File(folder, "a"), new File(folder, "c"));
        Console.OUT.println(fs.listFiles(folder, (f:File) => f.getName().equals("c")).size + FileSystem.SEPARATOR);
        for (file in fs.listFiles(folder)) fs.delete(file);
        fs.delete(folder);
        try { fs.delete(folder); } catch (IOException) { Console.OUT.println(fs.exists(folder)); }
    }

    public static def main(Rail[String]) {
        options();
        processes();
        new library_names().profiles(Place.places().next(here));
        distributions();
        files();
    }
}
