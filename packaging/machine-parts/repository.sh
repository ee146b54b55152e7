# shellcheck shell=bash
# An APT repository.

# The same packages with another version, in a folder.
with_version() {
    local other=$1 target=$2 package file part=$folder/other-version
    mkdir -p "$target"
    for file in "$packages"/dictation*_*.deb; do
        package=$(dpkg-deb -f "$file" Package)
        [ "$file" = "$(ls -t "$packages/$package"_*.deb | head -n 1)" ] || continue
        dpkg-deb -R "$file" "$part"
        sed -i "s/^Version: .*/Version: $other/; s/\(dictation-common (>\?= \)[^)]*/\1$other/" "$part/DEBIAN/control"
        dpkg-deb -Znone --root-owner-group -b "$part" "$target/${package}_${other}_$(dpkg-deb -f "$file" Architecture).deb" >/dev/null
        rm -r "$part"
    done
}

repository() {
    local place=$root/srv/repository version server port key
    export GNUPGHOME=$folder/gnupg
    mkdir -m 700 "$GNUPGHOME"
    gpg --batch --quiet --passphrase '' --quick-generate-key "Test of Dictation's repository" ed25519 sign never
    key=$(gpg --list-keys --with-colons | sed -n 's/^fpr:*\([^:]*\):$/\1/p' | head -n 1)
    publish() {
        DICTATION_SIGNING_KEY=$key DICTATION_REPOSITORY_ADDRESS=$1 packaging/repository "$place" "$suite=$2" >/dev/null &&
            cp "$place/$suite.sources" "$root/etc/apt/sources.list.d/dictation.sources"
    }
    # A mirror of unstable may be older than its index allows.
    apt() { offline env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Check-Valid-Until=false "$@"; }
    installed() { offline dpkg-query -f '${Version}' -W dictation-common; }
    version=$(dpkg-deb -f "$(ls -t "$packages"/dictation-common_*.deb | head -n 1)" Version)
    apt update
    list_files >"$folder/before"

    with_version 0.0.9 "$folder/previous"
    holds "a repository is made" publish file:/srv/repository "$folder/previous"
    holds "without its key APT refuses it" fails_with "is not signed" apt update -o APT::Update::Error-Mode=any
    cp "$place/dictation-archive-keyring.gpg" "$root/usr/share/keyrings/"
    holds "with it APT reads it from a folder" apt update
    holds "...and installs the version before" apt install -y --no-install-recommends dictation
    holds "with what it needs" offline sh -c 'dictation-cli --version && /usr/libexec/dictationd --version'
    holds "indeed" is "$(installed)" 0.0.9
    offline install -D -o dictation -m 0600 /dev/null /var/lib/dictation/permissions.sqlite

    # Served by any web server.
    (cd "$place" && exec python3 -u -m http.server --bind 127.0.0.1 0) >"$folder/server.log" 2>&1 &
    server=$!
    until_true grep -q 'port [0-9]' "$folder/server.log"
    port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$folder/server.log")
    holds "the next version is added" publish "http://127.0.0.1:$port" "$packages"
    holds "the version before stays" test -e "$place/pool/$suite/dictation_0.0.9_$(dpkg --print-architecture).deb"
    holds "another package of the same version is refused" fails_with "give the package another version" \
        publish "http://127.0.0.1:$port" "$(with_version "$version" "$folder/same" && echo "$folder/same")"
    holds "APT reads it over HTTP" apt update
    holds "...and upgrades" apt upgrade -y
    holds "to the new version" is "$(installed)" "$version"
    holds "the permissions stay" test -e "$root/var/lib/dictation/permissions.sqlite"
    holds "dictation-session replaces it" apt install -y --no-install-recommends dictation-session
    holds "...and it replaces that" apt install -y --no-install-recommends dictation

    # A package that was changed on the server.
    local package
    package=$(ls "$place/pool/$suite"/dictation-common_"$version"_*.deb)
    cp "$package" "$folder/kept.deb"
    printf x | dd of="$package" bs=1 seek=100000 conv=notrunc status=none
    offline apt-get clean
    holds "a changed package is refused" fails_with "Hash Sum mismatch" apt install -y --reinstall dictation-common
    cp "$folder/kept.deb" "$package"
    sed -i 's/^ [0-9a-f]\{64\}/ 0000000000000000000000000000000000000000000000000000000000000000/' "$place/dists/$suite/InRelease"
    holds "a changed index is refused" fails_with "signature" apt update -o APT::Update::Error-Mode=any
    kill "$server"
    wait "$server" 2>/dev/null || true

    holds "it is removed" apt remove -y dictation dictation-common
    holds "the permissions stay then" test -e "$root/var/lib/dictation/permissions.sqlite"
    holds "it is purged" apt purge -y --auto-remove dictation dictation-common dictation-session
    rm -rf "$place" "$root/etc/apt/sources.list.d/dictation.sources" "$root/usr/share/keyrings/dictation-archive-keyring.gpg"
    list_files | grep -v '^\./var/lib/apt/\|^\./srv' >"$folder/purged"
    grep -v '^\./var/lib/apt/\|^\./srv' "$folder/before" >"$folder/before-files"
    holds "no file is left" adds_nothing "$folder/before-files" "$folder/purged"
}
