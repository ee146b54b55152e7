// PocketSphinx and the parts of SphinxBase that the recogniser uses: the front end (samples to cepstra), the
// grammar parser and language models. What follows the includes exists because Swift cannot import the variadic callback
// that SphinxBase's log wants.
#pragma once
#include <pocketsphinx/pocketsphinx.h>
#include <sphinxbase/fe.h>
#include <sphinxbase/jsgf.h>
#include <sphinxbase/ngram_model.h>
#include <stddef.h>

/// Takes SphinxBase's log of the calling thread away from the process's standard error, and keeps each
/// thread's last error instead. To be called on every thread before its first call into SphinxBase.
void dictation_sphinx_keep_errors(void);

/// Forgets the calling thread's last error.
void dictation_sphinx_forget_error(void);

/// The calling thread's last error since it was forgotten, without its trailing newline; empty where there
/// was none. Valid until the thread's next call into SphinxBase.
const char *_Nonnull dictation_sphinx_last_error(void);
