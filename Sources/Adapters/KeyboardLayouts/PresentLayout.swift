import EventLoop

/// The layout of the keyboard that is in use now, of a desktop session.
///
/// sway, Hyprland, KWin and X11 report it. Other Wayland compositors report it only to the window with the focus.
public struct PresentLayout: Sendable {
    /// The variables that say where the desktop session is.
    public static let variables: Set<String> = [
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "HYPRLAND_INSTANCE_SIGNATURE", "SWAYSOCK",
        "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
    ]

    private let environment: [String: String]

    /// How long the desktop may take to answer.
    private static let timeout = Duration.seconds(2)

    /// - Parameter environment: of a program in the desktop session.
    public init(environment: [String: String]) { self.environment = environment }

    /// A file system that does not answer holds one thread, and not one for each call.
    @EventLoopActor private static var isReading = false

    /// Asks the desktop.
    @EventLoopActor
    public func read() async throws(LayoutError) -> KeyboardLayout {
        guard !Self.isReading else { throw .failed("an earlier question has no answer yet") }
        let result = FirstResult<KeyboardLayout>()
        let timer = EventLoopActor.schedule(after: Self.timeout) {
            _ = result.settle(.failure(LayoutError.failed("the desktop did not answer in time")))
        }
        defer { timer.cancel() }
        if let question {
            try look(for: question, result)
        } else if isWayland {
            Task {
                do {
                    let address = variable("DBUS_SESSION_BUS_ADDRESS")
                    let reported = try await KDELayout(address: address).read()
                    try look(for: { (_) throws(LayoutError) in reported }, result)
                } catch {
                    _ = result.settle(.failure(error))
                }
            }
        } else {
            throw .notReported
        }
        do {
            return try await result.value
        } catch {
            throw error as? LayoutError ?? .failed("\(error)")
        }
    }

    private typealias Question = @Sendable (ContinuousClock.Instant) throws(LayoutError) -> ReportedLayout

    /// What blocks until the desktop has answered; nil if nothing does.
    private var question: Question? {
        if isWayland {
            if let socket = variable("SWAYSOCK") {
                return { (deadline) throws(LayoutError) in
                    try SwayLayout(socket: socket).read(before: deadline)
                }
            }
            if let instance = variable("HYPRLAND_INSTANCE_SIGNATURE"),
                let folder = variable("XDG_RUNTIME_DIR")
            {
                return { (deadline) throws(LayoutError) in
                    try HyprlandLayout(folder: folder, instance: instance).read(before: deadline)
                }
            }
            // The screen of XWayland has not always the compositor's layout.
            return nil
        }
        guard let display = variable("DISPLAY") else { return nil }
        let authority = variable("XAUTHORITY") ?? variable("HOME").map { "\($0)/.Xauthority" }
        return { (deadline) throws(LayoutError) in
            try X11Layout(display: display, authority: authority).read(before: deadline)
        }
    }

    /// Asks on a thread of its own, and looks up the answer in the rules.
    @EventLoopActor
    private func look(for question: @escaping Question, _ result: FirstResult<KeyboardLayout>)
        throws(LayoutError)
    {
        let deadline = ContinuousClock.now + Self.timeout
        do throws(EventLoopError) {
            try OwnThread.start("layout") {
                let found = Result { () throws -> KeyboardLayout in
                    let reported = try question(deadline)
                    guard let rules = try TextFile.read(LayoutRules.path) else {
                        throw LayoutError.failed("\(LayoutRules.path) is missing: install xkeyboard-config")
                    }
                    return LayoutRules(rules).layout(reported)
                }
                EventLoopActor.execute { Self.isReading = false }
                _ = result.settle(found)
            }
        } catch {
            throw .failed("\(error)")
        }
        Self.isReading = true
    }

    private var isWayland: Bool { variable("WAYLAND_DISPLAY") != nil }

    private func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
}
