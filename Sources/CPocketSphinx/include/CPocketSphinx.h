#pragma once
#include <pocketsphinx/pocketsphinx.h>
