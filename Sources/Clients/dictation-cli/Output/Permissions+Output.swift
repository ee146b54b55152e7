import DictationClient
import Glibc

extension ApplicationPermission {
    var line: String {
        var words =
            microphone == speech
            ? microphone.rawValue : "microphone \(microphone.rawValue), speech \(speech.rawValue)"
        if typing != .notDetermined { words += ", typing \(typing.rawValue)" }
        let used = lastUsed.map { ", last used \(LocalTime.text($0))" } ?? ""
        return "\(application.line)  \(words)\(used)"
    }

    var json: JSON {
        .object([
            ("kind", .string(application.kind.rawValue)), ("id", .string(application.id)),
            ("microphone", .string(microphone.rawValue)), ("speech", .string(speech.rawValue)),
            ("typing", .string(typing.rawValue)),
            ("last-used", lastUsed.map(JSON.integer) ?? .null),
        ])
    }
}

extension PermissionDecision {
    var line: String {
        "\(LocalTime.text(time))  \(application.line)  \(resource.rawValue) \(status.rawValue)  "
            + "by \(DisplayText.harmless(prompter))"
    }

    var json: JSON {
        .object([
            ("time", .integer(time)), ("kind", .string(application.kind.rawValue)),
            ("id", .string(application.id)), ("resource", .string(resource.rawValue)),
            ("status", .string(status.rawValue)), ("prompter", .string(prompter)),
        ])
    }
}

extension Application {
    /// In the format of the command line.
    var line: String {
        DisplayText.harmless(kind == .executable ? id : "\(kind.rawValue):\(id)")
    }
}

enum LocalTime {
    /// Local time.
    static func text(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return "\(seconds)" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            guard let start = buffer.baseAddress, strftime(start, buffer.count, "%Y-%m-%d %H:%M", &parts) > 0
            else { return "\(seconds)" }
            return String(cString: start)
        }
    }
}
