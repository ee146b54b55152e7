#if DEBUG
    import DBus

    @testable import DictationConfiguration
    @testable import LanguageFiles
    @testable import Wyoming

    extension FuzzTarget {
        /// A file of settings, of the administrator or the user, and a language file.
        static let configuration = FuzzTarget("configuration") { bytes in
            // TextFile refuses other bytes.
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            for isAdministrator in [true, false] { try checkSettings(text, isAdministrator) }
            do throws(LanguageFileError) {
                _ = try LanguageFile(path: "file").table(text)
            } catch {
                try check(line: error.line, of: text)
            }
        }

        private static func checkSettings(_ text: String, _ isAdministrator: Bool) throws {
            let file: ConfigurationReading
            do throws(ConfigurationError) {
                file = try ConfigurationFile(path: "file", mayDecideForAll: isAdministrator).read(text)
            } catch {
                return try check(line: error.line, of: text)
            }
            for error in file.errors { try check(line: error.line, of: text) }
            // The service of the machine must have what the user's file says, except what is beyond the limits of the bus.
            let sent = file.userSettings.values
            var configuration = Configuration()
            try UserSettings(sent).apply(to: &configuration)
            for key in ConfigurationKey.ofUsers where sent[BusText(key.name)] != nil {
                let (has, said) = (key.busValue(in: configuration), key.busValue(in: file.configuration))
                try require(has == said, "the service has another value of '\(key.name)'")
            }
            if !sent.isEmpty { _ = try ValueBytes.encode([Value(sent)]) }
        }

        private static func check(line: Int?, of text: String) throws(FuzzFailure) {
            guard let line else { return }
            let count = text.unicodeScalars.count {
                ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains($0)
            }
            try require((1...count + 2).contains(line), "there is no line \(line)")
        }
    }
#endif
