import DictationRig
import DictationTestKit
import Foundation
import Testing

/// The indicator, its menu and notices.
extension DesktopShellTests {
    @Test func theMenuScrollsWithLargeText() async throws {
        try await withDesk { desk in
            try await desk.showTexts(10)
            for (name, schema, key, value) in [
                ("menu", "interface", "text-scaling-factor", "double(1.0)"),
                ("menu-large", "interface", "text-scaling-factor", "double(1.5)"),
                ("menu-high-contrast", "a11y.interface", "high-contrast", "boolean(true)"),
            ] {
                try await desk.setDesktop(schema, key, value)
                try await desk.run("global.extension()._indicator.menu.open()")
                try await desk.settle()
                try await desk.takeScreenshot(name)
                #expect(
                    try await desk.evaluate(
                        "global.extension()._indicator.menu.actor.height <= Main.layoutManager.primaryMonitor.height - Main.panel.height"
                    ) == "true", "\(name)")
                // From the title by the keyboard to the last text, which is then visible.
                try await desk.run("global.extension()._indicator._texts.firstMenuItem.active = true")
                for _ in 0..<9 { try await desk.press("Down") }
                try await eventually("the last text is shown; \(name)") {
                    try await desk.evaluate(
                        """
                        (({_texts, _scroll}) => {
                            const item = _texts._getMenuItems()[9];
                            const {y1, y2} = item.get_allocation_box();
                            const {value, page_size} = _scroll.vadjustment ?? _scroll.vscroll.adjustment;
                            return item.active && y1 >= value && y2 <= value + page_size + 1;
                        })(global.extension()._indicator)
                        """) == "true"
                }
                try await desk.takeScreenshot("\(name)-end")
                try await desk.press("Escape")
            }
            #expect(
                try await desk.evaluate("global.extension()._indicator._texts.firstMenuItem.accessible_name")
                    .contains("Text 10, which is long. Not Typed 12:00"))
            #expect(
                try await desk.evaluate("global.extension()._indicator._scroll.height > 100") == "true")
            for (schema, key) in [("interface", "text-scaling-factor"), ("a11y.interface", "high-contrast")] {
                try await desk.resetDesktop(schema, key)
            }
            try await desk.showTexts(0)
        }
    }

    @Test func theMenuSwitchesBetweenTheUsersLanguages() async throws {
        try await withDesk { desk in
            let home = try await desk.evaluate("imports.gi.GLib.get_home_dir()").replacing("\"", with: "")
            let file = home + "/.config/dictation/dictation.yaml"
            let own = try String(contentsOfFile: file, encoding: .utf8)
            let menu = "global.extension()._indicator._languages"
            func opens(_ languages: String) async throws {
                try languages.write(toFile: file, atomically: true, encoding: .utf8)
                try await desk.run("global.extension()._indicator.menu.open()")
            }
            try await opens("language: [en-US, de-DE]\n")
            try await eventually("the languages are listed") {
                try await desk.evaluate("\(menu).visible && \(menu).label.text") == "\"Language: Automatic\""
            }
            #expect(
                try await desk.evaluate("\(menu).menu._getMenuItems().map(each => each.label.text)")
                    == #"["Automatic","American English","German (Germany)"]"#)
            try await desk.takeScreenshot("menu-languages")
            let event = "imports.gi.Clutter.get_current_event()"
            try await desk.run("\(menu).menu._getMenuItems()[2].activate(\(event))")
            try await eventually("German is spoken", equals: "\"Language: German (Germany)\"") {
                try await desk.evaluate("\(menu).label.text")
            }
            #expect(
                try String(contentsOfFile: file, encoding: .utf8)
                    == "language: [en-US, de-DE]\nspoken-language: de-DE\n")
            try await desk.run("global.extension()._indicator.menu.close()")
            // Who speaks one language has nothing to choose.
            try await opens(own)
            try await eventually("there is nothing to choose", equals: "false") {
                try await desk.evaluate("\(menu).visible")
            }
            try await desk.run("global.extension()._indicator.menu.close()")
        }
    }

    /// The languages are read when the menu opens, and when the extension is enabled.
    @Test func aDictationBeginsInTheLanguageOfTheKeyboardLayout() async throws {
        try await withDesk { desk in
            let home = try await desk.evaluate("imports.gi.GLib.get_home_dir()").replacing("\"", with: "")
            let file = home + "/.config/dictation/dictation.yaml"
            let own = try String(contentsOfFile: file, encoding: .utf8)
            try "language: [en-US, de-DE]\n".write(toFile: file, atomically: true, encoding: .utf8)
            try await desk.run("global.extension()._languages.update()")
            try await eventually("the languages are known", equals: #"["en-US","de-DE"]"#) {
                try await desk.evaluate("global.extension()._languages.all")
            }
            let settings = "new imports.gi.Gio.Settings({schema_id: 'org.gnome.desktop.input-sources'})"
            let layouts = "Main.panel.statusArea.keyboard._inputSourceManager"
            try await desk.run(
                "\(settings).set_value('sources', new imports.gi.GLib.Variant('a(ss)', [['xkb', 'us'], ['xkb', 'de']]))"
            )
            try await eventually("there are two layouts", equals: "2") {
                try await desk.evaluate("Object.keys(\(layouts).inputSources).length")
            }
            let language = "global.extension()._dictation._options().language?.unpack() ?? ''"
            for (number, tag) in [(1, "de-DE"), (0, "en-US")] {
                try await desk.run("\(layouts).inputSources[\(number)].activate(false)")
                try await desk.set("set_boolean", "'language-by-layout', true")
                try await eventually("the layout's language, \(tag)", equals: "\"\(tag)\"") {
                    try await desk.evaluate(language)
                }
                try await desk.set("set_boolean", "'language-by-layout', false")
                #expect(try await desk.evaluate(language) == "\"\"")
            }
            try await desk.run("\(settings).reset('sources')")
            try own.write(toFile: file, atomically: true, encoding: .utf8)
        }
    }

    /// Texts are kept here: they are in the menu after the dictation, and can be erased there.
    @Test func earlierTextsAreListedAndErasedInTheMenu() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            try await desk.startDictating()
            try await desk.say(1100, 1300)
            try await desk.stopDictating()
            try await window.text("T1100 t1300")
            let history = "global.extension()._indicator._history"
            let labels = "\(history).menu._getMenuItems().map(each => each.label.text)"
            try await desk.run("global.extension()._indicator.menu.open(); \(history).menu.open()")
            try await eventually("the text is listed", equals: "\"T1100 t1300\"") {
                try await desk.evaluate("\(labels)[0]")
            }
            try await desk.takeScreenshot("menu-history")
            try await desk.run("\(history).menu._getMenuItems()[0].get_children().at(-1).emit('clicked', 0)")
            try await desk.run("\(history).menu.close(); \(history).menu.open()")
            try await eventually("it is erased") {
                try await !desk.evaluate("\(labels).join()").contains("T1100 t1300")
            }
            // The submenu opens also when nothing is left in it.
            #expect(try await desk.evaluate("\(history).menu.isOpen") == "true")
            try await desk.run("global.extension()._indicator.menu.close()")
            try await window.close()
        }
    }

    /// The sound is kept here too.
    @Test func earlierTextsAreTypedAndRecognisedAgainFromTheMenu() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            try await desk.dismissNotifications()
            try await desk.startDictating()
            try await desk.say(1400, 1500)
            try await desk.stopDictating()
            try await window.text("T1400 t1500")
            let history = "global.extension()._indicator._history"
            let item = "\(history).menu._getMenuItems().find(each => each.label.text === 'T1400 t1500')"
            func open() async throws {
                try await desk.run("global.extension()._indicator.menu.open(); \(history).menu.open()")
                try await eventually("the text is listed", equals: "true") {
                    try await desk.evaluate("!!\(item)")
                }
            }
            func click(_ name: String) async throws {
                try await desk.run(
                    "\(item).get_children().find(each => each.accessible_name === '\(name)').emit('clicked', 0)"
                )
            }
            // The menu shows what is there when it opens.
            try await eventually("the text is kept") {
                try await desk.output(
                    of: desk.start([executable("dictation-cli"), "history", "list", "--json"])
                ).contains("T1400 t1500")
            }
            try await open()
            try await click("Type Again")
            try await window.text("T1400 t1500 T1400 t1500")
            try await open()
            try await click("Recognise Again")
            try await eventually("it is recognised again") {
                try await desk.output(
                    of: desk.start([executable("dictation-cli"), "history", "show", "--json"])
                )
                .contains("\"original\"")
            }
            let problems = try await desk.notifications()
            #expect(problems == "[]", "\(problems)")
            try await desk.run("global.extension()._indicator.menu.close()")
            try await window.close()
        }
    }

    /// A microphone in the panel means one in use.
    @Test func theIdleIndicatorIsNoMicrophone() async throws {
        try await withDesk { desk in
            let icon = "global.extension()._indicator._icon.gicon.to_string()"
            #expect(try await desk.evaluate(icon).contains("dictation-symbolic.svg"))
            let panel: (x: Int32, y: Int32, width: Int32, height: Int32) = (1080, 0, 200, 32)
            try await desk.takeScreenshot("panel-idle", of: panel)
            try await desk.startDictating()
            #expect(try await desk.evaluate(icon).contains("audio-input-microphone-symbolic"))
            try await desk.settle()
            try await desk.takeScreenshot("panel-listening", of: panel)
            // In silence the meter is as high as ever, and empty.
            #expect(
                try await desk.evaluate(
                    "(({_meter, _bar}) => [_meter.visible, _meter.height, _bar.scale_y])(global.extension()._indicator)"
                ) == "[true,16,0]")
            // The virtual microphone gives zeros.
            try await eventually("the indicator says that there is no sound") {
                try await desk.evaluate("global.extension()._indicator._warning.label.text").contains(
                    "The microphone gives no sound at all")
            }
            try await desk.takeScreenshot("panel-no-sound", of: panel)
            try await desk.stopDictating()
            #expect(try await desk.evaluate("global.extension()._indicator._warning.visible") == "false")
            #expect(try await desk.evaluate(icon).contains("dictation-symbolic.svg"))
        }
    }

    /// The window is that of the desktop's program for preferences of extensions.
    @Test func thePreferencesShowEngineLanguageAndPermissions() async throws {
        try await withDesk { desk in
            _ = try await desk.output(
                of: desk.gdbus(
                    "Permissions.Set",
                    ["{'kind': <'app'>, 'id': <'org.example.BusEditor'>}", "microphone", "granted"]))
            for (name, scheme) in [("preferences", "default"), ("preferences-dark", "prefer-dark")] {
                try await desk.setDesktop("interface", "color-scheme", "string('\(scheme)')")
                let program = try desk.start(["env", "ADW_DISABLE_PORTAL=1"] + Self.preferencesCommand())
                try await eventually("the program is there", equals: "true") {
                    try await desk.evaluate(
                        """
                        imports.gi.Gio.DBus.session.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus',
                            'org.freedesktop.DBus', 'ListNames', null, null, 0, -1, null).deepUnpack()[0]
                            .includes('org.gnome.Shell.Extensions')
                        """)
                }
                try await desk.run("global.extension().openPreferences()")
                try await eventually(
                    "the window has the focus; \(program.text(of: .errors))", equals: "\"Dictation\""
                ) {
                    try await desk.evaluate("global.display.focus_window?.title")
                }
                // Permissions come last.
                try await desk.run("global.display.focus_window.move_resize_frame(true, 300, 40, 680, 680)")
                for key in ["Tab", "Tab"] { try await desk.press(key) }
                try await desk.takeScreenshot(name, unlike: Data())
                try await desk.scrollDown(at: (x: 640, y: 400))
                try await desk.settle()
                try await desk.takeScreenshot("\(name)-end")
                #expect(!program.text(of: .errors).contains("JS ERROR"), "\(program.text(of: .errors))")
                program.terminate()
                _ = try await program.exitStatus()
            }
            try await desk.resetDesktop("interface", "color-scheme")
            _ = try await desk.output(
                of: desk.gdbus(
                    "Permissions.Forget", ["{'kind': <'app'>, 'id': <'org.example.BusEditor'>}"]))
        }
    }

    /// As the bus starts it: GNOME 48 has it as a module.
    private static func preferencesCommand() throws -> [String] {
        let service = try String(
            contentsOfFile: "/usr/share/dbus-1/services/org.gnome.Shell.Extensions.service", encoding: .utf8)
        let command = try #require(service.firstMatch(of: /\nExec=(.+)/)?.1)
        return command.split(separator: " ").map(String.init)
    }

    @Test func aTextThatWasNotTypedIsCopiedFromItsNotice() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            try await window.leave(for: 2, on: desk)
            try await desk.stopDictating()
            // MessageTray.State.SHOWN
            try await eventually("the notice is shown", equals: "2") {
                try await desk.evaluate("Main.messageTray._notificationState")
            }
            try await desk.settle()
            try await desk.keepScreenshot("notice")
            try await desk.click("Copy", on: "The text is in the menu")
            try await desk.run(
                """
                imports.gi.St.Clipboard.get_default().get_text(imports.gi.St.ClipboardType.CLIPBOARD, (_, text) => {
                    global.copied = text;
                })
                """)
            try await eventually("it is copied", equals: "\"T500\"") {
                try await desk.evaluate("global.copied")
            }
            try await window.close()
        }
    }
}

extension ShellDesk {
    /// Texts in the menu that were not typed.
    fileprivate func showTexts(_ count: Int) async throws {
        try await run(
            """
            global.extension()._dictation._typing.texts = Array.from({length: \(count)}, (_, index) => ({
                id: 1000 - index, text: `Text ${\(count) - index}, which is long`, outcome: 'kept', why: 'left', time: '12:00',
            }));
            global.extension()._show();
            """)
    }

    /// - Parameter value: a method of GLib.Variant and its argument, such as `double(1.5)`.
    func setDesktop(_ schema: String, _ key: String, _ value: String) async throws {
        let setter = value.replacing("(", with: "('\(key)', ", maxReplacements: 1)
        try await run(
            "new imports.gi.Gio.Settings({schema_id: 'org.gnome.desktop.\(schema)'}).set_\(setter)")
    }

    /// Turns the wheel of a mouse at a place of the screen.
    fileprivate func scrollDown(at place: (x: Int, y: Int)) async throws {
        try await run(
            """
            const {Clutter, GLib} = imports.gi;
            global.pointer ??= Clutter.get_default_backend().get_default_seat()
                .create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE);
            global.pointer.notify_absolute_motion(GLib.get_monotonic_time(), \(place.x), \(place.y));
            for (let turn = 0; turn < 40; turn += 1) {
                global.pointer.notify_discrete_scroll(GLib.get_monotonic_time(), Clutter.ScrollDirection.DOWN,
                    Clutter.ScrollSource.WHEEL);
            }
            """)
    }

    func resetDesktop(_ schema: String, _ key: String) async throws {
        try await run(
            "new imports.gi.Gio.Settings({schema_id: 'org.gnome.desktop.\(schema)'}).reset('\(key)')")
    }
}
