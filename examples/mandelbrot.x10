import x10.compiler.*;
import x10.io.*;
import x10.util.*;

/**
 * The Mandelbrot set with a dynamic queue of work: a master, an activity, serves strips of the picture to whichever slot asks; workers are
 * blocks of kernels at the accelerators of all places, or at the places themselves where they have none. The picture, mandelbrot.ppm, shows
 * by its colours which slot has computed which strip.
 *
 * apg run mandelbrot.x10 [-- WIDTH HEIGHT FILE]
 */
public class Mandelbrot {
    static WORKERS = 4n;
    static THREADS = 64n;
    static ROWS = 4;
    static LIMIT = 400n;

    public static def main(args:Rail[String]) {
        val width = args.size > 0 ? Long.parse(args(0)) : 320;
        val height = args.size > 1 ? Long.parse(args(1)) : 240;
        val group = SlotGroup.make(1, WORKERS);
        val me = group.activities(here)(0);
        val strip = ROWS * width;
        val picture = new Rail[Int](width * height);
        val owners = new Rail[Int](height);
        finish {
            for (p in Place.places()) at (p) async work(group, me.rank, width, height);
            // A worker sends the strip that it has computed, behind a number of the strip, and gets the next one.
            val room = new Rail[Int](strip + 1);
            var next:Long = 0;
            var working:Long = 0;
            for (part in Place.places()) working += WORKERS;
            while (working > 0) {
                val status = me.recv(Slot.ANY_SOURCE, room, 0, strip + 1);
                if (room(0) >= 0) {
                    val row = room(0) as Long;
                    val rows = Math.min(ROWS, height - row);
                    Rail.copy(room, 1, picture, row * width, rows * width);
                    for (r in row..(row + rows - 1)) owners(r) = status.source as Int;
                }
                val answer = next < height ? next as Int : -1n;
                if (answer < 0) --working;
                me.send(status.source, [answer], 0, 1);
                next += ROWS;
            }
        }
        // Near the border of the set a rounding decides when a point leaves, and devices round the sum of a product once.
        var checked:Long = 0;
        var different:Long = 0;
        for (y in 0..(height - 1)) for (var x:Long = 0; x < width; x += 13) {
            ++checked;
            if (picture(y * width + x) != iterations(x, y, width, height)) ++different;
        }
        if (100 * different > checked) throw new AssertionError(different + " of " + checked + " pixels are wrong");
        if (args.size > 2) write(args(2), picture, owners, width, height);
        Console.OUT.println("a picture of " + width + " x " + height);
        val workers = new HashSet[Int]();
        for (owner in owners) workers.add(owner);
        Console.ERR.println(workers.size() + " slots have computed strips");
        group.delete();
    }

    /** The number of steps after which a point has left the circle. */
    @CUDA static def iterations(x:Long, y:Long, width:Long, height:Long):Int {
        val re = 3.0 * x / width - 2.2;
        val im = 2.4 * y / height - 1.2;
        var a:Double = 0.0;
        var b:Double = 0.0;
        var count:Int = 0n;
        while (count < LIMIT && a * a + b * b <= 4.0) {
            val t = a * a - b * b + re;
            b = 2.0 * a * b + im;
            a = t;
            ++count;
        }
        return count;
    }

    /** The workers of this place. */
    static def work(group:SlotGroup, master:Long, width:Long, height:Long) {
        val place = SlotGroup.kernelPlaces(here)(0);
        val slots = group.blocks(place);
        val strip = ROWS * width;
        val data = GlobalRail.allocate[Int](place, WORKERS * (strip + 1));
        finish async at (place) @CUDA {
            finish for (block in 0n..(WORKERS - 1n)) async {
                val row = new Rail[Int](1, -1n);
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    val me = slots(block);
                    val offset = block * (strip + 1);
                    var more:Boolean = true;
                    if (thread == 0n) data(offset) = -1n;
                    Clock.advanceAll();
                    while (more) {
                        me.send(master, data, offset, strip + 1);
                        me.recv(master, row, 0, 1);
                        more = CUDABlock.any(row(0) >= 0n);
                        if (more) {
                            for (var i:Long = thread; i < strip; i += THREADS) {
                                val y = row(0) + i / width;
                                if (y < height) data(offset + 1 + i) = iterations(i % width, y, width, height);
                            }
                            if (thread == 0n) data(offset) = row(0);
                        }
                    }
                }
            }
        }
        data.free();
    }

    /** A picture in the PPM format: dark where points leave early, in the colour of the slot. */
    static def write(name:String, picture:Rail[Int], owners:Rail[Int], width:Long, height:Long) {
        val out = new File(name).printer();
        out.println("P3");
        out.println(width + " " + height + " 255");
        for (y in 0..(height - 1)) {
            val hue = owners(y) * 67n % 256n;
            for (x in 0..(width - 1)) {
                val light = picture(y * width + x) * 255n / LIMIT;
                val shade = (256n - hue) * light / 255n;
                out.println(light + " " + shade + " " + (hue * (255n - light) / 255n));
            }
        }
        out.close();
    }
}
