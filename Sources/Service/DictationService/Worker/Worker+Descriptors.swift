import DBus
import DictationCore
import DictationInterface
import EventLoop
import RecordingFiles

// Checks of the files, pipes and folders that Start gets. They follow the check of permission. A file system may not answer,
// so a thread looks at them, and the session begins when it has.

extension Worker {
    /// The thread that will read the file checks it. After that the session begins or the call fails.
    func examine(
        _ file: Descriptor, for session: SessionID, _ start: StartOptions, _ call: MethodCall,
        from client: Client
    ) throws(Refusal) {
        let lease = try budgets.requireLease(.inputs, of: .caller(client.identity, call.sender))
        let name = call.sender
        try world.examineInput(file, for: session, lease: lease) { [weak self] result in
            switch result {
            case .success(let isRecorded):
                var start = start
                start.transcription.isRecorded = isRecorded
                start.transcription.inputWaits = true
                self?.endPendingStart(of: name, beginning: (start, client))
            case .failure(let refusal): self?.endPendingStart(of: name, refusal)
            }
        }
        awaitCheck(of: StartOption.input, for: session, call)
    }

    /// The thread that will write the recording checks its descriptor. After that the session begins or the call fails.
    func examine(
        _ target: Descriptor, for recording: RecordingRequest, _ session: SessionID, _ start: StartOptions,
        _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        let lease = try budgets.requireLease(.recordings, of: .caller(client.identity, call.sender))
        let name = call.sender
        let folderRefusal = RecordingPolicy.refusalOfFolder(from: client.identity)
        do throws(RecordingError) {
            try world.examineRecording(
                recording, into: target, takesFolder: folderRefusal == nil, for: session, lease: lease
            ) { [weak self] error in
                if let error {
                    let refusal = RecordingPolicy.refusal(error, ofFolder: folderRefusal)
                    self?.endPendingStart(of: name, refusal)
                } else {
                    self?.endPendingStart(of: name, beginning: (start, client))
                }
            }
        } catch {
            throw RecordingPolicy.refusal(error, ofFolder: folderRefusal)
        }
        awaitCheck(of: StartOption.record, for: session, call)
    }

    private func awaitCheck(
        of option: BusText, for session: SessionID, _ call: MethodCall
    ) {
        let name = call.sender
        let deadline = EventLoopActor.schedule(after: PendingStart.timeout) { [weak self] in
            let refusal = Refusal(
                .timeout, "The file system of '\(option)' did not answer within \(PendingStart.timeout).")
            self?.endPendingStart(of: name, refusal)
        }
        var pending = pendingStarts[name] ?? PendingStart(call: call)
        pending.check = PendingStart.Check(session: session, deadline: deadline)
        suspend(pending)
    }
}
