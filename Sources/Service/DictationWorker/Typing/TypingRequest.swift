import DBus
import DictationBus
import DictationCore
import DictationInterface

/// What the options of Start say about typing.
struct TypingRequest {
    var choice: RouteChoice
    var showsLiveText: Bool

    /// The variables that routes read.
    private static let displayVariables: Set<String> = [
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "HYPRLAND_INSTANCE_SIGNATURE", "IBUS_ADDRESS",
        "IBUS_ADDRESS_FILE", "SWAYSOCK", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME",
        "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR",
    ]

    /// - Parameter environment: of this process.
    init(
        _ options: [BusText: Value], by client: Client, environment: [String: String]
    ) throws(Refusal) {
        let reader = OptionReader(options: options)
        choice = RouteChoice(
            environment: try Self.display(reader, by: client, environment),
            usesKeyboard: try reader.bool(StartOption.typeKeyboard) ?? false,
            usesClipboard: try reader.bool(StartOption.typeClipboard) ?? false)
        showsLiveText = try reader.bool(StartOption.typeLive) ?? true
    }

    /// Whether Start asks for typing.
    static func isIn(_ options: [BusText: Value]) throws(Refusal) -> Bool {
        try OptionReader(options: options).bool(StartOption.type) ?? false
    }

    /// The part of an environment that says where the windows are.
    static func display(in environment: [String: String]) -> [BusText: String] {
        let found = environment.filter { displayVariables.contains($0.key) && !$0.value.isEmpty }
        return Dictionary(uniqueKeysWithValues: found.map { (BusText($0), $1) })
    }

    private static func display(
        _ reader: OptionReader, by client: Client, _ environment: [String: String]
    ) throws(Refusal) -> [String: String] {
        guard let display = try reader.texts(StartOption.display) else { return environment }
        guard client.identity.isKnown, !client.identity.isSandboxed else {
            throw Refusal(
                .accessDenied, "Applications in a sandbox may not choose the display: leave out 'display'.")
        }
        var chosen = environment.filter { !displayVariables.contains($0.key) }
        for (name, value) in display {
            guard displayVariables.contains(name.string) else {
                throw Refusal(
                    .invalidArguments,
                    "Option 'display' has these variables alone: \(displayVariables.sorted().joined(separator: ", "))."
                )
            }
            chosen[name.string] = try value.limited(to: .path, "A variable of option 'display'")
        }
        return chosen
    }
}
