import CLinux
import Foundation
import Glibc
import Localization
import Testing

/// Texts for people, whose keys the catalogues have.
@Suite struct UserTextTests {
    @Test func aLiteralIsTheKeyWithAPlaceholderForEachValue() {
        let message: UserText = "\(3) of “\("a")” is 100 %"
        #expect(message.key == "%s of “%s” is 100 %%")
        #expect(message.description == "3 of “a” is 100 %")
        #expect(("50 % more" as UserText).description == "50 % more")
    }

    @Test func aTranslationNamesTheValuesInItsOwnOrder() {
        let message: UserText = "\("one") before \("two")"
        #expect(message.filled("%2$s nach %1$s") == "two nach one")
        #expect(message.filled("%s vor %s") == "one vor two")
        #expect(message.filled("100 %% %3$s") == "100 % ")
        #expect(("%s \("%s")" as UserText).description == "%s %s")
    }

    @Test func aMessageThatNoCatalogueHasStays() {
        for message in ["", "One. Two: 50 %  and three", " “a” b?", "IBus: no.\n\nRun it.\n"] {
            #expect(Catalogue.translation(ofMessage: message) == message)
        }
    }

    /// The translation of an empty text is the header of the catalogue. The language is that of a process.
    @Test func whatIsEmptyIsNotLookedUp() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "locales-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let messages = folder.appending(path: "xx/LC_MESSAGES")
            try FileManager.default.createDirectory(at: messages, withIntermediateDirectories: true)
            // A locale other than "C", in which nothing is translated.
            try FileManager.default.copyItem(
                atPath: "/usr/lib/locale/C.utf8", toPath: folder.appending(path: "xx.UTF-8").path)
            let catalogue = """
                msgid ""
                msgstr "Content-Type: text/plain; charset=UTF-8\\n"

                msgid "One."
                msgstr "Eins."
                """
            let source = folder.appending(path: "xx.po")
            try catalogue.write(to: source, atomically: true, encoding: .utf8)
            let compiler = Process()
            compiler.executableURL = URL(filePath: "/usr/bin/msgfmt")
            compiler.arguments = ["-o", messages.appending(path: "dictation.mo").path, source.path]
            try compiler.run()
            compiler.waitUntilExit()
            for (name, value) in [("LOCPATH", folder.path), ("LC_ALL", "xx.UTF-8"), ("LANGUAGE", "xx")] {
                setenv(name, value, 1)
            }
            Catalogue.open()
            bindtextdomain("dictation", folder.path)
            #expect(Catalogue.translation(ofMessage: "One.\n\nOne. ") == "Eins.\n\nEins. ")
        }
    }

    @Test func aValueCanBeATextOfItsOwn() {
        let name: UserText = "The program \("/bin/x")"
        let message: UserText = "\(name) wants 50 %."
        #expect(message.key == "%s wants 50 %%.")
        #expect(message.english == "The program /bin/x wants 50 %.")
        #expect(message.filled("50 %% will %s") == "50 % will The program /bin/x")
    }
}
