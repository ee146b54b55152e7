/// A deterministic PipeWire server and session manager without hardware and without a bus.
enum PipeWireConfiguration {
    /// A graph at 16 kHz in cycles of 20 ms, so that what is captured equals what was emitted bit by bit.
    /// - Parameter isRealTime: with the real-time priority of a desktop's server, if this process may give it.
    static func server(isRealTime: Bool) -> String {
        """
        context.properties = {
            core.daemon = true
            core.name = pipewire-0
            support.dbus = false
            mem.allow-mlock = false
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

    static let sessionManager = """
        context.properties = {
            log.level = 1
            support.dbus = false
            wireplumber.script-engine = lua-scripting
        }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-client-device }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-metadata }
            { name = libpipewire-module-session-manager }
        ]
        wireplumber.components = [
            { name = libwireplumber-module-lua-scripting, type = module }
            { name = policy.lua, type = config/lua }
        ]
        """

    /// Defaults and links, as a desktop's session manager chooses them; no devices, no stored state.
    static let policy = """
        load_module("metadata")
        load_module("default-nodes", { ["use-persistent-storage"] = false })
        load_module("si-node")
        load_module("si-audio-adapter")
        load_module("si-standard-link")
        load_module("si-audio-endpoint")
        load_module("default-nodes-api")
        load_script("access/access-default.lua", {})
        load_script("create-item.lua", { ["audio.no-dsp"] = false })
        load_script("policy-node.lua", {
            ["move"] = true, ["follow"] = true,
            ["audio.no-dsp"] = false, ["filter.forward-format"] = false,
        })
        """

    /// The Lua functions that the policy calls, which WirePlumber reads from a folder of the same name.
    static let functions = "/usr/share/wireplumber/main.lua.d/00-functions.lua"
}
