import Glibc
import Testing

@testable import EventLoop

@Suite struct DescriptorTests {
    @Test func tellsWhetherDescriptorsAreLeft() throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        try #require(getrlimit(resource, &before) == 0)
        let pipe = try Descriptor.pipe()
        // Above all that tests open.
        let highest = fcntl(pipe.reading.rawValue, F_DUPFD_CLOEXEC, 900)
        try #require(highest >= 900)
        let taken = Descriptor(owning: highest)
        var limit = before
        limit.rlim_cur = rlim_t(highest) + 11
        try #require(setrlimit(resource, &limit) == 0)
        defer { setrlimit(resource, &before) }
        #expect(Descriptor.canOpen(10))
        #expect(!Descriptor.canOpen(11))
        #expect(!Descriptor.canOpen(100_000))
        _ = taken
    }
}
