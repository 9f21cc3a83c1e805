import ArgumentParser
import MusterGeometry
import MusterServer
import MusterWire

/// The feeds of official warnings (docs/warnings.md).
struct WarningOptions: ParsableArguments {
    @Option(
        name: .customLong("warnings"),
        help: ArgumentHelp(
            "A feed of official warnings (CAP 1.2), and the team whose leaders see them; may be repeated.",
            valueName: "team=url"))
    var warnings: [String] = []
    @Option(
        name: .customLong("warnings-severity"),
        help: "The lowest severity of warnings that are shown: minor, moderate, severe or extreme. All by default.")
    var warningsSeverity: String?
    @Option(
        name: .customLong("warnings-language"),
        help: "The language of warnings that come in several, such as es; by default the feed's first.")
    var warningsLanguage: String?
    @Option(
        name: .customLong("warnings-area"),
        help: "Show only warnings that touch this box: south,west,north,east in degrees.")
    var warningsArea: String?
    @Option(name: .customLong("warnings-seconds"), help: "Seconds between two looks at a feed of warnings.")
    var warningsSeconds: Double = 60

    func validate() throws {
        let sources = try sources
        guard sources.count <= Configuration.Warnings.sourceLimit else {
            throw ValidationError(
                "--warnings: \(sources.count) feeds; \(Configuration.Warnings.sourceLimit) at most")
        }
        for (index, source) in sources.enumerated() where sources[..<index].contains(source) {
            throw ValidationError("--warnings: a feed is given twice for the team \(source.team)")
        }
        if let warningsSeverity, CAPAlert.Severity(word: warningsSeverity) == nil {
            throw ValidationError(
                "--warnings-severity: '\(warningsSeverity)' is not minor, moderate, severe or extreme")
        }
        if let warningsLanguage, warningsLanguage.wholeMatch(of: /[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}/) == nil {
            throw ValidationError("--warnings-language: '\(warningsLanguage)' is not a language, such as es")
        }
        if let warningsArea, BoundingBox(setting: warningsArea) == nil {
            throw ValidationError("--warnings-area: '\(warningsArea)' is not south,west,north,east in degrees")
        }
        try ValidationError.require("--warnings-seconds", warningsSeconds, in: 1...3_600)
    }

    private var sources: [Configuration.Warnings.Source] {
        get throws {
            try warnings.map { text in
                do throws(WarningSettingError) {
                    return try Configuration.Warnings.Source(text)
                } catch {
                    throw ValidationError("--warnings: \(error)")
                }
            }
        }
    }

    /// What the options say.
    var settings: Configuration.Warnings {
        get throws {
            var settings = Configuration.Warnings()
            settings.sources = try sources
            settings.minimum = warningsSeverity.flatMap { CAPAlert.Severity(word: $0) }
            settings.language = warningsLanguage
            settings.area = warningsArea.flatMap { BoundingBox(setting: $0) }
            settings.intervalSeconds = warningsSeconds
            return settings
        }
    }
}
