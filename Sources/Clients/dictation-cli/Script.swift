import DictationCore
import EventLoop
import Foundation
import Glibc

/// A program that the kernel runs by another one, which its first line names. It is identified as that one.
struct Script {
    let path: String
    /// The path of the program that runs it, without links; nil if there is none of that name.
    let interpreter: String?

    /// What the kernel reads.
    private static let headLimit = 256

    /// Nil if it is not a script.
    init?(path: String, environment: [String: String]) {
        guard let file = try? InputFile(path: path).descriptor else { return nil }
        var head = [UInt8](repeating: 0, count: Self.headLimit)
        let count = pread(file.rawValue, &head, head.count, 0)
        guard count > 2, head.starts(with: "#!".utf8) else { return nil }
        let line = String(decoding: head[2..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        self.path = path
        interpreter = Self.program(line.split { $0 == " " || $0 == "\t" || $0 == "\r" }, environment)
    }

    private static func program(_ words: [Substring], _ environment: [String: String]) -> String? {
        guard let first = words.first else { return nil }
        var name = String(first)
        if first.hasSuffix("/env") {
            // “env -S python3 -u”, “env A=b python3”.
            guard let next = words.dropFirst().first(where: { !$0.hasPrefix("-") && !$0.contains("=") })
            else { return nil }
            name = String(next)
        }
        let folders = name.contains("/") ? [] : (environment["PATH"] ?? "").split(separator: ":")
        let candidates = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }),
            let resolved = realpath(found, nil)
        else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Why there is no permission for it, and what to do.
    var explanation: String {
        guard let interpreter else {
            return "\(path) is a script, and the program that runs it is not there."
        }
        let language = Interpreter.language(ofProgramAt: interpreter)
        return
            "\(path) is a script, which is identified as the program that runs it: \(interpreter). Name that one; "
            + "a decision about it counts for everything that it runs"
            + (language.map { ", as for every \($0) program" } ?? "") + "."
    }
}
