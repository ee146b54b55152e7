// CPipeWire is the only user of PipeWire headers; this module exists for its compiler and linker flags.
