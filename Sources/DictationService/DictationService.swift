public import DBus
import DictationCore
import DictationInterface
public import EventLoop
public import Logging
import Desktop
import Microphone
import Recognition

/// The bus object: learns who calls, decides whether they may, and hands the call to the caller's world.
public actor DictationService: ObjectHandler {
    private enum Caller {
        /// The bus is being asked who it is; the calls wait in order.
        case unknown([MethodCall])
        case known(Client)
    }

    private let loop: EventLoop
    private let connection: Connection
    private let outlet: Outlet
    private let configuration: Configuration
    private let engines: EngineCatalog
    private let policy: AccessPolicy
    private let desktop: any DesktopSession
    private let logger: Logger
    private var callers: [BusName: Caller] = [:]
    private var worlds: [UInt32: UserWorld] = [:]
    private var lastSession: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}
