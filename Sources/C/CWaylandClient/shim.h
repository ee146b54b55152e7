// CWaylandInput is the only user of Wayland's headers; this module exists for its compiler and linker flags.
