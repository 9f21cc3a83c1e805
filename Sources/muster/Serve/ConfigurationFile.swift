import Foundation
import MusterTerminal

/// A configuration file in the form of systemd's `EnvironmentFile=`: lines `NAME=value`, empty lines, and comment lines
/// that begin with `#`. Quotation marks around a whole value are removed.
struct ConfigurationFile: Sendable {
    /// A line with a setting.
    struct Line: Sendable {
        let number: Int
        let name: String
        let value: String
    }

    let path: String
    private(set) var lines: [Line] = []
    /// The errors in the file, each with its line.
    private(set) var faults: [String] = []

    /// The largest file that is read.
    static let byteLimit = 1 << 20

    /// Reads a file. Lines with errors are collected in `faults`.
    ///
    /// - Throws: `CommandFailure` if the file cannot be read, or is too large.
    init(path: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandFailure("the configuration file \(path) cannot be read: \(Self.reason(error))")
        }
        guard data.count <= Self.byteLimit else {
            throw CommandFailure("the configuration file \(path) has \(data.count) bytes; \(Self.byteLimit) at most")
        }
        self.init(path: path, text: String(decoding: data, as: UTF8.self))
    }

    init(path: String, text: String) {
        self.path = path
        var seen: [String: Int] = [:]
        // Editors of other systems write a byte-order mark, and end lines with CRLF, which is one Character.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        let wholeLines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, whole) in wholeLines.enumerated() {
            let number = index + 1
            let line = whole.trimmingCharacters(in: .whitespaces.union(.newlines))
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            guard parts.count == 2, !name.isEmpty else {
                faults.append("\(path) line \(number): '\(line.prefix(80))' is not of the form NAME=value")
                continue
            }
            if let before = seen[name] {
                faults.append("\(path) line \(number): \(name) is set in line \(before) already")
            } else if let fault = Self.fault(of: name) {
                faults.append("\(path) line \(number): \(fault)")
            }
            seen[name] = number
            let value = parts[1].trimmingCharacters(in: .whitespaces)
            lines.append(Line(number: number, name: name, value: Self.unquoted(value)))
        }
    }

    private static func fault(of name: String) -> String? {
        let settings = Setting.all.map(\.variable)
        if settings.contains(name) { return nil }
        if Setting.otherVariables.contains(name) { return "\(name) is read from the environment only" }
        return "there is no setting \(name).\(Suggestion.sentence(for: name, among: settings))"
    }

    private static func unquoted(_ value: String) -> String {
        for quote in ["\"", "'"] where value.count >= 2 && value.hasPrefix(quote) && value.hasSuffix(quote) {
            return String(value.dropFirst().dropLast())
        }
        return value
    }

    private static func reason(_ error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
        case .fileReadNoPermission?: "permission denied"
        default: error.localizedDescription
        }
    }
}
