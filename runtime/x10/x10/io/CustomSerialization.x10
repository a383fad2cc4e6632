package x10.io;

/**
 * Says itself what is sent of it when it is copied to another place. The class or struct also needs a constructor
 * `this(Deserializer)`, which makes the copy: it reads what `serialize` wrote, in the same order.
 */
public interface CustomSerialization {
    /** Writes what is to be sent. */
    def serialize(s:Serializer):void;
}
