import Glibc

/// The limit of open descriptors of this process.
enum DescriptorLimit {
    /// Raises the limit to `wanted`, or as far as the hard limit allows. Never lowers it.
    /// - Returns: the `errno` of the failed call; nil if none failed.
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
