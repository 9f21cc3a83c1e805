import Configuration
import Foundation
import MusterTerminal

/// The settings of `muster serve` that do not come from the command line: those of the environment, which override a
/// configuration file. The command line overrides both. A setting that none of them sets has the default shown by
/// `muster serve --help`.
struct ServeSettings: Sendable {
    /// A setting that has a value.
    struct Value: Sendable {
        let setting: Setting
        /// One value, or several for a list, or `true` or `false` for a flag.
        let texts: [String]
        /// The source for people: `MUSTER_PORT`, `/etc/muster/muster.conf line 3`.
        let source: String

        /// The equivalent arguments on the command line.
        var arguments: [String] {
            switch setting.kind {
            case .flag: texts == ["true"] ? ["--\(setting.name)"] : []
            case .value, .file, .list: texts.map { "--\(setting.name)=\($0)" }
            }
        }
    }

    /// The settings that have a value, in the order of `Setting.all`.
    private(set) var values: [Value] = []
    /// The errors in the file and the environment, each with its source.
    private(set) var faults: [String]
    /// The variables of the environment that are named like settings but are none.
    let unknownVariables: [String]

    /// Reads the environment, and the file at `path` or in `MUSTER_CONFIG`.
    ///
    /// - Throws: `CommandFailure` if the file cannot be read.
    init(path: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let path = path ?? environment["MUSTER_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        try self.init(file: path.map { try ConfigurationFile(path: $0) }, environment: environment)
    }

    init(file: ConfigurationFile?, environment: [String: String]) {
        faults = file?.faults ?? []
        let known = Setting.otherVariables.union(Setting.all.map(\.variable))
        unknownVariables = environment.keys.filter { $0.hasPrefix(Setting.prefix) && !known.contains($0) }.sorted()
        let lines = Dictionary(file?.lines.map { ($0.name, $0) } ?? [], uniquingKeysWith: { $1 })
        let ofFile = Self.reader(lines.mapValues(\.value))
        let ofEnvironment = Self.reader(environment)
        for setting in Setting.all {
            do {
                if let texts = try Self.texts(of: setting, in: ofEnvironment) {
                    values.append(Value(setting: setting, texts: texts, source: setting.variable))
                } else if let file, let line = lines[setting.variable],
                    let texts = try Self.texts(of: setting, in: ofFile)
                {
                    let source = "\(file.path) line \(line.number)"
                    values.append(Value(setting: setting, texts: texts, source: source))
                }
            } catch {
                let isOfEnvironment = environment[setting.variable]?.isEmpty == false
                let line = lines[setting.variable].map { "\(file?.path ?? "") line \($0.number): " } ?? ""
                faults.append("\(isOfEnvironment ? "" : line)\(setting.variable) is neither true nor false")
            }
        }
    }

    /// Returns the arguments of `muster serve`, with those that the settings add.
    ///
    /// - Throws: `CommandFailure` with all errors in the file and the environment.
    func complete(_ arguments: [String]) throws -> [String] {
        guard faults.isEmpty else { throw CommandFailure(faults.joined(separator: "\n")) }
        let added = values.filter { value in
            let option = "--\(value.setting.name)"
            return !arguments.contains { $0 == option || $0.hasPrefix(option + "=") }
        }
        return arguments + added.flatMap(\.arguments)
    }

    /// Returns a sentence for each option in an error message whose value a setting supplied.
    func sources(ofOptionsIn message: String) -> [String] {
        values.filter { message.contains("--\($0.setting.name)") }
            .map { "--\($0.setting.name) is set by \($0.source)" }
    }

    private static func reader(_ variables: [String: String]) -> ConfigReader {
        let set = variables.filter { !$0.value.isEmpty }
        return ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: set))
    }

    /// Returns the values of a setting; nil if it has none.
    private static func texts(of setting: Setting, in reader: ConfigReader) throws -> [String]? {
        let key = ConfigKey([String(Setting.prefix.dropLast()).lowercased(), setting.name])
        guard let text = reader.string(forKey: key) else { return nil }
        switch setting.kind {
        case .value, .file: return [text]
        case .list: return reader.stringArray(forKey: key)?.filter { !$0.isEmpty } ?? []
        case .flag: return [try reader.requiredBool(forKey: key) ? "true" : "false"]
        }
    }
}
