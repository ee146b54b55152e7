internal import DBus
internal import EventLoop

/// Asks KWin over the session's bus. It answers where there are several layouts.
@EventLoopActor
struct KDELayout {
    /// Of the session's bus.
    let address: String?

    private static let keyboard: BusName = "org.kde.keyboard"
    private static let timeout = Duration.seconds(1)

    func read() async throws -> ReportedLayout {
        let connection = try await Connection(to: address.map { .custom($0) } ?? .session)
        do {
            let layout = try await layout(connection)
            await connection.close(within: Self.timeout)
            return layout
        } catch {
            await connection.close(within: Self.timeout)
            throw error
        }
    }

    private func layout(_ connection: Connection) async throws -> ReportedLayout {
        guard try await connection.owner(of: Self.keyboard) != nil else { throw LayoutError.notReported }
        func call(_ member: MemberName) async throws -> [Value] {
            try await connection.call(
                destination: Self.keyboard, path: "/Layouts", interface: "org.kde.KeyboardLayouts",
                member: member, timeout: Self.timeout)
        }
        let index = try await call("getLayout").decoded(as: UInt32.self)
        // The short name, one that the user has chosen, and one for people.
        guard case .array(let layouts, _)? = try await call("getLayoutsList").first,
            layouts.indices.contains(Int(index)), case .structure(let names) = layouts[Int(index)],
            let name = names.first.flatMap({ String($0) }),
            let description = names.last.flatMap({ String($0) })
        else { throw LayoutError.failed("KWin's answer is not that of its interface") }
        return .named(name, variant: "", description: description)
    }
}
