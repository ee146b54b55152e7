import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging
import PermissionStore

// org.example.Dictation.Permissions, for settings panels and command lines.

extension PermissionManager {
    /// Maximum number of decisions in a reply of Log.
    private static let longestLog = 1000

    func handle(_ request: DictationPermissionsRequest, _ call: MethodCall, from client: Client) {
        do throws(Refusal) {
            try perform(request, call, from: client)
        } catch {
            call.fail(DBusError(error))
        }
    }

    private func perform(
        _ request: DictationPermissionsRequest, _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        let uid = client.identity.uid
        switch request {
        case .list:
            listeners[call.sender] = uid
            let stored = store.records(ofUser: uid)
            let known = Set(stored.map(\.identity))
            let others = unstored.identities(ofUser: uid).filter { !known.contains($0) }
                .map { PermissionRecord(identity: $0, permission: .notDetermined) }
            let clients = (stored + others).map { record in
                details(of: record, permission(of: record.identity))
            }
            call.reply(DictationPermissionsReply.list(clients: clients).body)
        case .set(let details, let resource, let status):
            let identity = try Identity(details, uid: uid)
            let resource = try Resource(word: resource)
            guard !isAdministered(identity, resource) else {
                throw Refusal(.permissionDenied, "The administrator has decided about this application.")
            }
            let resources = [resource]
            let status = try PermissionStatus(word: status)
            answer(call) { manager in
                if status == .granted, let refusal = await manager.refusal(ofGrantBy: call, from: client) {
                    return refusal
                }
                return await manager.decide(status, for: resources, of: identity, by: client.settings)
            }
        case .forget(let details):
            let identity = try Identity(details, uid: uid)
            answer(call) { await $0.forget(identity, by: client.settings) }
        case .check(let details):
            let identity = try Identity(details, uid: uid)
            let status = permission(of: identity).statuses(of: Resource.allCases)
            call.reply(DictationPermissionsReply.check(status: status).body)
        case .log(let limit):
            guard (1...Self.longestLog).contains(Int(limit)) else {
                throw Refusal(.invalidArguments, "The limit must be from 1 to \(Self.longestLog).")
            }
            perform { await $0.replyWithLog(limit: Int(limit), ofUser: uid, to: call) }
        }
    }

    /// The receivers of a user's Changed signals.
    func listeners(ofUser uid: UInt32) -> [BusName] {
        listeners.filter { $0.value == uid }.map(\.key)
    }

    private func answer(
        _ call: MethodCall, _ act: @escaping @EventLoopActor (PermissionManager) async -> Refusal?
    ) {
        perform { manager in
            if let refusal = await act(manager) {
                call.fail(DBusError(refusal))
            } else {
                call.reply(DictationPermissionsReply.done.body)
            }
        }
    }

    private func forget(_ identity: Identity, by prompter: String) async -> Refusal? {
        let hasTyping = permission(of: identity).typing != .notDetermined
        handle(.forgotten(identity))
        await obeyBeforeItIsStored(.notDetermined, for: Resource.allCases, of: identity)
        do throws(PermissionStoreError) {
            try await store.forget(identity, by: prompter, at: Self.now)
        } catch {
            return await withdraw(.notDetermined, for: Resource.allCases, of: identity, error)
        }
        unstored.remove(Resource.allCases, of: identity)
        let resources = hasTyping ? Resource.allCases : Resource.dictation
        await changed(identity, resources)
        return nil
    }

    private func replyWithLog(limit: Int, ofUser uid: UInt32, to call: MethodCall) async {
        do throws(PermissionStoreError) {
            let decisions = try await store.decisions(ofUser: uid, limit: limit)
            call.reply(DictationPermissionsReply.log(decisions: decisions.map(\.details)).body)
        } catch {
            call.fail(DBusError(Refusal(error)))
        }
    }

    private func details(of record: PermissionRecord, _ permission: Permission) -> [BusText: Value] {
        var details = record.identity.details
        for resource in Resource.allCases {
            details[BusText(resource.rawValue)] = .string(permission[resource].rawValue)
        }
        details[ClientKey.lastUsed] = record.lastUsed.map { .int64($0) }
        return details
    }
}

extension Client {
    /// The program in which the user decided, for the audit log.
    fileprivate var settings: String { "settings \(identity.id)" }
}

extension PermissionDecision {
    fileprivate var details: [BusText: Value] {
        identity.details.merging([
            DecisionKey.time: .int64(time), DecisionKey.resource: .string(resource.rawValue),
            DecisionKey.status: .string(status.rawValue), DecisionKey.prompter: .string(prompter),
        ]) { $1 }
    }
}

extension PermissionStatus {
    /// A status that a user can choose.
    fileprivate init(word: BusText) throws(Refusal) {
        let word = try word.limited(to: .name, "A status")
        guard let status = PermissionStatus(rawValue: word), status != .restricted else {
            throw Refusal(
                .invalidArguments,
                "The status must be 'granted', 'denied' or 'not-determined', not '\(word)'.")
        }
        self = status
    }
}

extension Refusal {
    init(_ error: PermissionStoreError) {
        let kind: Kind =
            switch error.kind {
            case .invalid: .invalidArguments
            case .full: .limitExceeded
            case .refused, .unavailable, .inUse, .newer, .corrupt: .fileWrite
            }
        self.init(kind, error.description)
    }
}
