// The least that a program must do to turn a file into text with libpocketsphinx: the bar for what the daemon may
// cost on top of it.
//
//   reference-loop split FILE.raw [option value]...    an utterance for each stretch that the library takes for speech
//   reference-loop whole FILE.raw [option value]...    the file as one utterance
//   reference-loop live FILE.raw [option value]...     like split, at the pace of real time: a line for each new
//                                                      hypothesis, with the milliseconds since the beginning, and for
//                                                      each end of an utterance; then the worst lag in milliseconds
//
// split and whole print the milliseconds that the end of the last utterance takes to the standard error.
//
// FILE.raw is S16LE mono at 16 kHz; the options are PocketSphinx's.
#include "CPocketSphinx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if __has_include(<sphinxbase/err.h>)
#include <sphinxbase/err.h>
#else
#include <pocketsphinx/err.h>
#endif

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

// The samples of 20 ms, as a microphone brings them.
#define LIVE_CHUNK 320

static void sleep_until(double time) {
    struct timespec end = {.tv_sec = (time_t)(time / 1e3)};
    end.tv_nsec = (long)((time - end.tv_sec * 1e3) * 1e6);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}

static void print_live(ps_decoder_t *decoder, double began, const char *kind, char *shown, size_t size) {
    int32 score;
    const char *text = ps_get_hyp(decoder, &score);
    if (text == NULL || (*kind == 'p' && strcmp(text, shown) == 0)) return;
    printf("%s\t%.1f\t%s\n", kind, milliseconds() - began, text);
    snprintf(shown, size, "%s", *kind == 'p' ? text : "");
}

// Looks for text after each chunk, as a program does that shows it at once.
static void decode_live(ps_decoder_t *decoder, FILE *file) {
    int16 samples[LIVE_CHUNK];
    size_t count;
    char shown[4096] = "";
    int in_speech = 0;
    double due = milliseconds(), worst = 0;
    const double began = due;
    ps_start_stream(decoder);
    ps_start_utt(decoder);
    while ((count = fread(samples, sizeof samples[0], LIVE_CHUNK, file)) > 0) {
        due += count / 16.0;
        sleep_until(due);
        ps_process_raw(decoder, samples, count, FALSE, FALSE);
        const int now_in_speech = ps_get_in_speech(decoder);
        if (in_speech && !now_in_speech) {
            ps_end_utt(decoder);
            print_live(decoder, began, "final", shown, sizeof shown);
            ps_start_utt(decoder);
        } else if (now_in_speech) {
            print_live(decoder, began, "partial", shown, sizeof shown);
        }
        in_speech = now_in_speech;
        const double lag = milliseconds() - due;
        if (lag > worst) worst = lag;
    }
    ps_end_utt(decoder);
    print_live(decoder, began, "final", shown, sizeof shown);
    fprintf(stderr, "lag %.1f ms\n", worst);
}

static void print_hypothesis(ps_decoder_t *decoder) {
    int32 score;
    const char *text = ps_get_hyp(decoder, &score);
    if (text != NULL) {
        puts(text);
    }
}

static void decode(ps_decoder_t *decoder, FILE *file, int splits) {
    int16 samples[2048];
    size_t count;
    int in_speech = 0;
    ps_start_stream(decoder);
    ps_start_utt(decoder);
    while ((count = fread(samples, sizeof samples[0], 2048, file)) > 0) {
        ps_process_raw(decoder, samples, count, FALSE, FALSE);
        const int now_in_speech = ps_get_in_speech(decoder);
        if (splits && in_speech && !now_in_speech) {
            ps_end_utt(decoder);
            print_hypothesis(decoder);
            ps_start_utt(decoder);
        }
        in_speech = now_in_speech;
    }
    const double began = milliseconds();
    ps_end_utt(decoder);
    print_hypothesis(decoder);
    fprintf(stderr, "end %.1f ms\n", milliseconds() - began);
}

#if __has_include(<sphinxbase/err.h>)
static ps_decoder_t *create_decoder(int count, char **options) {
    // What parses options skips the first argument.
    cmd_ln_t *configuration = cmd_ln_parse_r(NULL, ps_args(), count + 1, options - 1, TRUE);
    ps_decoder_t *decoder = configuration != NULL ? ps_init(configuration) : NULL;
    cmd_ln_free_r(configuration);
    return decoder;
}
#else
static const void *set_option(ps_config_t *configuration, const char *name, const char *value) {
    switch (ps_config_typeof(configuration, name)) {
    case ARG_INTEGER: return ps_config_set_int(configuration, name, atol(value));
    case ARG_FLOATING: return ps_config_set_float(configuration, name, atof(value));
    case ARG_BOOLEAN: return ps_config_set_bool(configuration, name, strcmp(value, "yes") == 0);
    case ARG_STRING: return ps_config_set_str(configuration, name, value);
    default: return NULL;
    }
}

static ps_decoder_t *create_decoder(int count, char **options) {
    ps_config_t *configuration = ps_config_init(NULL);
    int is_valid = configuration != NULL && count % 2 == 0;
    for (int index = 0; is_valid && index < count; index += 2) {
        is_valid = options[index][0] == '-' && set_option(configuration, options[index] + 1, options[index + 1]);
    }
    ps_decoder_t *decoder = is_valid ? ps_init(configuration) : NULL;
    ps_config_free(configuration);
    return decoder;
}
#endif

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: reference-loop split|whole|live FILE.raw [option value]...\n");
        return 64;
    }
    err_set_logfp(NULL);
    FILE *file = fopen(argv[2], "rb");
    if (file == NULL) {
        perror(argv[2]);
        return 66;
    }
    ps_decoder_t *decoder = create_decoder(argc - 3, argv + 3);
    if (decoder == NULL) {
        fprintf(stderr, "reference-loop: PocketSphinx refuses these options\n");
        return 78;
    }
    if (strcmp(argv[1], "live") == 0) {
        decode_live(decoder, file);
    } else {
        decode(decoder, file, strcmp(argv[1], "split") == 0);
    }
    ps_free(decoder);
    fclose(file);
    return 0;
}
