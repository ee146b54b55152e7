# shellcheck shell=bash
# Recorded speech, and what the service makes of it.

# Recordings of this machine, where the other has none.
speech=/usr/share/pocketsphinx/test/data/librivox

speech_of() { echo "$speech/sense_and_sensibility_01_austen_64kb-$1.wav"; }

# Plays a recording in a loop into a virtual microphone of the user's, also after restarts of the sound server.
speaks() {
    as_user "$1" sox "$(speech_of "$2")" "/tmp/speaker-$1.wav" pad 0 1 repeat 99
    as_user "$1" systemd-run --user --quiet --collect --unit=speaker --property=Restart=always --property=RestartSec=200ms \
        --property=StartLimitIntervalSec=0 pw-play -P \
        '{ media.class=Audio/Source node.name=recorded-speech node.autoconnect=false priority.session=5000 }' \
        "/tmp/speaker-$1.wav"
}

# The text of a recording; the other arguments are options of dictation-cli.
dictates() {
    local user=$1 recording=$2
    shift 2
    as_user "$user" sox "$(speech_of "$recording")" "/tmp/speech-$user.wav" pad 0 1
    as_user "$user" sh -c 'dictation-cli listen "$@" >/tmp/heard-$USER 2>/tmp/log-$USER & listener=$!
        timeout 30 pw-play -P \
            "{ media.class=Audio/Source node.name=recorded-speech node.autoconnect=false priority.session=5000 }" \
            "$0" >/tmp/player-$USER.log 2>&1
        kill -INT $listener; wait $listener; cat /tmp/heard-$USER /tmp/log-$USER' "/tmp/speech-$user.wav" "$@"
}

gets_text() { contains "$(dictates "$1" 0870)" "leisure to consider how much"; }
