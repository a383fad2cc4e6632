package x10.lang;

/** What values are added to from activities anywhere. */
public abstract class Acc {
    /** Adds t. */
    public abstract def supply(t:Any):void;
    /** Forgets what was added and starts from t. */
    public abstract def reset(t:Any):void;
    /** What has been made of all that was added. */
    public abstract def result():Any;
    /** Where the values come together. */
    public abstract def home():Place;
}
