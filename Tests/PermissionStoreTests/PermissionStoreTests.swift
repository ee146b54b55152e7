import DictationCore
import PermissionStore
import Testing

@Suite struct PermissionStoreTests {
    let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    @Test func aNewStoreHasNoDecisions() async throws {
        let store = try fixture.open()
        #expect(store.permission(of: .app(0)) == .notDetermined)
        #expect(store.records(ofUser: 1000).isEmpty)
        #expect(try await store.decisions(ofUser: 1000, limit: 10).isEmpty)
        #expect(store.setAside == nil)
    }

    @Test func decisionsSurviveARestart() async throws {
        try await fixture.fill()
        let store = try fixture.open()
        for (identity, permission) in StoreFixture.filled {
            #expect(store.permission(of: identity) == permission)
        }
        #expect(
            store.records(ofUser: 1000) == [
                PermissionRecord(identity: .app(0), permission: .granted, lastUsed: 4),
                PermissionRecord(
                    identity: .app(1), permission: Permission(microphone: .denied, speech: .denied)),
                PermissionRecord(
                    identity: .sandboxed, permission: Permission(microphone: .notDetermined, speech: .granted)
                ),
            ])
    }

    @Test func permissionsAreKeyedByUserKindAndNameBytes() async throws {
        let store = try fixture.open()
        let identity = Identity(uid: 1000, kind: .app, id: "caf\u{e9}")
        try await store.set(.granted, for: Resource.dictation, of: identity, by: "test", at: 1)
        let others = [
            Identity(uid: 1001, kind: .app, id: "caf\u{e9}"),
            Identity(uid: 1000, kind: .snap, id: "caf\u{e9}"),
            Identity(uid: 1000, kind: .app, id: "cafe\u{301}"),
            Identity(uid: 1000, kind: .app, id: "CAF\u{c9}"),
        ]
        for other in others { #expect(store.permission(of: other) == .notDetermined) }
        #expect(store.permission(of: identity) == .granted)
        #expect(store.records(ofUser: 1001).isEmpty)
    }

    /// `String` puts them in another order, and takes milliseconds for each comparison of such names.
    @Test func recordsAreInTheOrderOfTheirBytes() async throws {
        let store = try fixture.open()
        let marks = (0..<40).map { number in
            "/" + String(repeating: "\u{301}\u{323}", count: 1000 + number % 7) + "\u{316}\(number)"
        }
        let ids = ["z", "caf\u{e9}", "cafe\u{301}", "\u{1F600}", "\u{FFFD}"] + marks
        for id in ids {
            let identity = Identity(uid: 1000, kind: .executable, id: id)
            try await store.set(.denied, for: [.microphone], of: identity, by: "test", at: 1)
        }
        let expected = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(store.records(ofUser: 1000).map { Array($0.identity.id.rawValue.utf8) } == expected)
    }

    @Test func aDecisionChangesOneResource() async throws {
        let store = try fixture.open()
        try await store.set(.granted, for: Resource.dictation, of: .app(0), by: "test", at: 1)
        try await store.set(.denied, for: [.microphone], of: .app(0), by: "test", at: 2)
        #expect(store.permission(of: .app(0)) == Permission(microphone: .denied, speech: .granted))
    }

    @Test func aForgottenDecisionIsDeleted() async throws {
        try await fixture.fill()
        do {
            let store = try fixture.open()
            #expect(try await store.forget(.app(0), by: "settings", at: 9))
            #expect(try await store.forget(.app(0), by: "settings", at: 10) == false)
            #expect(store.permission(of: .app(0)) == .notDetermined)
        }
        let store = try fixture.open()
        #expect(store.permission(of: .app(0)) == .notDetermined)
        #expect(store.permission(of: .sandboxed).speech == .granted)
    }

    @Test func theLogListsAUsersDecisionsLatestFirst() async throws {
        let store = try fixture.open()
        let other = Identity(uid: 1001, kind: .app, id: "other")
        try await store.set(.granted, for: [.speech], of: .app(0), by: "portal", at: 100)
        try await store.set(.denied, for: [.speech], of: other, by: "terminal", at: 101)
        try await store.forget(.app(0), by: "settings", at: 102)
        let trail = try await store.decisions(ofUser: 1000, limit: 10)
        #expect(trail.map(\.time) == [102, 102, 100])
        #expect(trail.map(\.resource) == [.speech, .microphone, .speech])
        #expect(
            trail.last
                == PermissionDecision(
                    identity: .app(0), resource: .speech, status: .granted, prompter: "portal", time: 100))
        #expect(trail.first?.status == .notDetermined)
        #expect(try await store.decisions(ofUser: 1000, limit: 1).count == 1)
        #expect(try await store.decisions(ofUser: 1000, limit: -1).isEmpty)
    }

    @Test func theLogKeepsAThousandDecisionsPerUser() async throws {
        let store = try fixture.open()
        let other = Identity(uid: 1001, kind: .app, id: "other")
        try await store.set(.granted, for: [.speech], of: other, by: "test", at: 1)
        for time in 0..<510 {
            try await store.set(.granted, for: Resource.dictation, of: .app(0), by: "test", at: Int64(time))
        }
        let trail = try await store.decisions(ofUser: 1000, limit: .max)
        #expect(trail.count == 1000)
        #expect(trail.last?.time == 10)
        #expect(try await store.decisions(ofUser: 1001, limit: 10).count == 1)
    }

    @Test func storesTheLastUse() async throws {
        let store = try fixture.open()
        try await store.recordUse(of: .app(0), at: 5)
        #expect(store.records(ofUser: 1000).isEmpty)
        try await store.set(.granted, for: [.speech], of: .app(0), by: "test", at: 1)
        try await store.recordUse(of: .app(0), at: 6)
        try await store.set(.denied, for: [.speech], of: .app(0), by: "test", at: 7)
        #expect(store.records(ofUser: 1000).map(\.lastUsed) == [6])
    }

    @Test func refusesInvalidDecisions() async throws {
        let store = try fixture.open()
        let identities = [
            Identity(uid: 1000, kind: .unknown, id: ""), Identity(uid: 1000, kind: .unknown, id: "x"),
            Identity(uid: 1000, kind: .app, id: ""),
            Identity(uid: 1000, kind: .executable, id: String(repeating: "/a", count: 2049)),
        ]
        for identity in identities {
            let error = await #expect(throws: PermissionStoreError.self) {
                try await store.set(.granted, for: [.speech], of: identity, by: "test", at: 1)
            }
            #expect(error?.kind == .invalid)
            #expect(store.permission(of: identity) == .notDetermined)
        }
        let error = await #expect(throws: PermissionStoreError.self) {
            try await store.set(.restricted, for: [.speech], of: .app(0), by: "test", at: 1)
        }
        #expect(error?.kind == .invalid)
    }

    @Test func limitsApplicationsPerUser() async throws {
        let store = try fixture.open()
        for number in 0..<1000 {
            try await store.set(.denied, for: [.speech], of: .app(Int64(number)), by: "test", at: 1)
        }
        let error = await #expect(throws: PermissionStoreError.self) {
            try await store.set(.granted, for: [.speech], of: .app(1000), by: "test", at: 1)
        }
        #expect(error?.kind == .full)
        #expect(store.permission(of: .app(1000)) == .notDetermined)
        try await store.set(.granted, for: [.speech], of: .app(999), by: "test", at: 1)
        let other = Identity(uid: 1001, kind: .app, id: "other")
        try await store.set(.granted, for: [.speech], of: other, by: "test", at: 1)
        try await store.forget(.app(0), by: "test", at: 2)
        try await store.set(.granted, for: [.speech], of: .app(1000), by: "test", at: 3)
    }

    @Test func aClosedStoreKeepsEverythingAndRefusesMore() async throws {
        let store = try fixture.open()
        try await store.set(.denied, for: [.speech], of: .app(0), by: "test", at: 1)
        try store.close()
        let error = await #expect(throws: PermissionStoreError.self) {
            try await store.set(.granted, for: [.speech], of: .app(0), by: "test", at: 2)
        }
        #expect(error?.kind == .unavailable)
        #expect(store.permission(of: .app(0)).speech == .denied)
        #expect(try fixture.names() == ["permissions.db"])
        #expect(try fixture.open().permission(of: .app(0)).speech == .denied)
    }

    @Test func aDecisionIsStoredIfItsTaskIsCancelled() async throws {
        let store = try fixture.open()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.set(.denied, for: [.speech], of: .app(0), by: "test", at: 1)
        }
        try await task.value
        #expect(store.permission(of: .app(0)).speech == .denied)
    }

    @Test
    @MainActor
    func storesInTheOrderOfTheCalls() async throws {
        let store = try fixture.open()
        let tasks = (0..<20).map { number in
            Task.immediate {
                try await store.set(
                    number % 2 == 0 ? .granted : .denied, for: [.speech], of: .app(0), by: "test",
                    at: Int64(number))
            }
        }
        for task in tasks { try await task.value }
        let trail = try await store.decisions(ofUser: 1000, limit: 20)
        #expect(trail.map(\.time) == (0..<20).reversed().map { Int64($0) })
        #expect(store.permission(of: .app(0)).speech == .denied)
    }
}
