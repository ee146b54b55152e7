import Glibc
package import Logging

/// The limit of open descriptors of this process.
package enum DescriptorLimit {
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

    /// Enough for the waiting calls that the budgets allow, and for the sessions and their decoders.
    private static let descriptors: rlim_t = 8192

    package static func raise(_ logger: Logger) {
        guard let code = raise(to: descriptors) else { return }
        // Within the service's unit this fails; the unit sets the limit itself.
        logger.debug(
            "the limit of open descriptors could not be raised",
            metadata: ["why": "\(String(cString: strerror(code)))"])
    }
}
