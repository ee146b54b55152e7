import ArgumentParser
import EventLoop
import Glibc

/// A file that the user named; `-` is standard input.
struct InputFile {
    let path: String
    let descriptor: Descriptor

    init(path: String) throws {
        self.path = path
        let number = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else {
            Output.standardError.note("\(path): \(String(cString: strerror(errno)))")
            throw ExitStatus.noInput.code
        }
        descriptor = Descriptor(number)
    }

    /// How much of it has been read, 0 to 1, by whoever shares the descriptor; nil where that cannot be known.
    var fractionRead: Double? {
        var status = stat()
        let position = lseek(descriptor.rawValue, 0, SEEK_CUR)
        guard position >= 0, fstat(descriptor.rawValue, &status) == 0, status.st_size > 0 else { return nil }
        return min(1, Double(position) / Double(status.st_size))
    }

    func text() throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor.rawValue, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                Output.standardError.note("\(path): \(String(cString: strerror(errno)))")
                throw ExitStatus.noInput.code
            }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            Output.standardError.note("\(path): is not UTF-8 text")
            throw ExitStatus.dataError.code
        }
        return text
    }
}
