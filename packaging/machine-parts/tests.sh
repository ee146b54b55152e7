# shellcheck shell=bash
# The tests, in a fresh clone.

# Runs a command on the machine that is not booted, with a folder of this one, and with its Swift, its certificates and the
# copies of repositories that its git uses.
with_swift() {
    local place=$1 toolchain key url copies=()
    shift
    toolchain=$(realpath "$(command -v swift)")
    toolchain=${toolchain%/usr/bin/*}
    while read -r key url; do
        git config --file "$folder/gitconfig" --add "$key" "$url"
        key=${key#url.}
        copies+=(--bind-ro="${key%.insteadof}" --bind-ro="$folder/gitconfig:/etc/gitconfig")
    done < <(git config --get-regexp '^url\./.*\.insteadof$')
    systemd-nspawn --quiet --register=no --keep-unit --pipe --directory="$root" --capability=all --bind="$place" \
        --chdir="$place" --bind=/dev/fuse --bind-ro="$toolchain" --bind-ro=/etc/ssl/certs "${copies[@]}" \
        --setenv=PATH="$toolchain/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
}

# Runs a command, and prints its output, which is kept in a file, if it fails.
logged() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 || {
        cat "$log"
        false
    }
}

# Runs a command in a fresh clone, and keeps its output in a file.
in_clone() {
    local log=$1 clone=$folder/clone
    shift
    git clone --quiet . "$clone"
    # As on a booted machine, programs inherit no capabilities.
    logged "$log" with_swift "$clone" -- setpriv --inh-caps=-all "$@"
}

tests() {
    holds "packaging/test passes" in_clone .build/tests.log .ci/run
    sed -n 's,^[0-9]* passed.,        &,p' .build/tests.log
}

endurance() {
    holds "packaging/soak endurance passes" in_clone .build/endurance.log \
        env DICTATION_SOAK_MINUTES="${DICTATION_SOAK_MINUTES-60}" packaging/soak endurance
    # The figures of both tests, and the end of the simulated day.
    sed -n '/^[0-9]* rounds\|^| \|^hour 24\|^[0-9]* hours/s,^,        ,p' .build/endurance.log
}
