internal import CLinux
internal import Glibc

/// The service manager's descriptor store, by sd_notify(3): it keeps descriptors for the next process of the service, and
/// closes them when the service is stopped.
struct DescriptorStore: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    let address: String

    /// - Parameter name: at most 255 bytes, without `:`.
    func keep(_ descriptor: Int32, as name: String) throws(JournalError) {
        guard dictation_linux_send_descriptor(address, "FDSTORE=1\nFDNAME=\(name)", descriptor) == 0 else {
            throw .last("FDSTORE")
        }
    }

    /// If this fails, the manager is gone, and with it the descriptor.
    func forget(_ name: String) {
        _ = dictation_linux_send_descriptor(address, "FDSTOREREMOVE=1\nFDNAME=\(name)", -1)
    }

    /// The descriptors that the manager has kept, by sd_listen_fds(3). They are closed on exec from now on.
    /// - Returns: names and numbers; the numbers belong to the caller.
    static func inherited(_ environment: [String: String]) -> [(name: String, descriptor: Int32)] {
        guard environment["LISTEN_PID"] == "\(getpid())",
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...1024).contains(count)
        else { return [] }
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).compactMap { index in
            let descriptor = 3 + index
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
            let name = names.flatMap { $0.indices.contains(Int(index)) ? String($0[Int(index)]) : nil }
            return (name ?? "", descriptor)
        }
    }
}
