#pragma once

// PipeWire's API is static inline calls through method tables, variadics and function-like macros, none of
// which Swift's importer takes, and its data thread must never run Swift. So PipeWire lives behind these
// plain functions. They hold no policy: what an event means is decided in the Microphone module.

#include "dictation_capture.h"
#include "dictation_connection.h"
#include "dictation_link.h"
#include "dictation_loss.h"
#include "dictation_ring.h"
