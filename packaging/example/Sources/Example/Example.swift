import DictationClient

/// Prints the first block while it is spoken and when it is final.
@main
enum Example {
    static func main() async {
        do {
            try await dictate()
        } catch {
            // A sentence that says what to do.
            print(error)
        }
    }

    private static func dictate() async throws(DictationError) {
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
            case .failed(let error):
                print(error)
            case .final(let final):
                print(final.text)
                text.clear()
                try await session.stop()
            case .stopped where !text.isEmpty:
                // Another program ended the session.
                print(text.text)
            default:
                break
            }
        }
    }
}
