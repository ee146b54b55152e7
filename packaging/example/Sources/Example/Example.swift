import DictationClient

/// Prints the first block while it is spoken and when it is final.
@main
enum Example {
    static func main() async throws {
        var options = StartOptions()
        options.autoCommit = .seconds(1)
        let session = try await DictationClient().start(options)
        var text = BlockText()
        for try await event in session.events {
            switch event {
            case .partial(let partial):
                text.apply(partial)
                print("…", text.text)
            case .interrupted(let reason, _):
                print("Waiting:", reason.rawValue)
            case .final(let final):
                print(final.text)
                try await session.stop()
            default:
                break
            }
        }
    }
}
