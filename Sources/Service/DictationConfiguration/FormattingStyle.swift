/// How words become text; also the values of the key and the option `formatting`.
public enum FormattingStyle: String, CaseIterable, Sendable {
    case plain, dictation
}
