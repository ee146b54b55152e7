#if DEBUG
    import CDBus
    import DictationConfiguration
    import DictationCore
    import DictationInterface
    import EventLoop

    @testable import DBus
    @testable import DictationBus
    @testable import DictationWorker

    extension FuzzTarget {
        /// A message from the bus, in the wire format. libdbus validates it; it is counted and decoded; its values are
        /// converted to the calls and signals of the interface, and the options of a Start are read.
        static let busMessage = FuzzTarget("bus-message", seeds: busMessages) { bytes in
            guard let message = WireMessage.demarshalling(bytes) else { return }
            try require(message.bytes(atMost: 1 << 20) <= 1 << 20, "the size exceeds the most")
            guard let header = message.header,
                let body = try? message.body(within: .answer, of: "a message")
            else { return }
            try require(Signature(body.map(\.signature)) == message.signature, "the types have changed")
            try checkEncoding(header, body)
            try readCalls(body)
            if let member = header.member {
                try checkRoundTrip(body, (try? DictationSignal(member, body))?.body)
                try checkRoundTrip(body, (try? DictationPermissionsSignal(member, body))?.body)
            }
        }

        /// A decoded message can be sent again.
        private static func checkEncoding(_ header: Message, _ body: [Value]) throws {
            var copy = header
            copy.body = body
            let again = Result { () throws(DBus.DBusError) in try WireMessage.encoding(copy).countedBody() }
            switch again {
            case .success(let again): try checkRoundTrip(body, again)
            // Received values may be nested deeper than sent ones.
            case .failure(let error): try require(error.name == .limitsExceeded, "\(error)")
            }
        }

        /// Invalid arguments and options are refused.
        private static func readCalls(_ body: [Value]) throws(FuzzFailure) {
            for method in DictationMethod.allCases {
                guard case .start(let options) = try? DictationRequest(method, body) else { continue }
                _ = try? StartOptions(options, configuration: Configuration())
                _ = try? FormattingRequest(options, configuration: Configuration())
            }
            for method in DictationAgentMethod.allCases { _ = try? DictationAgentRequest(method, body) }
            for method in DictationAgentManagerMethod.allCases {
                _ = try? DictationAgentManagerRequest(method, body)
            }
            for method in DictationWorkerMethod.allCases { _ = try? DictationWorkerRequest(method, body) }
            for method in DictationBrokerMethod.allCases {
                guard case .hello(let worker) = try? DictationBrokerRequest(method, body) else { continue }
                guard let greeting = try? WorkerGreeting(worker) else { continue }
                try require(
                    greeting.lastSession < WorkerGreeting.sessionLimit, "no session has such a number")
            }
            for method in DictationPermissionsMethod.allCases {
                _ = try? DictationPermissionsRequest(method, body)
            }
        }

        /// - Parameter result: nil if the values were refused.
        private static func checkRoundTrip(_ body: [Value], _ result: [Value]?) throws(FuzzFailure) {
            guard let result, !body.contains(where: \.hasNaN) else { return }
            try require(result == body, "the values have changed")
        }

        // MARK: Seeds

        private static var busMessages: [[UInt8]] {
            var start = call("Start")
            let options: [BusText: Value] = [
                "language": .string("en-US"), "linger": .bool(true), "auto-commit": .uint32(900),
                "vocabulary": .array([.string("Kubernetes")], of: "s"), "formatting": .string("dictation"),
                "phrases": .array([.string("send it")], of: "s"), "quality": .string("high"),
            ]
            start.body = [Value(options)]
            var select = call("SelectRoute")
            select.body = [Value("alsa_input.usb"), Value([:] as [BusText: Value])]
            var engines = call("SetEngines")
            engines.body = [
                .objectPath("/agent"), .array([.string("whisper")], of: "s"),
                Value(["whisper": ["local": .bool(true)]] as [BusText: [BusText: Value]]),
            ]
            let partial = DictationSignal.partial(
                session: 1, block: 2, offset: 3, stable: "a ", volatile: "b", details: ["n": .double(0.5)])
            var signal = Message(.signal)
            (signal.path, signal.interface, signal.member) = (
                "/org/example/Dictation", .dictation, partial.member
            )
            signal.body = partial.body
            var error = Message(.error)
            (error.errorName, error.replySerial) = (.invalidArgs, 7)
            error.body = [.string("no")]
            var every = Message(.methodReturn)
            every.replySerial = 7
            every.body = [
                .byte(1), .int16(-1), .uint16(1), .int32(-1), .int64(-1), .uint64(1), .signature("a{sv}"),
                .array([.byte(1), .byte(2)], of: "y"), .structure([.variant(.variant(.bool(false)))]),
                .dictionary([.uint32(1): .structure([.double(1)])], key: "u", value: "(d)"),
            ]
            var hello = call("Hello")
            let worker: [BusText: Value] = [
                WorkerKey.protocol: .uint32(WorkerGreeting.version), WorkerKey.uid: .uint32(1000),
                WorkerKey.session: .uint64((1 << 62) - 1),
                WorkerKey.owners: .array(
                    [.structure([.string(":1.7"), .string("app"), .string("org.example.Notes")])], of: "(sss)"
                ),
                WorkerKey.applications: .array([], of: "(ss)"),
            ]
            hello.body = [Value(worker)]
            return [start, select, engines, hello, signal, error, every].compactMap(\.marshalled)
        }

        private static func call(_ member: MemberName) -> Message {
            var call = Message(.methodCall)
            (call.path, call.interface, call.member) = ("/org/example/Dictation", .dictation, member)
            return call
        }
    }

    extension InterfaceName {
        fileprivate static let dictation: InterfaceName = "org.example.Dictation"
    }

    extension WireMessage {
        /// Nil if libdbus refuses the bytes.
        fileprivate static func demarshalling(_ bytes: [UInt8]) -> WireMessage? {
            let pointer = bytes.withUnsafeBytes { bytes in
                dbus_message_demarshal(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
            }
            return pointer.map { WireMessage(owning: $0) }
        }
    }

    extension Message {
        /// In the wire format, with the serial number 1.
        fileprivate var marshalled: [UInt8]? {
            guard let message = try? WireMessage.encoding(self) else { return nil }
            dbus_message_set_serial(message.pointer, 1)
            var bytes: UnsafeMutablePointer<CChar>?
            var count: Int32 = 0
            guard dbus_message_marshal(message.pointer, &bytes, &count) != 0 else { return nil }
            defer { dbus_free(bytes) }
            return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }
    }

    extension Value {
        /// Whether it is not equal to itself.
        fileprivate var hasNaN: Bool {
            switch self {
            case .double(let number): number.isNaN
            case .array(let values, _), .structure(let values): values.contains(where: \.hasNaN)
            case .dictionary(let entries, _, _): entries.contains { $0.hasNaN || $1.hasNaN }
            case .variant(let value): value.hasNaN
            default: false
            }
        }
    }
#endif
