import Foundation

/// A session manager that sets defaults and links streams as on a desktop, without devices, a bus or stored state.
struct WirePlumberConfiguration {
    /// Files of its folder, by their path in it.
    let files: [String: String]
    /// Copied into the folder: where from, by the path in it.
    let copies: [String: String]
    let arguments: [String]

    /// Fits the WirePlumber that is installed: 0.4 is configured in Lua, 0.5 by profiles.
    static var installed: WirePlumberConfiguration {
        FileManager.default.fileExists(atPath: luaFunctions) ? lua : profile
    }

    /// The functions that the policy in Lua calls. WirePlumber 0.4 reads them from a folder of the same name.
    private static let luaFunctions = "/usr/share/wireplumber/main.lua.d/00-functions.lua"

    private static let lua = WirePlumberConfiguration(
        files: ["wireplumber.conf": components, "policy.lua.d/50-policy.lua": policy],
        copies: ["policy.lua.d/00-functions.lua": luaFunctions],
        arguments: ["-c", "wireplumber.conf"])

    /// The installed configuration, with a profile of its own.
    private static let profile = WirePlumberConfiguration(
        files: [
            "wireplumber.conf.d/test.conf": """
            wireplumber.profiles = {
                test = { inherits = [ policy, mixin.systemwide-session, mixin.stateless ] }
            }
            """
        ],
        copies: ["wireplumber.conf": "/usr/share/wireplumber/wireplumber.conf"],
        arguments: ["-c", "wireplumber.conf", "-p", "test"])

    private static let components = """
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

    private static let policy = """
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
}
