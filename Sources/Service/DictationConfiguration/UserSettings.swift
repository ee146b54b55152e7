package import DBus
import DictationCore

/// Settings of a user's file, which the user's agent sends to the service of the machine.
package struct UserSettings: Sendable {
    private var configuration = Configuration()
    private var keys: [ConfigurationKey] = []

    package init() {}

    /// - Parameter values: as SetSettings has them. Unknown keys are ignored, because the agent may be newer.
    package init(_ values: [BusText: Value]) throws(SettingError) {
        for key in ConfigurationKey.ofUsers {
            guard let value = values[BusText(key.name)] else { continue }
            try key.set(value, in: &configuration)
            keys.append(key)
        }
    }

    /// Changes these settings of a configuration, except those that the administrator has set.
    package func apply(to other: inout Configuration) {
        for key in keys where !other.administered.contains(key.name) {
            key.copy(from: configuration, to: &other)
        }
    }
}

/// A value of SetSettings that is not valid.
package struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people.
    package var message: String

    package var description: String { message }
}

extension ConfigurationReading {
    /// The settings of the file, as SetSettings sends them. The bus has more limits than a file: values beyond them are left
    /// out, and are errors.
    package var userSettings: (values: [BusText: Value], errors: [SettingError]) {
        var values: [BusText: Value] = [:]
        var errors: [SettingError] = []
        for key in ConfigurationKey.ofUsers where names.contains(key.name) {
            guard let value = key.busValue(in: configuration) else { continue }
            do throws(SettingError) {
                var copy = configuration
                try key.set(value, in: &copy)
                values[BusText(key.name)] = value
            } catch {
                errors.append(error)
            }
        }
        return (values, errors)
    }
}
