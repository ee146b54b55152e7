import EventLoop
import Glibc

/// An input file; `-` is standard input.
struct InputFile {
    let path: String
    let descriptor: Descriptor

    init(path: String) throws(InputFileError) {
        self.path = path
        let number = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw .last(path) }
        descriptor = Descriptor(owning: number)
    }

    func text() throws(InputFileError) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor.rawValue, &buffer, buffer.count)
            if count == 0 { break }
            if count > 0 {
                bytes += buffer.prefix(count)
            } else if errno != EINTR {
                throw .last(path)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InputFileError(path: path, message: "It is not UTF-8 text.", status: .dataError)
        }
        return text
    }
}

struct InputFileError: Error, CustomStringConvertible {
    var path: String
    var message: String
    var status: ExitStatus

    var description: String { "\(path): \(message)" }

    static func last(_ path: String) -> InputFileError {
        InputFileError(path: path, message: String(cString: strerror(errno)), status: .noInput)
    }
}

extension Descriptor {
    /// The fraction of the file that was read, 0 to 1, by all processes that share its offset; nil if it has no size.
    var fractionRead: Double? {
        var status = stat()
        let position = lseek(rawValue, 0, SEEK_CUR)
        guard position >= 0, fstat(rawValue, &status) == 0, status.st_size > 0 else { return nil }
        return min(1, Double(position) / Double(status.st_size))
    }
}
