# shellcheck shell=bash
# What the parts check with.

# Runs a command and prints whether it succeeded.
holds() {
    local promise=$1 log
    shift
    if log=$("$@" 2>&1); then
        echo "ok      $promise"
    else
        echo "FAILED  $promise: $log"
        failures=$((failures + 1))
    fi
}

is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; false; }; }

# A command fails with this message.
fails_with() {
    local what=$1 log
    shift
    if log=$("$@" 2>&1); then
        echo "did not fail: $*"
        return 1
    fi
    contains "$log" "$what"
}

# A file is not empty and does not contain this.
lacks() {
    [ -s "$2" ] || {
        echo "$2 is empty"
        return 1
    }
    ! grep "$1" "$2"
}

contains() { [[ $1 == *"$2"* ]] || { echo "no '$2' in: $1"; false; }; }

# Waits until a command succeeds, at most a minute.
until_true() {
    local end=$((SECONDS + 60))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || { echo "did not succeed within a minute: $*"; return 1; }
        sleep 0.1
    done
}
