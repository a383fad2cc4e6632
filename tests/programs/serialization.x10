import x10.io.CustomSerialization;
import x10.io.Deserializer;
import x10.io.NotSerializableException;
import x10.io.Serializer;
import x10.io.Unserializable;

/** What is sent of an object is what it says; sharing is kept; exceptions of its code arrive where they should. */
public class serialization {
    /** Sends a number and makes the squares anew. */
    static class Squares implements CustomSerialization {
        val count:Long;
        transient val squares:Rail[Long];
        def this(count:Long) { this.count = count; squares = new Rail[Long](count, (i:Long)=>i * i); }
        public def this(d:Deserializer) { this(d.readAny() as Long); }
        public def serialize(s:Serializer) { s.writeAny(count); }
    }

    /** A struct inside objects and rails, with another such object inside. */
    static struct Named(name:String, squares:Squares) implements CustomSerialization {
        def this(name:String, squares:Squares) { property(name, squares); }
        public def this(d:Deserializer) {
            val name = d.readAny() as String;
            val squares = d.readAny() as Squares;
            // The inner object is whole when this runs.
            property(name + "/" + squares.squares(squares.count - 1), squares);
        }
        public def serialize(s:Serializer) { s.writeAny(name); s.writeAny(squares); }
    }

    static class Holder {
        transient var hidden:Long = 5;
        var shown:Long = 6;
        val named:Named;
        val again:Named;
        def this(named:Named, again:Named) { this.named = named; this.again = again; }
    }

    static class Refuses implements Unserializable { }

    static class Bomb implements CustomSerialization {
        val sends:Boolean;
        def this(sends:Boolean) { this.sends = sends; }
        public def this(d:Deserializer) {
            sends = d.readAny() as Boolean;
            throw new IllegalStateException("on arrival");
        }
        public def serialize(s:Serializer) {
            if (!sends) throw new IllegalStateException("on the way");
            s.writeAny(sends);
        }
    }

    /** Counts how often it was copied. */
    static class Counted implements CustomSerialization {
        val copies:Long;
        def this(copies:Long) { this.copies = copies; }
        public def this(d:Deserializer) { copies = (d.readAny() as Long) + 1; }
        public def serialize(s:Serializer) { s.writeAny(copies); }
    }

    public static def main(args:Rail[String]) {
        val next = Place.places().next(here);
        val squares = new Squares(4);
        val holder = new Holder(Named("one", squares), Named("two", squares));
        val rail = [holder.named, holder.again];
        at (next) {
            Console.OUT.println(squares.squares);
            Console.OUT.println(holder.named.name + " " + holder.again.name + " " + rail(1).name);
            Console.OUT.println(holder.named.squares == holder.again.squares && squares == holder.named.squares);
            Console.OUT.println(holder.hidden + " " + holder.shown);
        }
        val back = at (next) Named("three", squares);
        Console.OUT.println(back.name);

        for (sends in [true, false]) {
            val bomb = new Bomb(sends);
            try {
                at (next) Console.OUT.println(bomb);
            } catch (e:IllegalStateException) {
                Console.OUT.println("at: " + e.getMessage());
            }
            try {
                finish async at (next) Console.OUT.println(bomb);
            } catch (e:MultipleExceptions) {
                Console.OUT.println("async at: " + e.exceptions()(0).getMessage());
            }
            try {
                finish {
                    try {
                        at (next) async Console.OUT.println(bomb);
                    } catch (e:IllegalStateException) {
                        Console.OUT.println("at async, here: " + e.getMessage());
                    }
                }
            } catch (e:MultipleExceptions) {
                Console.OUT.println("at async, there: " + e.exceptions()(0).getMessage());
            }
        }

        val refuses = new Refuses();
        try {
            at (next) Console.OUT.println(refuses);
        } catch (e:NotSerializableException) {
            Console.OUT.println(e.getMessage());
        }

        val again = new Serializer();
        again.writeAny(new Counted(0));
        Console.OUT.println((new Deserializer(again).readAny() as Counted).copies);

        val s = new Serializer();
        s.writeAny(1);
        s.writeAny(squares);
        s.writeAny(squares);
        val bytes = s.toRail();
        at (next) {
            val d = new Deserializer(bytes);
            val one = d.readAny();
            val a = d.readAny() as Squares;
            Console.OUT.println(one + " " + a.squares + " " + (a == d.readAny()));
            try {
                d.readAny();
            } catch (e:x10.io.SerializationException) {
                Console.OUT.println(e.getMessage());
            }
        }
    }
}
