// The least that a program must do to turn a file into text with libpocketsphinx: the bar for what the daemon may
// cost on top of it.
//
//   reference-loop split FILE.raw [option value]...    an utterance for each stretch that the library takes for speech
//   reference-loop whole FILE.raw [option value]...    the file as one utterance, and the milliseconds for its end
//
// FILE.raw is S16LE mono at 16 kHz; the options are PocketSphinx's.
#include "CPocketSphinx.h"
#include <sphinxbase/err.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static void print_hypothesis(ps_decoder_t *decoder) {
    int32 score;
    const char *text = ps_get_hyp(decoder, &score);
    if (text != NULL) {
        puts(text);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: reference-loop split|whole FILE.raw [option value]...\n");
        return 64;
    }
    err_set_logfp(NULL);
    FILE *file = fopen(argv[2], "rb");
    if (file == NULL) {
        perror(argv[2]);
        return 66;
    }
    // What parses options skips the first argument: here that is the file's name.
    cmd_ln_t *configuration = cmd_ln_parse_r(NULL, ps_args(), argc - 2, argv + 2, TRUE);
    ps_decoder_t *decoder = configuration != NULL ? ps_init(configuration) : NULL;
    if (decoder == NULL) {
        fprintf(stderr, "reference-loop: PocketSphinx refuses these options\n");
        return 78;
    }
    const int splits = strcmp(argv[1], "split") == 0;
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
    if (!splits) {
        fprintf(stderr, "end %.1f ms\n", milliseconds() - began);
    }
    ps_free(decoder);
    cmd_ln_free_r(configuration);
    fclose(file);
    return 0;
}
