import FuzzTargets
import Glibc

// Built by `packaging/soak fuzz` with -DFUZZING and libFuzzer, which has the main function then. Otherwise it runs files
// of a corpus: `dictation-fuzz TARGET FILE...`.

/// Runs an input. A broken promise ends the process, so that libFuzzer keeps the input.
private func run(_ target: FuzzTarget, _ bytes: [UInt8]) {
    do {
        try target.run(bytes)
    } catch {
        fail("\(target): \(error)")
        abort()
    }
}

private func fail(_ message: String) {
    let line = Array("\(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}

private func target(named name: String) -> FuzzTarget? {
    let target = FuzzTarget.all.first { $0.name == name }
    if target == nil { fail("The targets are: \(FuzzTarget.all.map(\.name).joined(separator: ", "))") }
    return target
}

private func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

#if FUZZING
    private let chosen = target(named: variable("DICTATION_FUZZ_TARGET"))

    /// Writes the target's seeds to the folder that the environment names, before libFuzzer reads it.
    @_cdecl("LLVMFuzzerInitialize")
    public func initialize(
        _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer
    ) -> CInt {
        guard let chosen else { exit(64) }
        for (index, seed) in chosen.seeds.enumerated() {
            guard let file = fopen("\(variable("DICTATION_FUZZ_SEEDS"))/seed-\(index)", "w") else { exit(73) }
            fwrite(seed, 1, seed.count, file)
            fclose(file)
        }
        return 0
    }

    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        if let chosen { run(chosen, Array(UnsafeBufferPointer(start: bytes, count: count))) }
        return 0
    }
#else
    @main
    struct DictationFuzz {
        static func main() {
            let arguments = CommandLine.arguments.dropFirst()
            guard arguments.count > 1, let target = target(named: arguments.first ?? "") else {
                fail("usage: dictation-fuzz TARGET FILE...")
                exit(64)
            }
            for path in arguments.dropFirst() {
                guard let bytes = read(path) else {
                    fail("\(path) cannot be read")
                    exit(66)
                }
                run(target, bytes)
            }
        }

        private static func read(_ path: String) -> [UInt8]? {
            guard let file = fopen(path, "re") else { return nil }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = fread(&bytes, 1, bytes.count, file)
            return Array(bytes.prefix(count))
        }
    }
#endif
