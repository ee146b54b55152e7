// Debian installs this header in pocketsphinx/ while pocketsphinx.h includes it without the folder.
#include <pocketsphinx/pocketsphinx_export.h>
