import DictationCore
import Glibc
import PermissionStore

/// Uses a store in its own process, for tests that trace, disturb and kill it.
@main
enum StoreProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        switch (arguments.count, arguments.dropFirst(2).first) {
        case (4, "acknowledge"): await acknowledge(arguments[1], from: Int64(arguments[3]) ?? 0)
        case (3, "revoke"): await revoke(arguments[1])
        case (3, "fill"): await fill(arguments[1])
        default:
            say("usage: store-probe FOLDER acknowledge NUMBER | revoke | fill")
            exit(2)
        }
    }

    /// Decides about five applications in turn, for ever, and prints each number after its decision is stored.
    private static func acknowledge(_ folder: String, from first: Int64) async {
        do {
            let store = try PermissionStore(folder: folder)
            var number = first
            while true {
                try await store.set(
                    number / 5 % 2 == 0 ? .granted : .denied, for: Resource.dictation, of: .app(number % 5),
                    by: "probe", at: number)
                say("\(number)")
                number += 1
            }
        } catch {
            say("error \(error)")
        }
    }

    /// Revokes the first application's microphone, twice, and prints the results.
    private static func revoke(_ folder: String) async {
        do {
            let store = try PermissionStore(folder: folder)
            say("opened \(store.setAside ?? "")")
            for _ in 1...2 { await revoke(in: store) }
        } catch {
            say("not opened \(error.kind) \(error)")
        }
    }

    private static func revoke(in store: PermissionStore) async {
        do throws(PermissionStoreError) {
            try await store.set(.denied, for: [.microphone], of: .app(0), by: "probe", at: 7)
            say("stored \(store.permission(of: .app(0)).microphone.rawValue)")
        } catch {
            say("not stored \(store.permission(of: .app(0)).microphone.rawValue) \(error.kind) \(error)")
        }
    }

    /// Does the same on a full disk, then frees space and tries again.
    private static func fill(_ folder: String) async {
        do {
            let store = try PermissionStore(folder: folder)
            let ballast = "\(folder)/ballast"
            let file = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            let page = [UInt8](repeating: 1, count: 4096)
            while write(file, page, page.count) > 0 {}
            close(file)
            await revoke(in: store)
            unlink(ballast)
            await revoke(in: store)
        } catch {
            say("not opened \(error.kind) \(error)")
        }
    }

    /// In one write, so that a killed process has written whole lines.
    private static func say(_ line: String) {
        let text = "\(line)\n"
        _ = write(1, text, text.utf8.count)
    }
}

extension Identity {
    static func app(_ number: Int64) -> Identity {
        Identity(uid: 1000, kind: .executable, id: "/app/\(number)")
    }
}
