#if DEBUG
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
