import Glibc

/// How many descriptors this process may have open.
enum DescriptorLimit {
    /// Raises the limit to `wanted`, or as far as the administrator lets it. A limit that is higher stays.
    /// - Returns: the `errno` of the call that failed; nil where none did.
    static func raise(to wanted: rlim_t) -> Int32? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        if getrlimit(resource, &limit) != 0 { return errno }
        let raised = min(wanted, limit.rlim_max)
        guard limit.rlim_cur < raised else { return nil }
        limit.rlim_cur = raised
        return setrlimit(resource, &limit) == 0 ? nil : errno
    }
}
