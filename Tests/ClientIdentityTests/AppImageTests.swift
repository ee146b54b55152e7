import DictationCore
import DictationTestKit
import Foundation
import Glibc
import Testing

@testable import ClientIdentity

/// A kernel that does not say which process serves a file system.
@Suite struct AppImageTests {
    private let fixture: ProcessFixture
    private let image: String

    init() throws {
        fixture = try ProcessFixture()
        image = try fixture.directory.write(Self.appImage, to: "bin/My Editor.AppImage")
        try mount(["My\\040Editor.AppImage"])
        try fixture.add(42)
    }

    private static let appImage = "\u{7F}ELF\u{2}\u{1}\u{1}\u{0}AI\u{2}\u{0}"

    /// Mounts file systems with these names. The first is that of the fixture's program.
    private func mount(_ sources: [String], type: String = "fuse.My\\040Editor.AppImage") throws {
        var status = stat()
        #expect(stat(fixture.program, &status) == 0)
        let lines = sources.enumerated().map { index, source in
            let device = DeviceNumber(status.st_dev)
            return
                "\(100 + index) 1 \(device.major):\(device.minor + UInt32(index)) / /tmp/.mount_\(index) ro shared:1 - \(type) \(source) ro,user_id=1000"
        }
        try fixture.directory.write(lines.joined(separator: "\n") + "\n", to: "proc/self/mountinfo")
    }

    private func serve(_ pid: Int32, _ program: String, uids: String = "1000\t1000\t1000\t1000") throws {
        try fixture.add(pid, uids: uids, program: program)
        try FileManager.default.createDirectory(
            atPath: fixture.path(of: "fd", pid), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: fixture.path(of: "fd/7", pid), withDestinationPath: ProcessFixture.servedDevice)
    }

    private var imageIdentity: Identity { ProcessFixture.identity(.executable, image) }

    @Test func aProgramInAnAppImageIsTheAppImage() throws {
        try serve(50, image)
        #expect(try fixture.identity(of: 42) == imageIdentity)
        // Started twice.
        try mount(["My\\040Editor.AppImage", "My\\040Editor.AppImage"])
        try serve(51, image)
        #expect(try fixture.identity(of: 42) == imageIdentity)
    }

    @Test func aFileSystemWithoutAServerOfItsNameIsNotThatAppImage() throws {
        #expect(try fixture.identity(of: 42) == fixture.executable)
        try serve(50, image)
        try mount(["My\\040Editor.AppImage", "My\\040Editor.AppImage"])
        #expect(try fixture.identity(of: 42) == fixture.executable)
        try mount(["Other.AppImage"])
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }

    @Test func twoAppImagesOfOneNameAreNotTakenForEachOther() throws {
        let other = try fixture.directory.write(Self.appImage, to: "other/My Editor.AppImage")
        try mount(["My\\040Editor.AppImage", "My\\040Editor.AppImage"])
        try serve(50, image)
        try serve(51, other)
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }

    @Test func aServerThatIsNotAnAppImageOrNotOfThisUserDoesNotCount() throws {
        try serve(50, image, uids: "1001\t1001\t1001\t1001")
        #expect(try fixture.identity(of: 42) == fixture.executable)
        let plain = try fixture.directory.write("a server of files", to: "plain/My Editor.AppImage")
        try serve(51, plain)
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }

    @Test func aProgramOnAnOrdinaryDiskIsItself() throws {
        try serve(50, image)
        try mount(["My\\040Editor.AppImage"], type: "ext4")
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }
}
