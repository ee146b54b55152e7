import DBus
import DictationCore
import DictationInterface
import EventLoop

// Questions about permission, and changes of it.

extension DictationService {
    func apply(_ change: PermissionManager.Change) {
        switch change {
        case .allowedOnce(let client, let resources):
            worlds[client.identity.uid]?.post(.allowedOnce(client, resources))
            guard let name = BusName(client.name.rawValue) else { return }
            for resource in resources { tell(resource, .granted, to: [name], of: client.identity.uid) }
        case .decided(let identity, let permission, let resources):
            worlds[identity.uid]?.post(.permission(identity, permission.ofDictation))
            if Resource.dictation.contains(where: { [.denied, .restricted].contains(permission[$0]) }) {
                leftSessions.remove(of: identity)
            }
            let names = callers.names(of: identity)
            for resource in resources {
                if resource != .typing {
                    tell(resource, permission[resource], to: names, of: identity.uid)
                }
                announce(identity, resource, permission[resource])
            }
        }
    }

    private func tell(
        _ resource: Resource, _ status: PermissionStatus, to names: [BusName], of uid: UInt32
    ) {
        messageSender.tell(resource, status, to: names, of: uid)
    }

    /// Signals a change to those who show the user's permissions.
    private func announce(_ identity: Identity, _ resource: Resource, _ status: PermissionStatus) {
        let change = DictationPermissionsSignal.changed(
            client: identity.details, resource: resource.rawValue, status: status.rawValue)
        let names = permissions.listeners(ofUser: identity.uid)
        messageSender.tell(change, to: names, of: identity.uid)
    }

    func requestPermission(
        _ words: [BusText], _ options: [BusText: Value], _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        let waits = try OptionReader(options: options).bool(RequestPermissionOption.wait) ?? true
        var resources: [Resource] = []
        for word in words {
            let resource = try Resource(word: word)
            guard resource != .typing else {
                throw Refusal(
                    .invalidArguments,
                    "Permission for typing is asked for with RequestPermission of "
                        + "org.example.Dictation.Typing, on the session bus.")
            }
            if !resources.contains(resource) { resources.append(resource) }
        }
        permissions.request(resources, waits: waits, call, from: client)
    }
}
