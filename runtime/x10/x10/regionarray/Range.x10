package x10.regionarray;

/** The rectangular regions of rank 1. */
public type Range = Region{self.rect && self.rank==1};
