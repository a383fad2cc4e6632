/* The heap of a program whose parallel regions run on a device: nothing that its sources need. */
