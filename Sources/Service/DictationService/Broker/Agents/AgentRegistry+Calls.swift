import ClientIdentity
import DBus
import DictationInterface
import EventLoop
import Logging
import RecordingFiles

// The service's calls to agents. The bus keeps a slot for each reply until it comes or the agent's connection ends,
// even after a timeout, and has 128 such slots for all users together. So all calls go through here.

extension AgentRegistry {
    /// Calls an agent and waits for the reply. An agent that does not reply within `timeout` is unregistered.
    ///
    /// The call counts against the user's budget until the agent replies or its connection ends.
    /// - Parameters:
    ///   - timeout: with nil, waits until the reply comes or the task is cancelled.
    ///   - body: makes the call, with the timeout that it is given.
    func call<Output: Sendable>(
        _ agent: RegisteredAgent, within timeout: Duration? = RegisteredAgent.timeout,
        _ body: @escaping @Sendable (DictationAgentProxy, Duration?) async throws -> Output
    ) async throws -> Output {
        guard has(agent) else {
            throw DBusError(.serviceUnknown, "the agent \(agent.name) is no longer registered")
        }
        guard let lease = budgets.lease(.agentCalls, of: .user(agent.uid)) else {
            throw DBusError.limitsExceeded("too many calls to the user's agents are unanswered")
        }
        let result = FirstResult<Output>()
        let deadline = timeout.map { timeout in
            EventLoopActor.schedule(after: timeout) { [weak self] in
                let error = DBusError.noReply("the agent \(agent.name) did not reply within \(timeout)")
                guard result.settle(.failure(error)) else { return }
                self?.unregisterUnresponsive(agent)
            }
        }
        // Not a child of this task, because the slot is taken until the reply comes.
        Task {
            let reply: Result<Output, any Error>
            do {
                reply = .success(try await body(agent.proxy, nil))
            } catch {
                reply = .failure(error)
            }
            lease.end()
            deadline?.cancel()
            _ = result.settle(reply)
        }
        return try await withTaskCancellationHandler {
            try await result.value
        } onCancel: {
            _ = result.settle(.failure(CancellationError()))
        }
    }

    /// Asks an agent to identify a process. Only a few of a user's clients are identified at a time; the others wait,
    /// because an agent that has just started gets all of them at once.
    func identify(_ process: HeldProcess, by agent: RegisteredAgent) async throws -> [BusText: Value] {
        await waitForIdentification(ofUser: agent.uid)
        defer { endIdentification(ofUser: agent.uid) }
        return try await call(agent) { proxy, timeout in
            try await proxy.identify(pid: UInt32(process.pid), options: [:], timeout: timeout)
        }
    }

    /// Asks the user's agent for a connection to an engine.
    func openEngine(_ name: String, ofUser uid: UInt32) async throws -> Descriptor {
        guard let agent = latest(.engine, ofUser: uid) else {
            throw DBusError(.serviceUnknown, "No agent of this user can open connections to engines.")
        }
        guard let lease = budgets.lease(.engineConnections, of: .user(uid)) else {
            throw DBusError.limitsExceeded("Too many connections to engines are being opened.")
        }
        defer { lease.end() }
        return try await call(agent) { proxy, timeout in
            try await proxy.openEngine(name: BusText(name), timeout: timeout)
        }
    }

    /// Asks the user's agent whether it can make files in a folder.
    func checkRecordingFolder(_ folder: Descriptor, ofUser uid: UInt32) async throws {
        try await call(recorder(ofUser: uid)) { proxy, timeout in
            try await proxy.checkRecordingFolder(folder: folder, timeout: timeout)
        }
    }

    /// Asks the user's agent for a new file of a recording.
    func openRecording(
        in folder: Descriptor, prefix: String, number: Int, ofUser uid: UInt32
    ) async throws -> (name: String, file: Descriptor) {
        try await call(recorder(ofUser: uid)) { proxy, timeout in
            try await proxy.openRecording(
                folder: folder, prefix: BusText(prefix), number: UInt64(clamping: number), timeout: timeout)
        }
    }

    /// Asks the user's agent to remove a file of a recording.
    func removeRecording(_ file: RecordingFile, in folder: Descriptor, ofUser uid: UInt32) async throws {
        try await call(recorder(ofUser: uid)) { proxy, timeout in
            try await proxy.removeRecording(
                folder: folder, name: BusText(file.name), inode: file.inode, size: file.size,
                modified: file.modified, timeout: timeout)
        }
    }

    private func recorder(ofUser uid: UInt32) throws -> RegisteredAgent {
        guard let agent = latest(.recordings, ofUser: uid) else {
            throw DBusError(.serviceUnknown, "No agent of this user can create recording files.")
        }
        return agent
    }

    private func waitForIdentification(ofUser uid: UInt32) async {
        guard identifying[uid, default: 0] >= Self.identificationLimit else {
            return identifying[uid, default: 0] += 1
        }
        // The end of an identification starts the next one that waits.
        await withCheckedContinuation { waitingToIdentify[uid, default: []].append($0) }
    }

    private func endIdentification(ofUser uid: UInt32) {
        if let next = waitingToIdentify[uid]?.first {
            waitingToIdentify[uid]?.removeFirst()
            if waitingToIdentify[uid]?.isEmpty == true { waitingToIdentify[uid] = nil }
            return next.resume()
        }
        let rest = identifying[uid, default: 1] - 1
        identifying[uid] = rest == 0 ? nil : rest
    }

    private func unregisterUnresponsive(_ agent: RegisteredAgent) {
        guard has(agent) else { return }
        logger.notice(
            "an agent did not reply in time and is no longer registered",
            metadata: ["client": "\(agent.name)"])
        remove { $0.isSameRegistration(as: agent) }
        let proxy = DictationAgentProxy(
            connection: connection, destination: agent.name, path: agent.path, flags: .noReplyExpected)
        Task { [logger] in
            do {
                try await proxy.release()
            } catch {
                logger.debug(
                    "a signal to an agent was not sent",
                    metadata: ["client": "\(agent.name)", "why": "\(error)"])
            }
        }
        reportChange(ofUser: agent.uid)
    }
}
