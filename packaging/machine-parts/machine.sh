# shellcheck shell=bash
# Commands on the machine, booted or not.

# Runs a command on the machine that is not booted.
offline() { systemd-nspawn --quiet --register=no --keep-unit --pipe --directory="$root" -- "$@"; }

# Runs a command on the booted machine.
inside() { nsenter --target "$leader" --all -- "$@"; }

# ...as one of its users, within that user's service manager.
as_user() {
    local user=$1 id
    shift
    id=$(inside id -u "$user")
    inside setpriv --reuid="$user" --regid="$user" --init-groups env -i \
        PATH="/home/$user/.local/bin:/usr/local/bin:/usr/bin:/bin" HOME="/home/$user" \
        USER="$user" LANG=C.UTF-8 XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" "$@"
}

property() { inside systemctl show --value --property "$1" dictation.service; }

# Whether boot opens a session of each user.
sessions=yes

boot() {
    [ -z "$container" ] || return 0
    # shellcheck disable=SC2086
    [ -z "$packages" ] || offline dpkg -i $for_machine >"$folder/install.log" 2>&1 || cat "$folder/install.log" >&2
    offline sh -c 'for user in anna bert; do useradd --create-home "$user"; done'
    systemd-nspawn --quiet --boot --register=no --keep-unit --private-network --console=pipe --directory="$root" \
        </dev/null >"$folder/console.log" 2>&1 &
    container=$!
    has_leader() { leader=$(pgrep --oldest --parent "$container"); }
    until_true has_leader
    until_true inside systemctl is-active dbus.socket systemd-logind.service || cat "$folder/console.log" >&2
    [ -n "$sessions" ] || return 0
    # A graphical session in logind for each user: one at the machine's seat, the other without a screen.
    local seat='XDG_SEAT=seat0'
    for user in anna bert; do
        inside systemd-run --quiet --unit="desktop-$user" --property=PAMName=login --property=User="$user" \
            --property=Environment="XDG_SESSION_TYPE=wayland XDG_SESSION_CLASS=user $seat" \
            sh -c 'while :; do
                ! mv "/tmp/desk-$USER.asked" "/tmp/desk-$USER.sh" 2>/dev/null || sh "/tmp/desk-$USER.sh"
                sleep 0.1
            done'
        seat=
        until_true inside systemctl is-active "user@$(inside id -u "$user").service"
    done
}
