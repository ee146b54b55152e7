# shellcheck shell=bash
# The session's service.

session() {
    boot
    # The two packages conflict.
    inside systemctl stop dictation.service
    inside dpkg -r dictation >"$folder/remove.log" 2>&1 || cat "$folder/remove.log" >&2
    # shellcheck disable=SC2086
    holds "the session's service is installed in place of the machine's" inside dpkg -i $for_session
    inside systemctl reload dbus.service
    as_user anna busctl --user call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig
    as_user anna systemctl --user daemon-reload
    as_user anna systemctl --user start pipewire.socket pipewire.service wireplumber.service
    user_property() { as_user anna systemctl --user show --value --property "$1" dictation.service; }
    for shut_in in no yes; do
        if [ "$shut_in" = yes ]; then
            as_user anna mkdir -p /home/anna/.config/systemd/user/dictation.service.d
            as_user anna cp /usr/share/doc/dictation-session/examples/sandbox.conf /home/anna/.config/systemd/user/dictation.service.d/
            as_user anna systemctl --user daemon-reload
            # In the sandbox clients cannot be identified, so the settings decide who may dictate.
            as_user anna mkdir -p /home/anna/.config/dictation
            printf 'permissions:\n  allow: ["*"]\n' |
                as_user anna tee /home/anna/.config/dictation/dictation.yaml >/dev/null
            as_user anna systemctl --user stop dictation.service
        else
            as_user anna dictation-cli permissions grant --session /usr/bin/dictation-cli
        fi
        holds "a user dictates (sandbox: $shut_in)" contains "$(dictates anna 0870 --session)" "leisure to consider how much"
        holds "by the user's unit" is "$(user_property ActiveState)" active
        holds "in a user namespace of its own: $shut_in" is "$(user_property PrivateUsers)" "$shut_in"
    done
}
