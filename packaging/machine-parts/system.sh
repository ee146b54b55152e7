# shellcheck shell=bash
# The system service, in its sandbox.

system() {
    boot
    holds "at rest it does not run" is "$(property ActiveState)" inactive
    holds "the first call of a user starts it" as_user anna busctl --system call org.example.Dictation \
        /org/example/Dictation org.freedesktop.DBus.Introspectable Introspect
    holds "by its unit" is "$(property ActiveState)" active
    local pid
    pid=$(property MainPID)
    status() { inside sed -n "s/^$1:\s*//p" "/proc/$pid/status"; }
    holds "as its own user" is "$(inside stat -c %U "/proc/$pid")" dictation
    holds "without capabilities" is "$(status CapEff) $(status CapPrm) $(status CapBnd)" \
        "0000000000000000 0000000000000000 0000000000000000"
    holds "that can gain none" is "$(status NoNewPrivs) $(status Seccomp)" "1 2"
    holds "with a state folder that is its own" is "$(inside stat -c '%U %a' /var/lib/dictation)" "dictation 700"
    within() { nsenter --target "$(nsenter_pid)" --mount --setuid "$(inside id -u dictation)" -- "$@"; }
    nsenter_pid() { pgrep --ns "$leader" --nslist pid -f '^/usr/libexec/dictationd'; }
    holds "that sees no home" is "$(within sh -c 'ls -A /home 2>/dev/null | wc -l')" 0
    holds "and no user's sockets" is "$(within sh -c 'ls -A /run/user 2>/dev/null | wc -l')" 0
    holds "what the policy does not list is refused" contains "$(as_user anna busctl --system call \
        org.example.Dictation /org/example/Dictation org.freedesktop.DBus.Properties Set ssv a b s c 2>&1)" "denied"
    holds "what it lists is answered" as_user anna busctl --system call \
        org.example.Dictation /org/example/Dictation org.example.Dictation GetSession
    inside kill -KILL "$pid"
    restarted() { [ "$(property NRestarts)" -ge 1 ] && [ "$(property ActiveState)" = active ]; }
    holds "it is restarted after a crash" until_true restarted
    holds "and answers" as_user bert busctl --system introspect org.example.Dictation /org/example/Dictation
    # Each restart is within a few seconds of the others, while the service remembers them.
    inside sh -c 'for n in $(seq 65); do useradd --no-create-home "crowd$n"; done'
    local answers
    # They have no service manager, so each call waits for a worker in vain.
    answers=$(inside sh -c 'for n in $(seq 65); do
        setpriv --reuid="crowd$n" --regid="crowd$n" --clear-groups busctl --system call org.example.Dictation \
            /org/example/Dictation org.example.Dictation GetSession 2>&1 &
    done; wait' || true)
    holds "without a service manager, a call says what is missing" contains "$answers" "dictation-worker.path"
    holds "so many users at once and no more" contains "$answers" "new users are being started"
    holds "when the others are gone, the next is served" until_true as_user anna busctl --system call \
        org.example.Dictation /org/example/Dictation org.example.Dictation GetSession
    holds "their requests are gone" is "$(inside sh -c 'for n in $(seq 65); do
        ! test -e "/run/dictation/wanted/$(id -u "crowd$n")" || echo "$n"
    done')" ""
    holds "the session bus does not start another" fails_with "not provided by any .service files" \
        as_user anna busctl --user call org.example.Dictation /org/example/Dictation org.example.Dictation GetSession
    holds "nor may a user start one there" fails_with "installed for the whole machine" \
        as_user anna timeout 20 /usr/libexec/dictationd --bus session
    inside systemctl stop dictation.service
    holds "stopped, it ends well" is "$(property Result)" success
}
