#pragma once

#include "dictation_connection.h"

struct pw_core *_Nonnull dictation_connection_core(const struct dictation_connection *_Nonnull connection);
