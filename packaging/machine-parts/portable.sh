# shellcheck shell=bash
# The portable archive.

portable() {
    local archive=${DICTATION_PORTABLE:-} began seconds
    [ -n "$archive" ] || archive=$(packaging/portable)
    holds "the archive takes at most 120 MB" test "$(stat -c %s "$archive")" -le 120000000
    echo "        $(stat -c %s "$archive") bytes: ${archive##*/}"
    mkdir -p "$root/srv/speech"
    cp "$archive" "$root/srv/dictation.tar.xz"
    cp "$(speech_of 0870)" "$root/srv/speech"
    speech=/srv/speech
    if [ ! -e /sys/fs/cgroup/cgroup.controllers ] &&
        [ "$(offline dpkg-query -f '${Version}' -W systemd | sed 's/[^0-9].*//')" -ge 258 ]; then
        echo "        Not booted: this machine has control groups of version 1, which its systemd refuses."
        without_service_manager
        return
    fi
    boot
    holds "the system has no package of ours, and no PocketSphinx" is \
        "$(inside sh -c 'dpkg-query -f "\${Package}\n" -W | grep -c "dictation\|sphinx"')" 0
    for user in anna bert; do
        as_user "$user" systemctl --user start pipewire.socket pipewire.service wireplumber.service
    done
    inside find /home/anna /usr/local /etc/dbus-1 /usr/share/polkit-1 | LC_ALL=C sort >"$folder/before"
    began=$(date +%s%N)
    holds "a user unpacks it" as_user anna sh -c 'mkdir ~/archive && tar -C ~/archive -xf /srv/dictation.tar.xz'
    holds "...and installs it without root" as_user anna sh -c '~/archive/*/install.sh --user'
    as_user anna dictation-cli permissions grant /home/anna/.local/bin/dictation-cli || true
    seconds=$(($(date +%s%N) - began))
    dictates anna 0870 >"$folder/anna" || true
    holds "the first sentence is there" contains "$(cat "$folder/anna")" "leisure to consider how much"
    echo "        installed after $((seconds / 1000000)) ms, first sentence after" \
        "$((($(date +%s%N) - began) / 1000000)) ms, of which $(as_user anna soxi -D /tmp/speech-anna.wav) s are speech"
    holds "the user's service manager runs it, from the user's home" is \
        "$(as_user anna systemctl --user show --value --property ExecStart dictation.service | grep -c path=/home/anna/.local/)" 1
    holds "the settings are valid" contains "$(as_user anna dictation-cli doctor)" "The settings are valid"
    holds "installed again, it works" as_user anna sh -c '~/archive/*/install.sh --user && dictation-cli status'
    holds "for all users it needs root" fails_with "needs root" as_user anna sh -c '~/archive/*/install.sh'
    holds "it is removed" as_user anna /home/anna/.local/share/dictation/install.sh --uninstall --user
    as_user anna rm -rf /home/anna/archive /home/anna/.local/state/dictation /home/anna/.config/dictation
    after() { inside find /home/anna /usr/local /etc/dbus-1 /usr/share/polkit-1 | LC_ALL=C sort >"$folder/after"; }
    after
    holds "no file is left" is "$(added "$folder/before" "$folder/after" |
        grep -v '^/home/anna/\.\(config\|local\|cache\)\(/state\|/share\|/systemd\|/user\|/pulse\|/state/wireplumber.*\)*$')" ""

    inside sh -c 'mkdir /srv/archive && tar -C /srv/archive -xf /srv/dictation.tar.xz'
    holds "root installs it for all users" inside sh -c '/srv/archive/*/install.sh'
    holds "then a user gets no service of their own" fails_with "for all users" as_user anna sh -c '/srv/archive/*/install.sh --user'
    mkdir -p "$root/etc/dictation"
    printf 'permissions:\n  allow: ["*"]\n' >"$root/etc/dictation/dictation.yaml"
    for user in anna bert; do
        holds "$user dictates" until_true gets_text "$user"
    done
    holds "with the service of the machine, under its own user" is \
        "$(inside stat -c %U "/proc/$(property MainPID)")" dictation
    holds "it is removed for all" inside /usr/local/share/dictation/install.sh --uninstall
    after
    holds "no file is left of it" is "$(added "$folder/before" "$folder/after" | grep -v '^/home/anna/')" ""
}

# A user installs the archive and dictates on a system without a service manager, where the bus alone starts the service.
without_service_manager() {
    local heard
    cat >"$root/srv/dictate" <<'END'
set -e
now() { date +%s%3N; }
pipewire >/tmp/pipewire.log 2>&1 &
until pw-cli info 0 >/dev/null 2>&1; do sleep 0.1; done
wireplumber >/tmp/wireplumber.log 2>&1 &
began=$(now)
mkdir ~/archive
tar -C ~/archive -xf /srv/dictation.tar.xz
~/archive/*/install.sh --user
dictation-cli permissions grant "$HOME/.local/bin/dictation-cli"
echo "installed after $(($(now) - began)) ms"
sox "$1" /tmp/speech.wav pad 0 1
dictation-cli listen >/tmp/heard &
listener=$!
timeout 30 pw-play -P \
    '{ media.class=Audio/Source node.name=recorded-speech node.autoconnect=false priority.session=5000 }' /tmp/speech.wav
kill -INT $listener
wait $listener || true
echo "first sentence after $(($(now) - began)) ms, of which $(soxi -D /tmp/speech.wav) s are speech: $(cat /tmp/heard)"
dictation-cli doctor || true
~/.local/share/dictation/install.sh --uninstall --user
find ~/.local -type f ! -path '*/state/*'
END
    heard=$(offline sh -ec 'useradd --create-home anna
        install -d -o anna -m 700 /run/user/anna
        exec setpriv --reuid=anna --regid=anna --init-groups env -i PATH=/home/anna/.local/bin:/usr/bin:/bin \
            HOME=/home/anna USER=anna LANG=C.UTF-8 XDG_RUNTIME_DIR=/run/user/anna dbus-run-session -- sh /srv/dictate "$0"' \
        "$(speech_of 0870)" 2>&1) || true
    printf '%s\n' "$heard" | sed -n 's/^\(installed after\|first sentence after\)/        &/p'
    holds "a user installs it without root, and dictates" contains "$heard" "leisure to consider how much"
    holds "the settings are valid" contains "$heard" "The settings are valid"
    holds "it is removed" contains "$heard" "Dictation is removed"
    holds "no file is left" is "$(sed '1,/^Dictation is removed/d' <<<"$heard" | grep '^/' | grep -v '^/home/anna/.config')" ""
}
