# shellcheck shell=bash
# The files of the package.

# All files, except records of package installations and the files of the user who runs this.
list_files() {
    (cd "$root" && find . -xdev \( -path ./var/log -o -path ./var/cache -o -path ./var/lib/dpkg -o -path ./tmp -o \
        -path ./run -o -path ./mnt -o -path ./work -o -path ./root \) -prune -o \
        -name '*-' -path './etc/*' -o -print) | LC_ALL=C sort
}

# The files that are in the second list and not in the first.
added() { LC_ALL=C comm -13 "$1" "$2"; }

# Both lists exist, and the second has no file that is not in the first.
adds_nothing() {
    local names
    names=$(added "$1" "$2") || return
    is "$names" ""
}

# New files since the earlier list belong to the packages, except links of the merged /usr and the link to the
# extension, which the package creates when it is installed.
is_packaged() {
    added "$folder/before" "$folder/installed" >"$folder/new" || return
    offline dpkg -L dictation dictation-common >"$folder/owned" || return
    sed 's,^,.,; s,^\./\(lib\|bin\|sbin\)/,./usr/\1/,' "$folder/owned" | LC_ALL=C sort >"$folder/known" || return
    LC_ALL=C comm -23 "$folder/new" "$folder/known" >"$folder/strange" || return
    is "$(sed '/^\.\/lib\//d; /^\.\/usr\/share\/gnome-shell\/extensions\(\/dictation@[a-z.]*\)\?$/d' "$folder/strange")" ""
}

files() {
    local package upgrade=$root/mnt/packages/next
    # The next version.
    for package in dictation dictation-common; do
        dpkg-deb -R "$root/mnt/packages/$package.deb" "$upgrade"
        sed -i 's/^Version: .*/&+next/; s/^\(Depends: .*dictation-common (= [^)]*\)/\1+next/' "$upgrade/DEBIAN/control"
        dpkg-deb -Znone --root-owner-group -b "$upgrade" "$root/mnt/packages/$package-next.deb" >/dev/null
        rm -r "$upgrade"
    done

    list_files >"$folder/before"
    # shellcheck disable=SC2086
    holds "the packages install" offline dpkg -i $for_machine
    holds "a second service for the session is refused" fails_with "conflicting packages" \
        offline dpkg -i /mnt/packages/dictation-session.deb
    holds "the system bus alone starts it" is "$(offline find /usr/share/dbus-1 -name 'org.example.Dictation.service')" \
        /usr/share/dbus-1/system-services/org.example.Dictation.service
    holds "it makes the user" contains "$(offline getent passwd dictation)" /var/lib/dictation
    list_files >"$folder/installed"
    holds "its files are seen" contains "$(added "$folder/before" "$folder/installed")" ./usr/bin/dictation-cli
    holds "every file that is new is the package's" is_packaged
    local name
    for name in gnome-shell/modern/extension.js gnome-shell/legacy/extension.js; do
        holds "the extension is installed: $name" offline test -s "/usr/share/dictation/$name"
    done
    holds "the shell finds the build for it" offline test -s \
        /usr/share/gnome-shell/extensions/dictation@dictation.example.org/metadata.json
    holds "the shortcut's entry is installed" offline test -s /usr/share/applications/org.example.Dictation.desktop
    for name in dictation-example org.example.DictationExample.desktop; do
        holds "the example is installed: $name" offline test -s \
            "/usr/share/doc/dictation-common/examples/example-gtk/$name"
    done
    # Dictation registers itself with IBus while it types. A component file would offer it as a permanent input method.
    holds "no component of IBus is" is "$(offline dpkg -L dictation dictation-common | grep -c '^/usr/share/ibus/')" 0
    holds "the programs start" offline sh -c 'dictation-cli --version && /usr/libexec/dictationd --version'
    holds "nothing they link is missing" \
        is "$(offline sh -c 'libraries=$(ldd /usr/bin/dictation-cli /usr/libexec/dictation*) || exit
            printf "%s\n" "$libraries" | grep -c "not found"')" 0
    # Without ICU's data, see packaging/empty-icu-data.
    holds "they take at most 120 MB" test "$(offline sh -c 'cat /usr/bin/dictation-cli /usr/libexec/dictation* | wc -c')" \
        -le 120000000
    holds "they upgrade" offline dpkg -i /mnt/packages/dictation-common-next.deb /mnt/packages/dictation-next.deb
    list_files >"$folder/upgraded"
    holds "an upgrade leaves the same files" diff "$folder/installed" "$folder/upgraded"
    # Files that exist after it was used.
    install -d "$root/etc/dictation"
    echo 'language: en-US' >"$root/etc/dictation/dictation.yaml"
    offline install -d -o dictation -m 0700 /var/lib/dictation
    offline install -o dictation /dev/null /var/lib/dictation/permissions.sqlite
    holds "they are removed" offline dpkg -r dictation dictation-common
    list_files >"$folder/removed"
    holds "only the state and the administrator's settings stay" is \
        "$(added "$folder/before" "$folder/removed" | tr '\n' ' ')" \
        "./etc/dictation ./etc/dictation/dictation.yaml ./var/lib/dictation ./var/lib/dictation/permissions.sqlite "
    holds "they are purged" offline dpkg -P dictation dictation-common
    list_files >"$folder/purged"
    holds "no file is left" adds_nothing "$folder/before" "$folder/purged"
    holds "no file is lost" adds_nothing "$folder/purged" "$folder/before"
}
