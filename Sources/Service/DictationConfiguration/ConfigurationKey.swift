package import DictationCore
import DictationInterface
import LanguageFiles
package import Wyoming

/// A key of the configuration file: its name, type and meaning. The table of all keys is used for reading the files,
/// for errors, and for the manual page.
package struct ConfigurationKey: Sendable {
    package typealias Field<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    package enum Kind: Sendable {
        case boolean(Field<Bool>)
        case integer(Field<Int>, ClosedRange<Int>)
        case string(Field<String>)
        /// BCP 47 tags: one string or a list of them.
        case languages(Field<[String]>)
        /// One string or a list of them.
        case names(Field<[String]>)
        case engines(Field<[EngineConfiguration]>)
        /// Folders by language.
        case models(Field<[String: String]>)
        case seconds(Field<Duration>, ClosedRange<Int>)
        /// Zero means never.
        case millisecondsOrZero(Field<Duration>, ClosedRange<Int>)
        case strings(Field<Set<String>>)
        case reasons(Field<Set<Reason>>)
        /// Kinds and IDs of applications.
        case applications(Field<[ApplicationPattern]>)
        /// Seconds by reason.
        case limits(Field<[Reason: Duration]>)
        case formatting(Field<FormattingStyle>)
        case cleanUp(Field<CleanUpStyle>)
        /// A command of the shell.
        case command(Field<String>)
        /// Spoken and written text, also by application.
        case replacements(Field<Replacements>)
        /// A time such as "7 days", or "off".
        case lifetime(Field<Duration>, ClosedRange<Int>)
        /// Settings of single applications.
        case applicationSettings(Field<[ApplicationSettings]>)
        /// A key, or none.
        case shortcut(Field<ShortcutKey?>)
        /// Keys by language.
        case languageShortcuts(Field<[String: ShortcutKey]>)
        /// Words, some with a similar-sounding spelling.
        case words(Field<[TranscriptionRequest.VocabularyEntry]>)
    }

    private static let autoCommitRange =
        Int(StartOption.autoCommitRange.lowerBound)...Int(StartOption.autoCommitRange.upperBound)

    package let name: String
    package let kind: Kind
    package let meaning: String

    init(_ name: String, _ kind: Kind, _ meaning: String) {
        self.name = name
        self.kind = kind
        self.meaning = meaning
    }

    /// The values of the key, for people.
    package var type: String {
        switch kind {
        case .boolean: "true or false"
        case .integer(_, let range): "a whole number, \(range.lowerBound) to \(range.upperBound)"
        case .string: "a string"
        case .command: "a command"
        case .seconds(_, let range): "seconds, \(range.lowerBound) to \(range.upperBound)"
        case .millisecondsOrZero(_, let range):
            "milliseconds, 0 or \(range.lowerBound) to \(range.upperBound)"
        case .strings, .reasons, .applications: "a list of strings"
        case .names, .languages: "a string or a list of strings"
        case .engines: "a list of {name, wyoming, fallback, punctuates}"
        case .models: "folders by language"
        case .formatting: FormattingStyle.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        case .cleanUp: CleanUpStyle.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        case .replacements: "strings by what is said"
        case .lifetime(_, let hours):
            "\"off\", or a number of hours or days up to \(hours.upperBound / 24) days, as \"7 days\""
        case .applicationSettings: "a list of {application, \(Self.applicationKeys)}"
        case .shortcut: "a key, or \"none\""
        case .languageShortcuts: "keys by language"
        case .words: "a list of words, each alone or with what it sounds like"
        case .limits: "seconds by reason, 0 to 86400, as {call: 60}"
        }
    }

    static let applicationKeys = ApplicationSettings.Key.allCases.dropFirst().map(\.rawValue)
        .joined(separator: ", ")

    /// The reasons that can be configured not to interrupt.
    package static let optionalReasons: [Reason] = [
        .call, .sessionLocked, .sessionInactive, .sourceMuted,
    ]
    /// The reasons with a configurable time limit.
    package static let limitedReasons: [Reason] = [.suspend] + optionalReasons
    static let resumeRange = 0...86_400

    /// The reasons that interrupt if these of the optional ones are chosen.
    static func interrupting(_ chosen: [Reason]) -> Set<Reason> {
        Set(Reason.allCases).subtracting(optionalReasons).union(chosen)
    }

    /// Keys that only the administrator's file can set.
    package static let administratorOnly: Set<String> = ["allow-remote-engines"]

    /// Keys whose changes wait for the next start of the worker.
    package static let keptUntilRestart: Set<String> = [
        "allow-remote-engines", "engine-wait", "model-folder", "models", "session-limit", "decoder-limit",
        "decoder-linger", "backlog-limit", "shortcut", "language-shortcuts",
        // Without it, the worker gives up the right to start programs.
        "filter",
    ]

    /// Keys whose changes a running worker applies.
    static let changing = all.filter { !keptUntilRestart.contains($0.name) }

    package static let all: [ConfigurationKey] = [
        .init(
            "engine", .names(\.engine),
            "The default engine, or several in order of preference: the first that is available and supports the "
                + "language is used."),
        .init(
            "engines", .engines(\.engines),
            "Engines outside the service, which give better text than PocketSphinx: \"name\"; \"wyoming\", the address "
                + "of a server of the Wyoming protocol, as unix:/run/user/1000/dictation-engine/engine.sock or "
                + "tcp://127.0.0.1:10300; \"fallback\", what to do while it does not answer: \"preview\" uses the "
                + "text of the engine inside the service, \"wait\" waits up to 45 seconds; and \"punctuates\", whether "
                + "it writes capitals and punctuation itself (default: true). The server must be the user's "
                + "own or root's. The packaged units allow unix sockets only: for TCP, set "
                + "RestrictAddressFamilies=AF_INET AF_INET6 with 'systemctl --user edit dictation-worker', or 'dictation' "
                + "where that is a service of the session."),
        .init(
            "allow-remote-engines", .boolean(\.allowsRemoteEngines),
            "Engines may be on other machines, to which the sound of dictation is sent. Only the administrator can set "
                + "this to true."),
        .init(
            "engine-wait", .seconds(\.engineWait, 1...40),
            "How many seconds a Commit waits for the text of an engine outside the service, before it takes the text of the "
                + "engine inside the service."),
        .init(
            "language", .languages(\.languages),
            "The default language, as a BCP 47 tag, or a list of up to 8: an engine that detects the language detects it "
                + "among them, and the others use the first. Two or three are detected best."),
        .init(
            "spoken-language", .string(\.spokenLanguage),
            "Which of several languages is spoken now: one of them, or \"auto\" to have the engine detect it. \"dictation-cli "
                + "language\" switches."),
        .init(
            "language-by-layout", .boolean(\.speaksByLayout),
            "Dictation into windows begins in the language of the keyboard layout in use, if that is one of several languages "
                + "in \"language\" and neither the call nor the key names one. sway, Hyprland, KDE (if it has several layouts) "
                + "and X11 report the layout; on other desktops \"spoken-language\" counts. For the keys of GNOME's "
                + "extension its own preference counts."),
        .init(
            "model-folder", .string(\.modelFolder),
            "The folder of PocketSphinx's model for en-US: it must belong to root or the user, because PocketSphinx does not validate the files."
        ),
        .init(
            "models", .models(\.models),
            "Folders of PocketSphinx's models for other languages, as in {fr-FR: /usr/local/share/pocketsphinx/fr}. Each "
                + "holds an acoustic model (a folder with \"mdef\", or that file itself), a language model (.lm.bin or "
                + ".lm) and a dictionary (.dict or .dic)."),
        .init(
            "route", .string(\.route),
            "node.name of the microphone to use while it is connected, unless a call chooses another; empty follows the default."
        ),
        .init(
            "prefer-bluetooth", .boolean(\.settings.prefersBluetooth),
            "Prefer a Bluetooth microphone to the default one."),
        .init(
            "pause-playback", .boolean(\.pausesPlayback),
            "Pause media players while a session listens, and resume them when no session wants to listen."
        ),
        .init(
            "auto-commit", .millisecondsOrZero(\.autoCommit, autoCommitRange),
            "Milliseconds of silence after speech until the block is committed automatically; 0 turns this off."
        ),
        .init(
            "speech-seconds", .seconds(\.segmentLimit, 5...60),
            "The maximum length of a segment: speech without a pause is cut there."),
        .init(
            "formatting", .formatting(\.formatting),
            "The default formatting. \"plain\" keeps the words as the engine gives them; \"dictation\" writes them as "
                + "people do: see dictation-speech(7)."),
        .init(
            "clean-up", .cleanUp(\.cleanUp),
            "What is left out of the text. \"fillers\" leaves out sounds of hesitation, such as um and uh, and words or "
                + "beginnings that were said twice by mistake, by the rules of the language's file. The detail \"spoken\" of "
                + "a final text has all words."),
        .init(
            "filter", .command(\.filter),
            "A program that gets each final text on its standard input and writes the text to use instead, as in \"sed "
                + "s/colour/color/g\"; empty: none. /bin/sh runs it as the user, with the language in DICTATION_LANGUAGE. If "
                + "it fails, writes nothing, or takes longer than 10 seconds, the text stays as it is. The detail "
                + "\"unfiltered\" of a final text has the text before. Until a text is final, it may change as a whole. "
                + "The restrictions of the worker's unit hold for the program too: change them with 'systemctl --user edit "
                + "dictation-worker', or 'dictation' where that is a service of the session."),
        .init(
            "replacements", .replacements(\.replacements),
            "With \"dictation\": spoken phrases and the text to write for them, as in {pipe wire: PipeWire}; also by "
                + "application, as in {\"app:org.example.Editor\": {slash todo: \"// TODO\"}}. At most "
                + "\(Replacements.limit) phrases, and \(Replacements.applicationLimit) patterns of applications."
        ),
        .init(
            "history", .lifetime(\.history.lifetime, 1...24 * 365),
            "How long the last texts are kept, for this user alone: \"dictation-cli history\" and the menus of the indicators "
                + "show them. They lie in the user's state folder, ~/.local/state/dictation. Turning it off erases them. "
                + "Texts are never kept that were said while a field for a password had the focus, and those of applications "
                + "in a sandbox only if the application asks for it or \"applications\" allows it. What is too old is "
                + "erased while the service runs, or when it starts next."),
        .init(
            "history-sound", .boolean(\.history.keepsSound),
            "Keep the sound of the texts of the history too, up to 5 minutes of each and 64 MiB in all, so that it can be "
                + "recognised again."),
        .init(
            "copy-untyped", .boolean(\.copiesUntypedText),
            "Put text that could not be typed into a window on the clipboard, in place of what is there. What was said while a "
                + "field for a password had the focus is never put there."),
        .init(
            "applications", .applicationSettings(\.applications),
            "Settings of single applications, as in [{application: \"app:org.example.Editor\", language: de-DE, clean-up: "
                + "fillers}]: \"application\" is a pattern as for \"permissions.allow\", and the other keys mean what they "
                + "mean here. They count where Start has no option for them, and for the application into whose window a "
                + "program types, if it says which one that is. \"history\" is true or false here: whether its texts are "
                + "kept. Of several entries for an application the later ones count. At most "
                + "\(ApplicationSettings.limit)."),
        .init(
            "words", .words(\.words),
            "The user's own words, such as names, as in [Kubernetes, {nginx: engine ex}]: each alone, or with words in lower "
                + "case that it sounds like, or with phones. A word is skipped if it is not in the dictionary and no "
                + "pronunciation can be made from its spelling. \"dictation-cli words\" changes them."),
        .init(
            "shortcut", .shortcut(\.shortcut),
            "The key that dictates into the focused window, as in Super+Alt+space: modifiers (Super, Ctrl, Alt, Shift) and the "
                + "name of a key. The process \"dictation-worker --stay\" asks the desktop's GlobalShortcuts portal for it "
                + "when it starts: \"dictation-cli shortcut --bind\" sets both up. The desktop may choose another key."
        ),
        .init(
            "language-shortcuts", .languageShortcuts(\.languageShortcuts),
            "Keys that begin dictation in a language, as in {de: Super+Alt+d}. At most "
                + "\(ShortcutSettings.languageLimit)."),
        .init(
            "idle-pause", .seconds(\.settings.idlePause, 10...86_400),
            "Seconds without a call or speech after which a lingering session is committed and paused. Time in which "
                + "the computer sleeps does not count."),
        .init(
            "idle-stop", .seconds(\.settings.idleStop, 10...604_800),
            "Seconds without a call or speech after which a lingering session ends. Time in which the computer sleeps "
                + "does not count."),
        .init(
            "session-limit", .integer(\.settings.sessionLimit, 1...1000),
            "Sessions of one user at the same time."),
        .init(
            "decoder-limit", .integer(\.decoderLimit, 1...64),
            "Decoders loaded at the same time; each takes about 100 MB."),
        .init(
            "decoder-linger", .seconds(\.decoderLinger, 0...86_400),
            "How many seconds a decoder stays loaded after its session."),
        .init(
            "backlog-limit", .seconds(\.backlogLimit, 10...3600),
            "Seconds of audio that are kept while recognition lags behind; beyond it the oldest is lost."
        ),
        .init(
            "interrupting", .reasons(\.settings.interruptingReasons),
            "The reasons that interrupt, of "
                + optionalReasons.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                + "; the other reasons always do."),
        .init(
            "resume-within", .limits(\.settings.resumeLimits),
            "By reason, the seconds after which an interruption does not resume automatically; 0 never resumes automatically. Time "
                + "in which the computer sleeps counts."
        ),
        .init(
            "permissions.allow", .applications(\.permissionRules.allowed),
            "Applications that may dictate without asking the user: \"*\" or a kind (flatpak, snap, app, executable, "
                + "unknown), a colon and an id, in which * stands for anything, as in \"executable:/usr/bin/*\"."
        ),
        .init(
            "permissions.deny", .applications(\.permissionRules.denied),
            "Applications that may not dictate, whatever the user decides."),
        .init(
            "calls.roles", .strings(\.settings.callRules.roles),
            "media.role of the capture streams that are calls."),
        .init(
            "calls.applications", .strings(\.settings.callRules.applications),
            "application.name or binary of programs whose capture is a call even if they set no role."),
        .init(
            "calls.ignored", .strings(\.settings.callRules.ignoredApplications),
            "application.name or binary of programs whose capture is never a call."),
    ]
}

extension ConfigurationKey {
    /// Copies the key's value to another configuration.
    func copy(from configuration: Configuration, to other: inout Configuration) {
        func copy<T>(_ field: Field<T>) { other[keyPath: field] = configuration[keyPath: field] }
        switch kind {
        case .boolean(let field): copy(field)
        case .integer(let field, _): copy(field)
        case .string(let field), .command(let field): copy(field)
        case .names(let field), .languages(let field): copy(field)
        case .engines(let field): copy(field)
        case .models(let field): copy(field)
        case .seconds(let field, _), .millisecondsOrZero(let field, _): copy(field)
        case .strings(let field): copy(field)
        case .reasons(let field): copy(field)
        case .applications(let field): copy(field)
        case .limits(let field): copy(field)
        case .formatting(let field): copy(field)
        case .cleanUp(let field): copy(field)
        case .replacements(let field): copy(field)
        case .lifetime(let field, _): copy(field)
        case .applicationSettings(let field): copy(field)
        case .shortcut(let field): copy(field)
        case .languageShortcuts(let field): copy(field)
        case .words(let field): copy(field)
        }
    }
}
