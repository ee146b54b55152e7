/// A deterministic PipeWire server without hardware and without a bus.
enum PipeWireConfiguration {
    /// A graph at 16 kHz in cycles of 20 ms, so that what is captured equals what was emitted bit by bit.
    /// - Parameter isRealTime: with the real-time priority of a desktop's server, if this process may give it.
    static func server(isRealTime: Bool) -> String {
        """
        context.properties = {
            core.daemon = true
            core.name = pipewire-0
            support.dbus = false
            mem.allow-mlock = \(isRealTime)
            log.level = 1
            default.clock.rate = 16000
            default.clock.allowed-rates = [ 16000 44100 48000 ]
            default.clock.quantum = 320
            default.clock.min-quantum = 64
            default.clock.max-quantum = 8192
            clock.power-of-two-quantum = false
        }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            audio.adapt = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-metadata }
            { name = libpipewire-module-spa-node-factory }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-client-device }
            { name = libpipewire-module-access }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-link-factory }
            { name = libpipewire-module-session-manager }
            \(isRealTime ? "{ name = libpipewire-module-rt, flags = [ ifexists nofail ] }" : "")
        ]
        context.objects = [
            {   factory = spa-node-factory
                args = {
                    factory.name = support.node.driver
                    node.name = Dummy-Driver
                    node.group = pipewire.dummy
                    priority.driver = 20000
                }
            }
        ]
        """
    }
}
