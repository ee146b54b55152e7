// Debian installs this header in pocketsphinx/ while pocketsphinx.h includes it without the folder.
#include <pocketsphinx/cmdln_macro.h>
