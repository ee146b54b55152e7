#include "CPipeWire.h"
#include <pipewire/pipewire.h>
