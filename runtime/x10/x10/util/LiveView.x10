package x10.util;

import x10.compiler.Intrinsic;
import x10.io.Unserializable;

/**
 * A picture of the running program, in a browser or an editor's browser pane on the same machine. Shapes are added to a frame,
 * and show() brings it to the page: val view = new LiveView("particles", 800, 600); Console.OUT.println(view.url());
 * A view belongs to the place that made it. Each shape has a group, which chooses its colour; a negative one is that of text.
 */
public class LiveView implements Unserializable {
    private val view:Long;
    private val width:Long;
    private val height:Long;
    private var items:StringBuilder = new StringBuilder();
    private var caption:String = "";

    /** A view whose frames have this size, on any free port of the loopback interface. */
    public def this(title:String, width:Long, height:Long) { this(title, width, height, 0n); }
    /** On this port; raises an IOException if it is taken. */
    public def this(title:String, width:Long, height:Long, port:Int) {
        this.width = width;
        this.height = height;
        this.view = open(title, port);
    }

    /** The address of the page. It is a secret: who knows it, and is on this machine, sees the picture. */
    public def url():String = url(view);

    /** A line of text above the picture. */
    public def caption(text:String):void { caption = text; }

    /** Squares of one size around points; groups(i) is the group of point i. */
    public def points(xs:Rail[Float], ys:Rail[Float], groups:Rail[Int], size:Float):void {
        begin();
        items.add("\"size\":" + number(size) + ",\"x\":");
        numbers(xs);
        items.add(",\"y\":");
        numbers(ys);
        items.add(",\"group\":[");
        for (i in groups.range) { if (i > 0) items.add(','); items.add(groups(i)); }
        items.add("]}");
    }
    /** A disc. */
    public def circle(x:Float, y:Float, radius:Float, group:Int):void {
        shape(x, y, radius, group);
        items.add('}');
    }
    /** A line of this thickness. */
    public def line(x0:Float, y0:Float, x1:Float, y1:Float, thickness:Float, group:Int):void {
        shape(x0, y0, thickness, group);
        items.add(",\"to\":[" + number(x1) + "," + number(y1) + "]}");
    }
    /** Text that begins at a point, of this height. */
    public def text(x:Float, y:Float, text:String, height:Float, group:Int):void {
        shape(x, y, height, group);
        items.add(",\"text\":");
        quoted(text);
        items.add('}');
    }

    /** Brings what was added since the last call to the page, instead of what was there. */
    public def show():void {
        val frame = new StringBuilder();
        frame.add("{\"width\":" + width + ",\"height\":" + height + ",\"caption\":");
        frame.add(inQuotes(caption));
        frame.add(",\"items\":[");
        frame.add(items.toString());
        frame.add("]}");
        items = new StringBuilder();
        show(view, frame.toString());
    }

    /** Whether a page is open. */
    public def isWatched():Boolean = isWatched(view);
    /** Waits until a page is open, but no longer than that; whether one is. */
    public def waitForViewer(milliseconds:Long):Boolean {
        val end = System.nanoTime() + milliseconds * 1000000;
        while (!isWatched(view)) {
            if (System.nanoTime() >= end) return false;
            System.sleep(20);
        }
        return true;
    }

    /** Ends the view; an open page keeps the last frame. */
    public def close():void {
        val end = System.nanoTime() + 2000000000;
        while (!isDelivered(view) && System.nanoTime() < end) System.sleep(10);
        close(view);
    }

    private def begin() { items.add(items.length() > 0 ? ",{" : "{"); }
    private def shape(x:Float, y:Float, size:Float, group:Int) {
        begin();
        items.add("\"at\":[" + number(x) + "," + number(y) + "],\"size\":" + number(size) + ",\"group\":" + group);
    }
    private def numbers(all:Rail[Float]) {
        items.add('[');
        for (i in all.range) { if (i > 0) items.add(','); items.add(number(all(i))); }
        items.add(']');
    }
    private def quoted(text:String) { items.add(inQuotes(text)); }
    /** In JSON there is no infinity. */
    private static def number(x:Float):String = x.isNaN() || x.isInfinite() ? "0" : x.toString();
    private static def inQuotes(text:String):String {
        val out = new StringBuilder();
        out.add('"');
        for (c in text.chars()) {
            if (c == '"' || c == '\\') { out.add('\\'); out.add(c); }
            else if (c.ord() < 32n) out.add(' ');
            else out.add(c);
        }
        out.add('"');
        return out.toString();
    }

    @Intrinsic("rt.view_open") private static native def open(title:String, port:Int):Long;
    @Intrinsic("rt.view_url") private static native def url(view:Long):String;
    @Intrinsic("rt.view_show") private static native def show(view:Long, frame:String):void;
    @Intrinsic("rt.view_is_watched") private static native def isWatched(view:Long):Boolean;
    @Intrinsic("rt.view_is_delivered") private static native def isDelivered(view:Long):Boolean;
    @Intrinsic("rt.view_close") private static native def close(view:Long):void;
}
