# shellcheck shell=bash
# Packages that are built on the release itself.

# Builds the packages on the release of --suite, in a build folder of its own, and prints their folder.
built_natively() {
    local scratch=$PWD/.build/native
    mkdir -p "$scratch"
    # The tree has this machine's copies of Swift packages: it may not reach their repositories.
    swift package --scratch-path "$scratch/programs" resolve >&2
    systemd-nspawn --quiet --register=no --keep-unit --pipe --directory="$disk" --bind="$PWD" \
        --bind="$scratch:$PWD/.build" --chdir="$PWD" -- packaging/deb >&2
    echo "$scratch/deb"
}

# The words of the recordings, a line for each, by the session's service of packages in a folder on a machine that is not
# booted.
transcribed() {
    local machine=$1 packages=$2 recordings
    recordings=$(dirname "$(speech_of 0870)")
    mkdir -p "$machine/mnt/packages" "$machine/mnt/speech"
    cp "$packages"/dictation-common_*.deb "$packages"/dictation-session_*.deb "$machine/mnt/packages"
    cp "$recordings"/*.wav "$machine/mnt/speech"
    printf 'permissions:\n  allow: ["*"]\n' >"$machine/mnt/dictation.yaml"
    systemd-nspawn --quiet --register=no --keep-unit --pipe --directory="$machine" -- sh -ec '
        dpkg -i /mnt/packages/dictation-common_*.deb /mnt/packages/dictation-session_*.deb >&2
        install -D /mnt/dictation.yaml /root/.config/dictation/dictation.yaml
        export XDG_RUNTIME_DIR=/run
        dbus-run-session -- dictation-cli transcribe --session /mnt/speech/*.wav'
}

# How many words of the second text must be replaced, inserted or deleted to give the first, and of how many.
different_words() {
    python3 - "$1" "$2" <<'END'
import sys
first, second = (text.lower().split() for text in sys.argv[1:])
row = list(range(len(second) + 1))
for line, word in enumerate(first, 1):
    last, row[0] = row[0], line
    for column, other in enumerate(second, 1):
        last, row[column] = row[column], min(last + (word != other), row[column] + 1, row[column - 1] + 1)
print(row[-1], len(first))
END
}

native() {
    local there=${DICTATION_NATIVE_PACKAGES:-} expected heard count words
    [ -n "$there" ] || there=$(built_natively)
    mkdir -p "$here" "$folder/layers/upper-here" "$folder/layers/work-here"
    mount -t overlay -o "lowerdir=/,upperdir=$folder/layers/upper-here,workdir=$folder/layers/work-here" \
        dictation-machine "$here"
    expected=$(transcribed "$here" "$packages")
    heard=$(transcribed "$root" "$there") || true
    echo "        here:  $expected"
    echo "        there: $heard"
    read -r count words < <(different_words "$expected" "$heard")
    holds "recordings are transcribed here" test "$words" -ge 50
    holds "at most 2 in 100 words differ: $count of $words" test $((count * 50)) -le "$words"
}
