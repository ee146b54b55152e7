import Glibc

enum MemoryUse {
    /// Available memory in bytes, as the kernel estimates it (`MemAvailable`); 0 if unknown.
    static var available: Int {
        guard let file = fopen("/proc/meminfo", "re") else { return 0 }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) > 0, let line {
            let fields = String(cString: line).split(whereSeparator: \.isWhitespace)
            if fields.first == "MemAvailable:", fields.count > 1 { return (Int(fields[1]) ?? 0) * 1024 }
        }
        return 0
    }
}
