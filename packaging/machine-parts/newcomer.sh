# shellcheck shell=bash
# What a newcomer does.

# GNOME without a screen, in a session of the user.
log_in() {
    inside systemd-run --quiet --collect --unit="gnome-$1" --property=PAMName=login --property=User="$1" \
        --property=Environment="XDG_SEAT=seat0 XDG_SESSION_TYPE=wayland XDG_SESSION_CLASS=user XDG_CURRENT_DESKTOP=GNOME" \
        --property=Environment="LIBGL_ALWAYS_SOFTWARE=1 LANG=C.UTF-8" --working-directory="/home/$1" /usr/bin/gnome-session
}

in_gnome() { as_user anna env XDG_CURRENT_DESKTOP=GNOME XDG_SESSION_TYPE=wayland WAYLAND_DISPLAY=wayland-0 "$@"; }

shell_answers() {
    in_gnome gdbus call --session --dest org.gnome.Shell --object-path /org/gnome/Shell \
        --method org.gnome.Shell.Extensions.GetExtensionInfo dictation@dictation.example.org
}

session_has_ended() {
    is "$(as_user "$1" systemctl --user list-units --no-legend --state=active,activating,deactivating,reloading \
        'org.gnome.Shell@*' 'gnome-session*')" ""
}

extension_is_on() { contains "$(shell_answers)" "'state': <1.0>"; }

# Keeps a step with its seconds, since a time in milliseconds.
step() { awk -v ms=$(($(date +%s%3N) - $1)) -v step="$2" 'BEGIN { printf "%.1f\t%s\n", ms / 1000, step }' >>"$folder/steps"; }

# The steps of packaging/machine-parts/newcomer.py, in GNOME.
newcomer_does() {
    in_gnome env PIP_NO_INDEX=1 PIP_FIND_LINKS=/mnt/wheels python3 /srv/newcomer.py "$@" >>"$folder/steps" 2>"$folder/screen" || {
        tail -c 2000 "$folder/screen"
        return 1
    }
}

newcomer() {
    local began total downloads=/srv/downloads
    mkdir -p "$root/srv/speech" "$root$downloads" "$root/etc/systemd/user/org.gnome.Shell@wayland.service.d"
    cp "$(speech_of 0870)" packaging/machine-parts/newcomer.py "$root/srv"
    cp "$packages"/dictation_*.deb "$packages"/dictation-common_*.deb "$root$downloads"
    printf '[Service]\nExecStart=\nExecStart=/usr/bin/gnome-shell --headless --virtual-monitor 1280x800\n' \
        >"$root/etc/systemd/user/org.gnome.Shell@wayland.service.d/headless.conf"
    # What APT downloads is there already.
    offline sh -ec "apt-get -qq update; cd $downloads
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --download-only ./dictation_*.deb ./dictation-common_*.deb" \
        >"$folder/apt.log" 2>&1 || cat "$folder/apt.log" >&2
    # What "setup" downloads, too: the libraries of Whisper and both models that it chooses from.
    local engine libraries=() models=()
    engine=$(packaging/engine/run --install)
    mapfile -t libraries < <(grep -v "^#" "$engine/libraries")
    mapfile -t models < <(PYTHONPATH=packaging/engine python3 -c 'from dictation_engine.models import MODELS
for name in ["base", "tiny.en"]: print("\n".join(MODELS[name].packages))')
    download_wheels "$root/mnt/wheels" --no-deps "${libraries[@]}" "${models[@]}"
    chmod -R a+rX "$root/mnt/wheels"
    packages=
    sessions=
    boot
    log_in anna
    until_true shell_answers
    # A microphone, with a door to it.
    as_user anna systemd-run --user --quiet --unit=desk pw-loopback -c 1 -m '[MONO]' \
        --capture-props='media.class=Audio/Sink node.name=voice audio.position=[MONO]' \
        --playback-props='media.class=Audio/Source node.name=desk-microphone node.description="Desk Microphone" audio.position=[MONO]'
    # In the first minute of a session GNOME turns all extensions off if the shell crashes, as GNOME 43 does here when it ends.
    is_settled() { inside sh -c '! test -e /run/user/*/gnome-shell-disable-extensions'; }
    until_true is_settled >/dev/null || until_true is_settled
    has_microphone() { contains "$(as_user anna wpctl status)" "Desk Microphone"; }
    holds "there is a microphone" until_true has_microphone

    began=$(date +%s%3N)
    holds "APT installs it" inside sh -ec "cd $downloads
        DEBIAN_FRONTEND=noninteractive apt-get -y install ./dictation_*.deb ./dictation-common_*.deb"
    step "$began" "apt install ./dictation_*.deb ./dictation-common_*.deb"
    holds "“dictation-cli setup” leads to a sentence as text, and turns the key on" newcomer_does setup /srv/"$(basename "$(speech_of 0870)")"
    sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' "$folder/screen" >"$folder/setup"
    holds "Whisper is set up" contains "$(in_gnome dictation-cli engines)" "✓ whisper"
    holds "it ends with what is left to do" contains "$(tail -n 1 "$folder/setup")" "Next: Log out and in again, then press Super+D"
    began=$(date +%s%3N)
    in_gnome gnome-session-quit --logout --no-prompt --force
    until_true fails_with "" inside systemctl is-active "gnome-anna.service"
    until_true session_has_ended anna
    log_in anna
    holds "after a new login GNOME has the extension" until_true extension_is_on
    step "$began" "log out and in: GNOME has the extension"
    holds "the first sentence is in the text editor" newcomer_does editor /srv/"$(basename "$(speech_of 0870)")" "leisure"
    echo "        seconds, step"
    sed 's/^/        /' "$folder/steps"
    total=$(awk '{ total += $1 } END { printf "%.1f", total }' "$folder/steps")
    echo "        $total s altogether, of which twice $(soxi -D "$(speech_of 0870)") s are speech"
    holds "in at most 2 minutes" awk -v total="$total" 'BEGIN { exit total > 120 }'
}
