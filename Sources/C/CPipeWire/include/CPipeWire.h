#pragma once

// PipeWire's API consists of static inline calls through method tables, variadics and function-like macros, which Swift
// cannot import, and its data thread must never run Swift. These plain functions wrap it. They contain no policy: the
// Microphone module decides what an event means.

#include "dictation_capture.h"
#include "dictation_connection.h"
#include "dictation_link.h"
#include "dictation_loss.h"
#include "dictation_ring.h"
