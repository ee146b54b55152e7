// PocketSphinx, and the parts of SphinxBase that the recogniser uses: the front end (samples to cepstra) and language models.
//
// There are two versions: 5prealpha with SphinxBase beside it (Debian 12 and 13), and 5.0 or later, which contains
// SphinxBase. The functions here do what has another name in each.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __has_include(<sphinxbase/fe.h>)
#include <pocketsphinx/pocketsphinx.h>
#include <sphinxbase/fe.h>
#include <sphinxbase/ngram_model.h>
#else
#include <pocketsphinx.h>
/// `fe_t` of SphinxBase.
typedef struct fe_s fe_t;
#endif

/// Redirects SphinxBase's log of the calling thread from standard error, and keeps each thread's last error. Call it on
/// every thread before its first call into SphinxBase.
void dictation_sphinx_keep_errors(void);

/// Clears the calling thread's last error.
void dictation_sphinx_forget_error(void);

/// The calling thread's last error since it was cleared, without its trailing newline; empty if there was none. Valid
/// until the thread's next call into SphinxBase.
const char *_Nonnull dictation_sphinx_last_error(void);

/// Creates a decoder without a language model or a grammar. It does not normalise cepstra.
///
/// - acoustic: the folder of the acoustic model.
/// - dictionary: the path of the pronunciation dictionary, or NULL.
///
/// Returns NULL after an error. To be freed with `ps_free`.
ps_decoder_t *_Nullable dictation_sphinx_decoder(const char *_Nonnull acoustic, const char *_Nullable dictionary);

/// The initial mean of cepstra, numbers separated by commas: the model's, else the library's. Valid as long as the decoder.
const char *_Nullable dictation_sphinx_initial_mean(ps_decoder_t *_Nonnull decoder);

/// Reads a language model for a decoder. Returns NULL after an error. To be freed with `ngram_model_free`.
ngram_model_t *_Nullable dictation_sphinx_language(ps_decoder_t *_Nonnull decoder, const char *_Nonnull path);

/// Recognises the words of a language model from the next utterance on. Returns whether it can.
bool dictation_sphinx_use_language(ps_decoder_t *_Nonnull decoder, ngram_model_t *_Nonnull model);

/// The exponent of probabilities of words, the option `-lw`.
float dictation_sphinx_language_weight(ps_decoder_t *_Nonnull decoder);

/// Recognises the words of a finite-state grammar from the next utterance on. Returns whether it can.
///
/// - text: the grammar in the format of `fsg_model_read`.
bool dictation_sphinx_use_grammar(ps_decoder_t *_Nonnull decoder, const char *_Nonnull text, size_t length);

/// Creates a front end with the settings of a decoder's model. Returns NULL after an error.
fe_t *_Nullable dictation_sphinx_front_end(ps_decoder_t *_Nonnull decoder);
void dictation_sphinx_front_end_free(fe_t *_Nonnull front_end);

/// Begins an utterance.
void dictation_sphinx_front_end_begin(fe_t *_Nonnull front_end);

/// Computes the cepstra of the frames that the samples complete.
///
/// - samples, count: the samples. On return those that were not used, because there was no room for frames.
/// - rows: room for the cepstra of each frame.
/// - capacity: the number of rows.
///
/// Returns the number of frames.
int32_t dictation_sphinx_front_end_process(
    fe_t *_Nonnull front_end, const int16_t *_Nullable *_Nonnull samples, size_t *_Nonnull count,
    float *_Nullable *_Nonnull rows, int32_t capacity);

/// Ends an utterance. Computes the cepstra of the last frame, with silence after the last sample.
///
/// Returns the number of frames: 0 or 1.
int32_t dictation_sphinx_front_end_end(fe_t *_Nonnull front_end, float *_Nonnull row);
