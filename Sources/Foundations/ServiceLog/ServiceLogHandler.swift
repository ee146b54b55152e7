public import Logging

/// Makes all texts in records safe and passes them to another handler.
public struct ServiceLogHandler: LogHandler {
    private var handler: any LogHandler

    public init(_ handler: any LogHandler) {
        self.handler = handler
    }

    /// Writes to standard error.
    public static func standardError(label: String) -> ServiceLogHandler {
        ServiceLogHandler(StreamLogHandler.standardError(label: label))
    }

    public func log(event: LogEvent) {
        var event = event
        event.message = "\(LogText.safe(event.message.description, atMost: LogText.messageBytes))"
        event.metadata = event.metadata.map { $0.mapValues(Self.safe) }
        if let error = event.error.take() {
            event.metadata = (event.metadata ?? [:]).merging(["error": Self.safe("\(error)")]) { $1 }
        }
        handler.log(event: event)
    }

    public var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue.mapValues(Self.safe) }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue.map(Self.safe) }
    }

    public var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    public var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    private static func safe(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .string(let text): .string(LogText.safe(text))
        case .stringConvertible(let text): .string(LogText.safe(text.description))
        case .array(let values): .array(values.map(safe))
        case .dictionary(let values): .dictionary(values.mapValues(safe))
        }
    }
}
