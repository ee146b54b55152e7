# shellcheck shell=bash
# Whisper for all users, from APT.

engine-package() {
    local package=${DICTATION_ENGINE_PACKAGE:-} unit=dictation-engine-whisper pid user
    offline sh -ec 'apt-get -qq update; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends python3' \
        >"$folder/apt.log" 2>&1 || cat "$folder/apt.log" >&2
    [ -n "$package" ] || package=$(packaging/engine-package "$folder/engine" "$(python_version)")
    cp "$package" "$root/mnt/packages/engine.deb"
    # shellcheck disable=SC2086
    holds "APT installs it" offline env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends $for_machine /mnt/packages/engine.deb
    packages=
    boot
    mkdir -p "$root/srv/speech" "$root/etc/dictation"
    cp "$(speech_of 0870)" "$root/srv/speech"
    speech=/srv/speech
    # The text is Whisper's, even on a busy machine.
    printf 'permissions:\n  allow: ["*"]\nengine-wait: 40\n' >"$root/etc/dictation/dictation.yaml"
    mkdir -p "$root/etc/systemd/system/$unit.service.d"
    printf '[Service]\nNice=-10\n' >"$root/etc/systemd/system/$unit.service.d/busy.conf"
    inside systemctl daemon-reload
    for user in anna bert; do
        as_user "$user" systemctl --user start pipewire.socket pipewire.service wireplumber.service
    done
    engine_state() { inside systemctl show --value --property "$1" "$unit.service"; }
    holds "its socket is there" inside systemctl is-active "$unit.socket"
    holds "at rest it does not run" is "$(engine_state ActiveState)" inactive
    lists_engine() { contains "$(as_user "$1" dictation-cli engines)" "✓ whisper-base"; }
    for user in anna bert; do
        holds "$user has it, without any setting" until_true lists_engine "$user"
        holds "$user dictates with it" contains "$(dictates "$user" 0870)" "Dashwood had then leisure"
    done
    pid=$(engine_state MainPID)
    holds "it has no network" is "$(inside grep -c : "/proc/$pid/net/dev")" 1
    holds "it sees no home, no passwords and no state" fails_with "" \
        inside sh -c "ls -d /proc/$pid/root/home/* /proc/$pid/root/etc/passwd /proc/$pid/root/etc/shadow /proc/$pid/root/var/lib | grep ."
    holds "it has no privileges" is "$(inside sed -n 's/^\(CapEff\|CapBnd\|NoNewPrivs\):\s*//p' "/proc/$pid/status" | tr '\n' ' ')" \
        "0000000000000000 0000000000000000 1 "
    holds "it is sandboxed" inside systemd-analyze --no-pager --threshold=10 security "$unit.service"
    holds "no text is in the journal" is "$(inside journalctl --quiet | grep -ci 'had then leisure')" 0
    inside systemctl kill --signal=KILL "$unit.service"
    holds "the socket starts it again after a crash" contains "$(dictates anna 0870)" "Dashwood had then leisure"
    holds "it is removed" inside dpkg -P "$unit"
    gets_words() { contains "$(dictates "$1" 0870)" "leisure to consider"; }
    holds "then PocketSphinx writes" until_true gets_words bert
    holds "no file of it is left" is "$(inside sh -c 'ls -d /usr/lib/dictation-engine-whisper /usr/share/dictation/defaults.yaml \
        /run/dictation-engine-whisper/engine.sock /etc/systemd/system/*/dictation-engine-whisper.socket 2>/dev/null')" ""
}
