import ArgumentParser
import Foundation
import MusterHTTP
import MusterServer
import MusterTerminal

/// `muster config`: shows the settings that `muster serve` would use.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Inspect the settings of the server.",
        subcommands: [Check.self])

    /// `muster config check`: whether `muster serve` would start with the environment and a configuration file.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "List the settings with their sources and errors.",
            discussion: "Exits with status 1 if muster serve would refuse them.")

        @Option(help: "The configuration file. MUSTER_CONFIG sets it too.", completion: .file()) var config: String?

        func run() async throws {
            let settings = try ServeSettings(path: config)
            var faults = settings.faults
            if faults.isEmpty { faults = await Self.refusals(of: settings) }
            faults += settings.values.filter { $0.setting.kind == .file }.flatMap(Self.unreadable)
            let width = settings.values.map(\.setting.name.count).max() ?? 0
            for value in settings.values {
                let name = value.setting.name.padding(toLength: width, withPad: " ", startingAt: 0)
                announce("\(name)  \(Self.shown(value).joined(separator: ", "))  (\(value.source))")
            }
            let (count, all) = (settings.values.count, Setting.all.count)
            announce("\(count) of \(all) settings are set; the others have their defaults.")
            for name in settings.unknownVariables {
                let meant = Suggestion.sentence(for: name, among: Setting.all.map(\.variable))
                remark("note: the environment has \(name), which is not a setting.\(meant)")
            }
            guard faults.isEmpty else { throw CommandFailure(faults.joined(separator: "\n")) }
            announce("muster serve accepts them.")
        }

        /// Returns the texts of a value. Of a feed of warnings only team, scheme and host are shown: the rest of its
        /// URL may hold a key.
        private static func shown(_ value: ServeSettings.Value) -> [String] {
            guard value.setting.name == "warnings" else { return value.texts }
            return value.texts.map { text in
                guard let source = try? Configuration.Warnings.Source(text) else { return "…" }
                return "\(source.team)=\(source.address.shown)/…"
            }
        }

        /// Returns the errors that `muster serve` reports for the values.
        private static func refusals(of settings: ServeSettings) async -> [String] {
            do {
                let serve = try Serve.parse(try settings.complete([]))
                return await StartCheck(serve: serve, names: Set(settings.values.map(\.setting.name))).refusals()
            } catch {
                let message = Serve.message(for: error)
                return [message] + settings.sources(ofOptionsIn: message)
            }
        }

        private static func unreadable(_ value: ServeSettings.Value) -> [String] {
            value.texts.filter { !FileManager.default.isReadableFile(atPath: $0) }
                .map { "\(value.source): there is no file \($0) that can be read" }
        }
    }
}
