internal import CPipeWire

/// The relevant properties of a node. The registry lists some of them, the node itself all.
struct NodeProperties: Hashable {
    /// `media.class`
    var mediaClass = ""
    /// `node.name`
    var name = DeviceText("")
    /// `node.description`
    var description = ""
    /// `object.serial`: like an ID, but never reused.
    var serial = ""
    /// `client.id`
    var client: ObjectID?
    /// `target.object`: the `node.name` or `object.serial` of the source that a stream asks for
    var target: String?
    /// `device.id`
    var device: ObjectID?
    /// `priority.session`
    var priority = 0
    /// `device.bus`, which most nodes leave to their device, or what `device.api` says of it
    var bus = ""
    /// `api.bluez5.profile`
    var bluetoothProfile: String?
    /// `media.role`
    var role = ""
    /// `application.name`
    var application = ""
    /// `application.process.binary`
    var binary = ""
    /// `stream.capture.sink`
    var capturesMonitor = false

    /// A microphone that users can choose, not one for a session manager's internal use (`Audio/Source/Internal`).
    var isSource: Bool { mediaClass == "Audio/Source" || mediaClass == "Audio/Source/Virtual" }

    var isCapture: Bool { mediaClass == "Stream/Input/Audio" }
}

/// The relevant properties of a client. Its nodes may omit them.
struct ClientProperties: Hashable {
    /// `application.name`
    var application = ""
    /// `application.process.binary`
    var binary = ""
}

extension ClientProperties {
    init(_ properties: OpaquePointer) {
        func text(_ key: String) -> String {
            dictation_properties_get(properties, key).map { DeviceText($0).text } ?? ""
        }
        application = text("application.name")
        binary = text("application.process.binary")
    }
}

extension NodeProperties {
    init(_ properties: OpaquePointer) {
        func text(_ key: String) -> String? {
            dictation_properties_get(properties, key).map { DeviceText($0).text }
        }
        func number<Number: FixedWidthInteger>(_ key: String) -> Number? {
            text(key).flatMap { Number($0) }
        }
        mediaClass = text("media.class") ?? ""
        name = dictation_properties_get(properties, "node.name").map { DeviceText($0) } ?? DeviceText("")
        description = text("node.description") ?? ""
        serial = text("object.serial") ?? ""
        client = number("client.id")
        target = text("target.object")
        device = number("device.id")
        priority = number("priority.session") ?? 0
        bus = text("device.bus") ?? (text("device.api") == "bluez5" ? "bluetooth" : "")
        bluetoothProfile = text("api.bluez5.profile")
        role = text("media.role") ?? ""
        application = text("application.name") ?? ""
        binary = text("application.process.binary") ?? ""
        capturesMonitor = ["true", "1"].contains(text("stream.capture.sink"))
    }
}
