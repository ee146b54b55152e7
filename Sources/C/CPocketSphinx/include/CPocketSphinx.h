// PocketSphinx and the parts of SphinxBase that the recogniser uses: the front end (samples to cepstra), the grammar
// parser and language models. The functions after the includes exist because Swift cannot import the variadic callback
// of SphinxBase's log.
#pragma once
#include <pocketsphinx/pocketsphinx.h>
#include <sphinxbase/fe.h>
#include <sphinxbase/jsgf.h>
#include <sphinxbase/ngram_model.h>
#include <stddef.h>

/// Redirects SphinxBase's log of the calling thread from standard error, and keeps each thread's last error. Call it on
/// every thread before its first call into SphinxBase.
void dictation_sphinx_keep_errors(void);

/// Clears the calling thread's last error.
void dictation_sphinx_forget_error(void);

/// The calling thread's last error since it was cleared, without its trailing newline; empty if there was none. Valid
/// until the thread's next call into SphinxBase.
const char *_Nonnull dictation_sphinx_last_error(void);
