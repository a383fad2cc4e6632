package x10.regionarray;

/** What has copies of its neighbours' borders: a distributed array with ghosts. */
public interface Ghostable {
    /** How it is distributed. */
    def getDist():Dist;
    /** Sends the elements of overlap, which are here, to the neighbour, where their indices are shift more. */
    def putOverlap(overlap:Region{rect}, neighborPlace:Place, shift:Point(overlap.rank), phase:Byte):void;
}
