# shellcheck shell=bash
# Two users at the same time.

# Runs a command on a terminal where polkit asks for the user's password, and types the password.
confirmed() {
    local status
    as_user "$1" rm -f "/tmp/desk-$1.status"
    printf '%s\n' "$type_password" | as_user "$1" tee "/tmp/desk-$1.py" >/dev/null
    # In the user's session, which runs the file when it is complete: polkit asks only there.
    as_user "$1" sh -c 'echo "timeout 30 /usr/bin/python3 /tmp/desk-$USER.py $* >/tmp/desk-$USER.log 2>&1 </dev/null
        echo \$? >/tmp/desk-$USER.status" >"/tmp/desk-$USER.written"
        mv "/tmp/desk-$USER.written" "/tmp/desk-$USER.asked"' sh "${@:2}"
    until_true as_user "$1" test -s "/tmp/desk-$1.status"
    status=$(as_user "$1" cat "/tmp/desk-$1.status")
    as_user "$1" cat "/tmp/desk-$1.log"
    return "$status"
}

type_password='
import os, pty, sys, termios, time
pid, terminal = pty.fork()
if pid == 0:
    script = "pkttyagent --process $$ & sleep 2; exec \"$@\""
    os.execvp("sh", ["sh", "-c", script, "sh"] + sys.argv[1:])
written = b""
typed = 0
while True:
    try: some = os.read(terminal, 1000)
    except OSError: break
    if not some: break
    os.write(1, some)
    written += some
    if written.count(b"assword:") > typed:
        typed += 1
        # polkit turns the echo off after its question, and drops earlier input.
        while termios.tcgetattr(terminal)[3] & termios.ECHO: time.sleep(0.01)
        os.write(terminal, b"secret\n")
print("asked", typed)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
'

call() {
    as_user "$1" busctl --system call org.example.Dictation /org/example/Dictation org.example.Dictation "${@:2}"
}

is_in_state() { contains "$(call "$1" GetSession)" "\"state\" s \"$2\""; }
login_session() { inside loginctl list-sessions --no-legend | awk -v user="$1" '$3 == user { print $1; exit }'; }

# A process has no open descriptor in a home folder, or of a user's socket.
holds_no_home() {
    local open
    open=$(inside ls -l "/proc/$1/fd") || return
    contains "$open" " -> " && ! grep -E ' (/home|/root|/run/user)' <<<"$open"
}

connects_to() {
    inside setpriv --reuid=dictation --regid=dictation --clear-groups /usr/bin/python3 -c \
        'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$1"
}

refuses_connection() { ! connects_to "$1" 2>"$folder/refused" && grep -q PermissionError "$folder/refused"; }

users() {
    boot
    for user in anna bert; do
        echo "$user:secret" | inside chpasswd
        as_user "$user" systemctl --user start pipewire.socket pipewire.service wireplumber.service
        holds "$user's service manager waits for requests" as_user "$user" systemctl --user is-active dictation-worker.path
        holds "at rest $user has no worker" is \
            "$(as_user "$user" systemctl --user show --value --property ActiveState dictation-worker.service)" inactive
    done
    local findings
    findings=$(as_user anna dictation-cli doctor) || true
    holds "programs find the service of the machine" contains "$findings" "The service for the whole machine is used"
    holds "...and its program, which checks the settings" contains "$findings" "The settings are valid"
    holds "to grant, polkit wants to ask, and there is nobody to ask" contains \
        "$(as_user anna dictation-cli permissions grant /usr/bin/dictation-cli 2>&1)" "confirm"
    holds "to deny, it does not" as_user anna dictation-cli permissions deny /usr/bin/dictation-cli
    for program in dictation-cli busctl; do
        holds "a user grants, and confirms it with a password: $program" \
            confirmed anna dictation-cli permissions grant "/usr/bin/$program"
    done
    holds "for who is not at the seat there is no asking" contains \
        "$(as_user bert dictation-cli permissions grant /usr/bin/dictation-cli 2>&1)" "not confirmed"
    echo 'polkit.addRule(function(action, subject) {
        if (action.id == "org.example.dictation.manage-permissions" && subject.user == "bert") return "yes";
    });' >"$root/etc/polkit-1/rules.d/10-bert.rules"
    for program in dictation-cli busctl; do
        holds "...unless the administrator says so: $program" until_true \
            as_user bert dictation-cli permissions grant "/usr/bin/$program"
    done
    dictates anna 0870 >"$folder/anna" &
    local first=$!
    dictates bert 0880 >"$folder/bert" || true
    wait "$first" || true
    holds "one user gets their own words" contains "$(cat "$folder/anna")" "leisure to consider how much"
    holds "the other gets theirs" contains "$(cat "$folder/bert")" "young man"
    holds "and not the first one's" lacks leisure "$folder/bert"
    as_user anna mkdir -p /home/anna/.config/dictation
    printf 'formatting: dictation\nreplacements: {leisure: free time}\n' |
        as_user anna tee /home/anna/.config/dictation/dictation.yaml >/dev/null
    anna_gets() { contains "$(dictates anna 0870)" "$1"; }
    # The worker reads the file shortly after a change.
    holds "a user's own settings apply" until_true anna_gets "free time to consider how much"
    rm "$root/home/anna/.config/dictation/dictation.yaml"
    holds "...as long as the file exists" until_true anna_gets "leisure to consider how much"

    local monitor
    as_user anna dictation-cli monitor >"$folder/monitor" 2>&1 &
    monitor=$!
    for user in anna bert; do call "$user" Start 'a{sv}' 1 linger b true >/dev/null; done
    speaks anna 0870
    speaks bert 0880
    for user in anna bert; do holds "$user's session listens" until_true is_in_state "$user" listening; done
    local pid
    pid=$(property MainPID)
    holds "while it captures, no descriptor is of a home or of /run/user" holds_no_home "$pid"
    holds "its user cannot connect to a user's PipeWire" refuses_connection "/run/user/$(inside id -u anna)/pipewire-0"

    inside loginctl lock-session "$(login_session anna)"
    holds "locked, the one is interrupted" until_true is_in_state anna interrupted
    holds "the other is not" is_in_state bert listening
    inside loginctl unlock-session "$(login_session anna)"
    holds "unlocked, it resumes" until_true is_in_state anna listening

    # The monitor's output since the mark.
    set_mark() { mark=$(wc -l <"$folder/monitor"); }
    is_told() { tail -n "+$((mark + 1))" "$folder/monitor" | grep -qi "$1"; }
    local mark
    set_mark
    as_user anna systemctl --user kill --signal=KILL pipewire.service
    holds "the sound server killed, the session is interrupted" until_true is_told 'sound server'
    holds "systemd starts it, and it listens again" until_true is_in_state anna listening

    has_said() { contains "$(call "$1" GetSession)" "$2"; }
    holds "the one has said a sentence" until_true has_said anna "leisure to consider"
    holds "the other too" until_true has_said bert "young man"
    journals() { inside sh -c "ls /run/user/$(inside id -u "$1")/dictation | grep -c ^journal-"; }
    keeps_files() { is "$(journals "$1")" "$2"; }
    for user in anna bert; do
        holds "what $user has not committed is in $user's runtime folder" until_true keeps_files "$user" 1
    done
    worker() { as_user "$1" systemctl --user show --value --property MainPID dictation-worker.service; }
    # What follows a failure of anna's worker, which was the process $1.
    comes_back() {
        is_another() { [ "$(worker anna)" -ne 0 ] && [ "$(worker anna)" != "$1" ]; }
        holds "it is started again" until_true is_another "$1"
        holds "the block is back, paused" until_true is_in_state anna paused
        holds "with its text" until_true has_said anna "leisure to consider"
        holds "the other user notices nothing" is_in_state bert listening
        call anna Resume >/dev/null
        holds "it listens again" until_true is_in_state anna listening
    }
    local first
    first=$(worker anna)
    as_user anna systemctl --user kill --signal=KILL dictation-worker.service
    echo "        a worker is killed:"
    comes_back "$first"
    first=$(worker anna)
    # Sound that was there at two failures in a row is not decoded again; its text stays.
    is_text() { inside sh -c "grep -q 'leisure to consider' /run/user/$(inside id -u anna)/dictation/journal-*"; }
    holds "what was said is text in the journal" until_true is_text
    as_user anna systemctl --user kill --signal=STOP dictation-worker.service
    echo "        a worker stands still, and its service manager kills it:"
    comes_back "$first"

    set_mark
    inside systemctl kill --signal=KILL dictation.service
    restarted() { [ "$(property NRestarts)" -ge 1 ] && [ "$(property ActiveState)" = active ]; }
    holds "the service killed, it is started again" until_true restarted
    holds "clients get an event" until_true is_told 'service has ended'
    holds "the one's block is back, paused" until_true is_in_state anna paused
    holds "with its text" until_true has_said anna "leisure to consider"
    holds "the other's too" until_true is_in_state bert paused
    holds "with its own" until_true has_said bert "young man"
    holds "it can be committed" contains "$(call anna Commit)" "leisure to consider"
    call anna Stop >/dev/null
    holds "nothing of it is left" until_true keeps_files anna 0
    call bert Cancel >/dev/null
    call bert Stop >/dev/null
    holds "nor of the other's" until_true keeps_files bert 0
    holds "no text is in the system's journal" is "$(inside journalctl --quiet | grep -ciE 'leisure to|young man')" 0
    holds "a new session listens" until_true call anna Start 'a{sv}' 1 linger b true
    holds "...indeed" until_true is_in_state anna listening
    call anna Stop >/dev/null
    inside pkill -u anna -f "dictation-cli monitor"
    wait "$monitor" || true
    for user in anna bert; do as_user "$user" systemctl --user stop speaker.service; done

    install -d "$root/etc/systemd/system/dictation.service.d"
    printf '[Service]\nExecStart=\nExecStart=/usr/libexec/dictationd --bus system --exit-on-idle 2\n' \
        >"$root/etc/systemd/system/dictation.service.d/idle.conf"
    inside systemctl daemon-reload
    inside systemctl restart dictation.service
    is_at_rest() { is "$(property ActiveState)" inactive; }
    speaks anna 0870
    holds "unneeded, it ends" until_true is_at_rest
    holds "well" is "$(property Result)" success
    local began
    began=$(date +%s%3N)
    holds "the next call starts it" call anna CheckPermission
    echo "        within $(($(date +%s%3N) - began)) ms, of which some are nsenter's and busctl's"
    holds "and the worker with it" until_true call anna Start 'a{sv}' 1 linger b true
    holds "it listens as before" until_true is_in_state anna listening
    call anna Stop >/dev/null
    as_user anna systemctl --user stop speaker.service
    rm -r "$root/etc/systemd/system/dictation.service.d"
    inside systemctl daemon-reload
}
