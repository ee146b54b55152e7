# shellcheck shell=bash
# The tests with GNOME Shell.

# With --suite trixie this is GNOME Shell 48, and with sid the latest, with the extension's package for GNOME 45 and later.
shell() {
    swift build --build-tests >&2
    local bundle wheels=$folder/wheels
    bundle=$(swift build --show-bin-path)/dictationPackageTests.xctest
    # shellcheck disable=SC2046
    download_wheels "$wheels" $(packaging/gnome-shell/lint --tools "$(python_version)")
    # A later Debian no longer has this one's PocketSphinx, with the libraries that it needs.
    local place library libraries=()
    place=/usr/lib/$(uname -m)-linux-gnu
    while read -r library; do
        library=$place/${library##*/}
        [ -e "$root$library" ] || libraries+=(--bind-ro="$(realpath "$library"):$library")
    done < <(echo libpocketsphinx.so.3; ldd "$place/libpocketsphinx.so.3" | awk '/=> \// { print $3 }')
    # Runs a command in the tree, with the sources and the programs that were built here.
    beside() {
        with_swift "$PWD" --bind-ro="$wheels:/mnt/wheels" "${libraries[@]}" \
            --setenv=DICTATION_SOAK_WORDS="${DICTATION_SOAK_WORDS-}" -- "$@"
    }
    echo "        $(beside gnome-shell --version)"
    # Any user's Xwayland makes its socket there.
    holds "the tests with a shell pass" logged .build/shell-tests.log \
        beside sh -c 'install -d -m 1777 /tmp/.X11-unix && exec "$@"' shell \
        "$bundle" --testing-library swift-testing --no-parallel --filter DesktopShellTests
    sed -n 's/^live text: /        &/p' .build/shell-tests.log
    echo "        their pictures are in .build/screenshots"
    holds "linters and the review rules find nothing" beside env PIP_NO_INDEX=1 PIP_FIND_LINKS=/mnt/wheels \
        DICTATION_LINT=/tmp/lint packaging/gnome-shell/lint
}
