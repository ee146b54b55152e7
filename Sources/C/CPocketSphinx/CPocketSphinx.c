#include "CPocketSphinx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#if __has_include(<sphinxbase/fe.h>)
#include <sphinxbase/err.h>
#include <sphinxbase/fsg_model.h>
#define IS_PREALPHA 1
#else
#include <pocketsphinx/err.h>
#define IS_PREALPHA 0
#endif

// At most 5000 HMMs in a frame: the same words in a quarter less time, see packaging/bench-results.md.
#define MOST_HMMS 5000

// MARK: - Errors

static _Thread_local char last_error[512];

static void keep_error(void *user_data, err_lvl_t level, const char *format, ...) {
    (void)user_data;
    if (level < ERR_ERROR) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    last_error[strcspn(last_error, "\n")] = '\0';
}

void dictation_sphinx_keep_errors(void) {
    err_set_callback(keep_error, NULL);
    // For the calling thread; ps_init prints its whole configuration there.
    err_set_logfp(NULL);
}

void dictation_sphinx_forget_error(void) {
    last_error[0] = '\0';
}

const char *dictation_sphinx_last_error(void) {
    return last_error;
}

// MARK: - Decoder

#if IS_PREALPHA

ps_decoder_t *dictation_sphinx_decoder(const char *acoustic, const char *dictionary) {
    cmd_ln_t *configuration = cmd_ln_init(NULL, ps_args(), TRUE, "-hmm", acoustic, "-fwdflat", "no", NULL);
    if (configuration == NULL) {
        return NULL;
    }
    cmd_ln_set_int_r(configuration, "-maxhmmpf", MOST_HMMS);
    if (dictionary != NULL) {
        cmd_ln_set_str_r(configuration, "-dict", dictionary);
    }
    ps_decoder_t *decoder = ps_init(configuration);
    cmd_ln_free_r(configuration);
    if (decoder != NULL) {
        // The model's feat.params ask for normalisation over earlier audio.
        ps_get_feat(decoder)->cmn = CMN_NONE;
    }
    return decoder;
}

const char *dictation_sphinx_initial_mean(ps_decoder_t *decoder) {
    return cmd_ln_str_r(ps_get_config(decoder), "-cmninit");
}

float dictation_sphinx_language_weight(ps_decoder_t *decoder) {
    return (float)cmd_ln_float_r(ps_get_config(decoder), "-lw");
}

bool dictation_sphinx_use_language(ps_decoder_t *decoder, ngram_model_t *model) {
    return ps_set_lm(decoder, "language", model) == 0 && ps_set_search(decoder, "language") == 0;
}

static bool use_grammar(ps_decoder_t *decoder, fsg_model_t *model) {
    return ps_set_fsg(decoder, "grammar", model) == 0 && ps_set_search(decoder, "grammar") == 0;
}

#else

ps_decoder_t *dictation_sphinx_decoder(const char *acoustic, const char *dictionary) {
    ps_config_t *configuration = ps_config_init(NULL);
    if (configuration == NULL) {
        return NULL;
    }
    ps_config_set_str(configuration, "hmm", acoustic);
    ps_config_set_bool(configuration, "fwdflat", 0);
    ps_config_set_int(configuration, "maxhmmpf", MOST_HMMS);
    if (dictionary != NULL) {
        ps_config_set_str(configuration, "dict", dictionary);
    }
    ps_decoder_t *decoder = ps_init(configuration);
    ps_config_free(configuration);
    if (decoder == NULL) {
        return NULL;
    }
    // The model's feat.params ask for normalisation over earlier audio, and replace what was set before ps_init.
    ps_config_set_str(ps_get_config(decoder), "cmn", "none");
    if (ps_reinit_feat(decoder, NULL) != 0) {
        ps_free(decoder);
        return NULL;
    }
    return decoder;
}

const char *dictation_sphinx_initial_mean(ps_decoder_t *decoder) {
    return ps_config_str(ps_get_config(decoder), "cmninit");
}

float dictation_sphinx_language_weight(ps_decoder_t *decoder) {
    return (float)ps_config_float(ps_get_config(decoder), "lw");
}

bool dictation_sphinx_use_language(ps_decoder_t *decoder, ngram_model_t *model) {
    return ps_add_lm(decoder, "language", model) == 0 && ps_activate_search(decoder, "language") == 0;
}

static bool use_grammar(ps_decoder_t *decoder, fsg_model_t *model) {
    return ps_add_fsg(decoder, "grammar", model) == 0 && ps_activate_search(decoder, "grammar") == 0;
}

#endif

ngram_model_t *dictation_sphinx_language(ps_decoder_t *decoder, const char *path) {
    return ngram_model_read(ps_get_config(decoder), path, NGRAM_AUTO, ps_get_logmath(decoder));
}

bool dictation_sphinx_use_grammar(ps_decoder_t *decoder, const char *text, size_t length) {
    FILE *file = fmemopen((void *)text, length, "r");
    if (file == NULL) {
        return false;
    }
    fsg_model_t *model = fsg_model_read(file, ps_get_logmath(decoder), dictation_sphinx_language_weight(decoder));
    fclose(file);
    if (model == NULL) {
        return false;
    }
    const bool is_used = use_grammar(decoder, model);
    fsg_model_free(model);
    return is_used;
}

// MARK: - Front end

#if !IS_PREALPHA
// Version 5 exports the front end, and declares it in no public header. These are the declarations of its src/fe/fe.h.
fe_t *fe_init_auto_r(ps_config_t *config);
int fe_start_utt(fe_t *fe);
int fe_end_utt(fe_t *fe, float *out_cepvector, int32 *out_nframes);
int fe_free(fe_t *fe);
int fe_process_frames(
    fe_t *fe, int16 const **inout_spch, size_t *inout_nsamps, float **buf_cep, int32 *inout_nframes);
#endif

fe_t *dictation_sphinx_front_end(ps_decoder_t *decoder) {
    return fe_init_auto_r(ps_get_config(decoder));
}

void dictation_sphinx_front_end_free(fe_t *front_end) {
    fe_free(front_end);
}

void dictation_sphinx_front_end_begin(fe_t *front_end) {
#if IS_PREALPHA
    fe_start_stream(front_end);
#endif
    fe_start_utt(front_end);
}

int32_t dictation_sphinx_front_end_process(
    fe_t *front_end, const int16_t **samples, size_t *count, float **rows, int32_t capacity) {
    int32 frames = capacity;
#if IS_PREALPHA
    fe_process_frames(front_end, samples, count, rows, &frames, NULL);
#else
    fe_process_frames(front_end, samples, count, rows, &frames);
#endif
    return frames;
}

int32_t dictation_sphinx_front_end_end(fe_t *front_end, float *row) {
    int32 frames = 0;
    fe_end_utt(front_end, row, &frames);
    return frames;
}
