import CLinux
import ClientIdentity
import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

@Suite struct IdentityResolverTests {
    let resolver: IdentityResolver
    let programs: ProgramFolder

    init() throws {
        resolver = try IdentityResolver()
        programs = try ProgramFolder()
    }

    private func resolve(
        _ pid: Int32, uid: UInt32 = getuid(), process: Descriptor? = nil,
        confirm: (() async throws -> (uid: UInt32, pid: UInt32))? = nil
    ) async -> IdentityFinding {
        let credentials = BusCredentials(uid: uid, pid: UInt32(pid), process: process)
        return await resolver.finding(credentials, confirm: confirm ?? { (uid, UInt32(pid)) })
    }

    private func isUnknown(_ finding: IdentityFinding, _ kind: IdentityError.Kind? = nil) -> Bool {
        finding.identity.kind == .unknown && finding.identity.id.isEmpty
            && finding.error != nil && (kind == nil || finding.error?.kind == kind)
    }

    @Test func identifiesAProgramByItsPath() async throws {
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        let finding = await resolve(child.pid)
        #expect(finding.identity == Identity(uid: getuid(), kind: .executable, id: programs.path("editor")))
        #expect(finding.error == nil)
        #expect(await resolver.finding(pid: UInt32(child.pid), uid: getuid()) == finding)
    }

    @Test func identifiesTheProgramAfterExec() async throws {
        let path = try await programs.add("editor")
        let child = try ChildProcess(["sh", "-c", "exec \(path) 1000"])
        try await eventually("the new program is seen") {
            await resolve(child.pid).identity.id.rawValue == path
        }
    }

    @Test func anEndedProcessIsNotIdentified() async throws {
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        let pidfd = Descriptor(owning: pidfd_open(child.pid, 0))
        child.kill()
        _ = try await child.exitStatus()
        #expect(await isUnknown(resolve(child.pid), .gone))
        #expect(await isUnknown(resolve(child.pid, process: pidfd), .gone))

        // The shell execs a program that does not reap the shell's child.
        let parent = try ChildProcess(["sh", "-c", "sh -c 'echo $$' & exec sleep 1000"])
        let line = try await parent.line(of: .output)
        let zombie = try #require(Int32(line))
        try await eventually("the child is a zombie") {
            try String(contentsOfFile: "/proc/\(zombie)/stat", encoding: .utf8).contains(") Z ")
        }
        #expect(await isUnknown(resolve(zombie)))
    }

    @Test func asksTheBusASecondTime() async throws {
        struct NameHasNoOwner: Error {}
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        let pid = UInt32(child.pid)
        #expect(await isUnknown(resolve(child.pid) { throw NameHasNoOwner() }, .disconnected))
        #expect(await isUnknown(resolve(child.pid) { (getuid(), pid + 1) }, .disconnected))
        #expect(await isUnknown(resolve(child.pid) { (getuid() + 1, pid) }, .disconnected))
        #expect(
            await isUnknown(
                resolve(child.pid) {
                    child.kill()
                    _ = try await child.exitStatus()
                    return (getuid(), pid)
                }, .gone))
    }

    @Test func aPidfdMakesASecondQuestionUnnecessary() async throws {
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        let pidfd = Descriptor(owning: pidfd_open(child.pid, 0))
        // The number next to it does not count.
        let finding = await resolve(1, process: pidfd) {
            Issue.record("the bus was asked again")
            return (0, 0)
        }
        #expect(finding.identity.id.rawValue == programs.path("editor"))
    }

    @Test func refusesADescriptorThatIsNotAPidfd() async throws {
        let pipe = try Descriptor.pipe()
        #expect(await isUnknown(resolve(getpid(), process: pipe.reading), .malformed))
    }

    @Test(arguments: [0, 4_194_304, 2_147_483_648, UInt32.max])
    func impossibleNumbersAreNotIdentified(pid: UInt32) async {
        let finding = await resolver.finding(BusCredentials(uid: getuid(), pid: pid)) { (getuid(), pid) }
        #expect(finding.identity.kind == .unknown)
    }

    @Test func aProcessOfAnotherUserIsForeign() async throws {
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        let finding = await resolve(child.pid, uid: getuid() + 1)
        #expect(finding == IdentityFinding(try #require(finding.error), uid: getuid() + 1))
        #expect(isUnknown(finding, .foreign))
    }

    // MARK: Programs that change under their processes

    @Test func aDeletedProgramHasNoIdentity() async throws {
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        unlink(programs.path("editor"))
        #expect(await isUnknown(resolve(child.pid), .replaced))
    }

    @Test func anUpgradedProgramKeepsItsIdentity() async throws {
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        let new = try await programs.add("editor.new")
        #expect(rename(new, programs.path("editor")) == 0)
        #expect(await resolve(child.pid).identity.id.rawValue == programs.path("editor"))
    }

    @Test(arguments: [true, false])
    func aProgramReplacedByALinkOrAFolderHasNoIdentity(link: Bool) async throws {
        let child = try ChildProcess([await programs.add("editor"), "1000"])
        unlink(programs.path("editor"))
        if link {
            #expect(symlink("/bin/sh", programs.path("editor")) == 0)
        } else {
            #expect(mkdir(programs.path("editor"), 0o700) == 0)
        }
        #expect(await isUnknown(resolve(child.pid), .replaced))
    }

    @Test func aFileNamedDeletedIsIdentified() async throws {
        let child = try ChildProcess([await programs.add("editor (deleted)"), "1000"])
        try await programs.add("editor")
        #expect(await resolve(child.pid).identity.id.rawValue == programs.path("editor (deleted)"))
    }
}
