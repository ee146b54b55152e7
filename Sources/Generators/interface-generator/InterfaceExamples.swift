import ManualPage

/// How to use the interface with busctl, gdbus and Swift.
enum InterfaceExamples {
    /// `packaging/example-typing`.
    static var typing: [String] {
        [
            "import dbus, sys, time",
            "",
            #"words = "text from another program".split()"#,
            "system = dbus.SystemBus()",
            #"bus = system if "org.example.Dictation" in system.list_activatable_names() else dbus.SessionBus()"#,
            #"service = bus.get_object("org.example.Dictation", "/org/example/Dictation", introspect=False)"#,
            #"dictation = dbus.Interface(service, "org.example.Dictation")"#,
            #"typing = dbus.Interface(service, "org.example.Dictation.Typing")"#,
            "",
            #"if dictation.RequestPermission(["typing"], dbus.Dictionary(signature="sv"), timeout=90)["typing"] != "granted":"#,
            #"    sys.exit("The user does not allow this program to type.")"#,
            "try:",
            #"    field, details = typing.BeginField(dbus.Dictionary(signature="sv"))"#,
            "except dbus.DBusException as error:",
            "    # No text field has the focus, or it is for passwords, or another program types.",
            "    sys.exit(error.get_dbus_message())",
            "",
            "for count in range(1, len(words) + 1):",
            #"    typing.Show(field, " ".join(words[:count]))  # underlined, where the field can show it"#,
            "    time.sleep(0.3)",
            #"outcome, details = typing.Insert(field, " ".join(words) + ".", timeout=90)"#,
            #"if outcome == "typed":"#,
            #"    outcome, details = typing.ReplaceLast(field, " ".join(words) + "!", timeout=90)"#,
            #"if outcome == "moved":"#,
            #"    print("Another field has the focus. Your text:", " ".join(words))"#,
            #"elif outcome != "typed":"#,
            #"    print("Please check what was typed:", outcome)"#,
            "typing.Release(field)",
        ]
    }

    static func write(to page: inout ManualPage) {
        page.section("EXAMPLES")
        page.subsection("With busctl")
        page.paragraph(
            """
            For experiments, start a private bus and service. They do not affect the desktop's service and its
            permissions:
            """)
        page.verbatim([
            "$ dbus-run-session -- bash",
            "$ export HOME=$(mktemp -d)",
            #"$ /usr/libexec/dictationd --bus "$DBUS_SESSION_BUS_ADDRESS" &      # or .build/debug/dictationd"#,
        ])
        page.paragraph(
            """
            busctl needs permission like any program. A lingering session outlives the program that started it, so that
            one command starts it and others control it:
            """)
        page.verbatim([
            "$ dictation-cli --session permissions grant /usr/bin/busctl",
            #"$ call() { busctl --user call org.example.Dictation /org/example/Dictation org.example.Dictation "$@"; }"#,
            "$ call Start a{sv} 1 linger b true",
            "t 1",
            "$ call Pause",
            "$ call Resume",
            "$ call Commit",
            #"tsa{sv} 1 "mr john dashwood head then leisure to consider" 8 "confidence" d 0.658682 "dropouts" t 0 …"#,
            "$ call Stop",
        ])
        page.paragraph("\"busctl --user monitor org.example.Dictation\" shows the signals.")
        page.subsection("With gdbus")
        page.paragraph(
            """
            "gdbus monitor" shows only broadcast signals, so the session is started with "broadcast":
            """)
        page.verbatim([
            "$ dictation-cli --session permissions grant /usr/bin/gdbus",
            "$ gdbus monitor --session --dest org.example.Dictation &",
            #"$ gdbus call --session --dest org.example.Dictation --object-path /org/example/Dictation \"#,
            #"    --method org.example.Dictation.Start "{'linger': <true>, 'broadcast': <true>}""#,
            "(uint64 4,)",
            "/org/example/Dictation: org.example.Dictation.StateChanged (uint64 4, 'starting', 'started', {…})",
            "/org/example/Dictation: org.example.Dictation.StateChanged (uint64 4, 'listening', 'flowing', {…})",
            "/org/example/Dictation: org.example.Dictation.Partial (uint64 4, uint64 1, uint64 0, '', 'for', @a{sv} {})",
            "/org/example/Dictation: org.example.Dictation.Partial (uint64 4, uint64 1, uint64 0, 'four', '', @a{sv} {})",
            #"$ gdbus call --session --dest org.example.Dictation --object-path /org/example/Dictation \"#,
            "    --method org.example.Dictation.Commit",
            "/org/example/Dictation: org.example.Dictation.Final (uint64 4, uint64 1, 'four mr john guess', {…})",
            "(uint64 1, 'four mr john guess', {…})",
        ])
        page.subsection("With Swift")
        page.paragraph(
            """
            The library DictationClient. "packaging/example" of the sources is this program as a package. It prints the
            first block while it is spoken and when it is final:
            """)
        page.verbatim([
            "var options = StartOptions()",
            "options.autoCommit = .seconds(1)",
            "let session = try await DictationClient().start(options)",
            "var text = BlockText()",
            "for try await event in session.events {",
            "    switch event {",
            "    case .partial(let partial):",
            "        text.apply(partial)",
            #"        print("…", text.text)"#,
            "    case .interrupted(let reason, _):",
            #"        print("Waiting:", reason.rawValue)"#,
            "    case .final(let final):",
            "        print(final.text)",
            "        try await session.stop()",
            "    default:",
            "        break",
            "    }",
            "}",
        ])
        page.subsection("With Python: typing into windows")
        page.paragraph(
            """
            It types a sentence into the focused window, word by word, and corrects it, as a recogniser would.
            "packaging/example-typing" of the sources is this program.
            """)
        page.verbatim(typing)
        page.subsection("With Python and GTK 4, and in a sandbox")
        page.paragraph(
            """
            /usr/share/doc/dictation-common/examples/example-gtk is an application: permission, state, level, live text,
            interruptions, commit, cancel and pause. In a Flatpak it needs "--talk-name=org.example.Dictation", and
            "--system-talk-name=org.example.Dictation" for the service of the machine.
            """)
    }
}
