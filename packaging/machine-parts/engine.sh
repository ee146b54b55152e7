# shellcheck shell=bash
# Whisper, set up by a user.

python_version() { chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

# Downloads packages of PyPI for the machine's Python into a folder.
download_wheels() {
    local wheels=$1
    shift
    python3 -m venv "$folder/pip"
    "$folder/pip/bin/pip" download --quiet --dest "$wheels" --only-binary=:all: --python-version "$(python_version)" \
        "$@" >&2
}

engine() {
    boot
    local engine unit=dictation-engine-whisper.service runtime pid
    engine=$(packaging/engine/run --install tiny.en)
    runtime=/run/user/$(inside id -u anna)/dictation-engine-whisper
    cp -rL "$engine/models/tiny.en" "$root/srv/model"
    # The machine has no network.
    mapfile -t libraries < <(grep -v "^#" "$engine/libraries")
    download_wheels "$root/mnt/wheels" --no-deps "${libraries[@]}"
    chmod -R a+rX "$root/srv/model" "$root/mnt/wheels"
    mkdir -p "$root/etc/dictation"
    # The text is Whisper's, even on a busy machine.
    printf 'permissions:\n  allow: ["*"]\nengine-wait: 40\n' >"$root/etc/dictation/dictation.yaml"
    inside systemctl stop dictation.service
    as_user anna systemctl --user start pipewire.socket pipewire.service wireplumber.service
    holds "a user sets Whisper up" as_user anna env PIP_NO_INDEX=1 PIP_FIND_LINKS=/mnt/wheels \
        dictation-cli engines add whisper --model /srv/model
    holds "the user's service manager runs it" as_user anna systemctl --user is-active "$unit"
    holds "it is sandboxed" as_user anna systemd-analyze --user --no-pager --threshold=15 security "$unit"
    pid=$(as_user anna systemctl --user show --value --property MainPID "$unit")
    holds "it has no network" is "$(inside grep -c : "/proc/$pid/net/dev")" 1
    holds "its socket is the user's alone" is "$(inside stat -c '%U %a' "$runtime/engine.sock")" "anna 600"
    lists_engine() { contains "$(as_user anna dictation-cli engines)" "✓ whisper"; }
    holds "the service of the machine can use it" until_true lists_engine
    holds "the user dictates with it" contains "$(dictates anna 0870)" "Dashwood had then leisure"
    holds "no text is in the journal" is "$(inside journalctl --quiet | grep -ci 'had then leisure')" 0
    holds "no recordings are left in files" is "$(inside find "$runtime" /tmp -name '*.wav' ! -name 'speech-*')" ""
    as_user anna systemctl --user kill --signal=KILL "$unit"
    holds "the socket starts it again after a crash" contains "$(dictates anna 0870)" "Dashwood had then leisure"
    has_new_process() {
        local next
        next=$(as_user anna systemctl --user show --value --property MainPID "$unit")
        [ "$next" -ne 0 ] && [ "$next" != "$pid" ]
    }
    holds "in a new process" until_true has_new_process
    holds "it is removed" as_user anna dictation-cli engines remove whisper
    holds "with its files" is "$(inside find /home/anna/.local/share/dictation /home/anna/.config/systemd "$runtime" \
        -name '*whisper*' 2>/dev/null)" ""
    holds "and its settings" is "$(inside grep -c whisper /home/anna/.config/dictation/dictation.yaml)" 0

    holds "a folder that is not there is refused" fails_with "There is no folder" \
        as_user anna dictation-cli engines add whisper --model /srv/none
    # The replies of a server of Hugging Face.
    cp Tests/Support/ScriptedEngine/{model-hub,scripted-engine}.py "$root/srv/"
    inside systemd-run --quiet --unit=model-hub python3 /srv/model-hub.py 8099 Systran/faster-whisper-small /srv/model
    until_true inside sh -c 'journalctl --quiet --unit=model-hub | grep ready'
    holds "a model is downloaded by its name" as_user anna env PIP_NO_INDEX=1 PIP_FIND_LINKS=/mnt/wheels \
        HF_ENDPOINT=http://127.0.0.1:8099 dictation-cli engines add whisper --model small
    inside systemctl stop model-hub.service
    until_true lists_engine
    holds "the user dictates with it" contains "$(dictates anna 0870)" "Dashwood had then leisure"
    holds "it is removed, too" as_user anna dictation-cli engines remove whisper

    # Another engine, over TCP.
    as_user anna systemd-run --user --quiet --collect --unit=tcp-engine \
        sh -c 'sleep infinity | python3 /srv/scripted-engine.py tcp:10300 answer "Hello from afar."'
    printf 'engine: [other, pocketsphinx]\nengines:\n  - name: other\n    wyoming: "tcp://127.0.0.1:10300"\n' |
        as_user anna tee /home/anna/.config/dictation/dictation.yaml >/dev/null
    tells_why() { contains "$(as_user anna dictation-cli engines)" "set RestrictAddressFamilies=AF_INET AF_INET6"; }
    holds "the worker may not use TCP, and says what to do" until_true tells_why
    as_user anna mkdir -p /home/anna/.config/systemd/user/dictation-worker.service.d
    printf '[Service]\nRestrictAddressFamilies=AF_INET AF_INET6\n' |
        as_user anna tee /home/anna/.config/systemd/user/dictation-worker.service.d/tcp.conf >/dev/null
    as_user anna systemctl --user daemon-reload
    as_user anna systemctl --user try-restart dictation-worker.service
    lists_other() { contains "$(as_user anna dictation-cli engines)" "✓ other"; }
    holds "allowed, it connects" until_true lists_other
    holds "and its text is used" contains "$(dictates anna 0870)" "Hello from afar."
    as_user anna systemctl --user stop tcp-engine.service
    rm -r "$root"/home/anna/.config/systemd/user/dictation-worker.service.d
    rm "$root/home/anna/.config/dictation/dictation.yaml" "$root/etc/dictation/dictation.yaml"
    as_user anna systemctl --user daemon-reload
    as_user anna systemctl --user try-restart dictation-worker.service
}
