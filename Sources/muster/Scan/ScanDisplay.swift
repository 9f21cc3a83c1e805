import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterTerminal
import MusterWire

/// Shows a scan: as a table that a terminal keeps up to date, as lines of JSON, or as lines of text.
actor ScanDisplay {
    /// How the scan is shown.
    private enum Style {
        case table, json, lines
    }

    private let style: Style
    private var table: ScanTable
    private var sent = 0
    private var waiting = 0
    private var failure: String?
    private var note: String?
    private var known: Set<Beacon> = []

    /// The number of beacons that are remembered, so that each is printed once.
    private static let knownLimit = 10_000

    init(isJSON: Bool, source: String) {
        style = isJSON ? .json : isatty(STDOUT_FILENO) == 1 ? .table : .lines
        table = ScanTable(source: source)
    }

    /// Shows an interval. Its sightings are on the disk, unless there is no server.
    func show(_ batch: SightingBatch, isWaiting count: Int) {
        waiting = count
        table.add(batch)
        switch style {
        case .json:
            guard !batch.sightings.isEmpty else { return }
            var writer = JSONWriter()
            for sighting in batch.sightings {
                writer.scan(sighting)
                writer.endLine()
            }
            StandardOutput.write(Data(writer.takeBytes()))
        case .lines:
            for sighting in batch.sightings where !known.contains(sighting.beacon) {
                if known.count >= Self.knownLimit { known.removeAll() }
                known.insert(sighting.beacon)
                announce("Heard " + ScanTable.cells(of: sighting).joined(separator: "  "))
            }
        case .table: draw()
        }
    }

    /// Shows a sentence about an event. Control characters are removed, because a server's text may hold commands for
    /// the terminal.
    func showMessage(_ words: String) {
        let sentence = words.filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        switch style {
        case .json: remark(sentence)
        case .lines: announce(sentence)
        case .table:
            note = sentence
            draw()
        }
    }

    /// Counts the sightings of a request that the server answered.
    func countProgress(_ progress: SightingSender.Progress) {
        sent += progress.sent
        waiting = max(0, waiting - progress.sent - progress.refused)
        if progress.refused > 0 {
            showMessage("The server refused \(progress.refused) sightings: \(progress.reason ?? "it gives no reason")")
        }
    }

    /// Records that the server has every sighting.
    func recordArrival() {
        waiting = 0
        guard failure != nil else { return }
        failure = nil
        showMessage("The server has everything again")
    }

    /// Shows why sightings wait, once for each reason.
    func showFailure(_ reason: String) {
        guard failure != reason else { return }
        failure = reason
        showMessage("Kept here: \(reason)")
    }

    /// Shows the end of a scan.
    func finish() {
        showMessage("Done: \(table.sightings) sightings\(sent > 0 ? ", \(sent) sent to the server" : "")")
        if style == .table { announce("") }
    }

    private func draw() {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        let state = failure.map { "kept here: \($0)" } ?? note ?? ""
        let text = table.text(
            rows: isKnown ? Int(size.ws_row) : 24, columns: isKnown ? Int(size.ws_col) : 80, sent: sent,
            waiting: waiting, state: state, now: .now)
        StandardOutput.write(Data(text.utf8))
    }
}

/// The table of the beacons that were heard recently.
struct ScanTable {
    private struct Row {
        var last: Sighting
        var count: Int
    }

    private let source: String
    private var rows: [Beacon: Row] = [:]
    private var counts = SightingBatch.Counts()
    /// The number of sightings since the start.
    private(set) var sightings = 0

    /// Seconds after its last sighting at which a beacon is removed from the table.
    private static let forgottenSeconds = 60.0
    /// The most beacons in the table.
    private static let rowLimit = 5_000

    init(source: String) { self.source = source }

    mutating func add(_ batch: SightingBatch) {
        sightings += batch.sightings.count
        counts.advertisements += batch.counts.advertisements
        counts.changingAddresses += batch.counts.changingAddresses
        counts.unknown += batch.counts.unknown
        counts.malformed += batch.counts.malformed
        for sighting in batch.sightings where rows[sighting.beacon] != nil || rows.count < Self.rowLimit {
            rows[sighting.beacon] = Row(last: sighting, count: (rows[sighting.beacon]?.count ?? 0) + 1)
        }
        rows = rows.filter { batch.until.seconds(since: $0.value.last.sampleTime) < Self.forgottenSeconds }
    }

    /// The beacon, its signal and its distance.
    static func cells(of sighting: Sighting) -> [String] {
        [
            sighting.beacon.text, sighting.signalStrength.map { "\(Int($0.rounded())) dBm" } ?? "",
            sighting.distance.map { String(format: "%.1f m", $0.value) } ?? "",
        ]
    }

    /// The whole screen: from its upper left corner on, each line cleared to its end.
    func text(rows height: Int, columns: Int, sent: Int, waiting: Int, state: String, now: Instant) -> String {
        var lines = [
            "\(counts.advertisements) frames, \(counts.changingAddresses) from changing addresses, "
                + "\(counts.unknown) unknown, \(counts.malformed) malformed  \(source)",
            "\(sightings) sightings, \(sent) sent, \(waiting) wait  \(state)", "",
            line(["Beacon or tag", "Signal", "Distance", "Heard", "Times"]),
        ]
        let strongest = rows.values.sorted {
            ($0.last.signalStrength ?? -200, $1.last.beacon) > ($1.last.signalStrength ?? -200, $0.last.beacon)
        }
        for row in strongest.prefix(max(0, height - lines.count - 1)) {
            let ago = max(0, Int(now.seconds(since: row.last.sampleTime)))
            lines.append(line(Self.cells(of: row.last) + ["\(ago) s ago", "\(row.count)"]))
        }
        return "\u{1B}[H" + lines.map { $0.prefix(columns) + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
    }

    private func line(_ cells: [String]) -> String {
        zip(cells, [50, 9, 9, 10, 6]).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }.joined(separator: " ")
    }
}

extension JSONWriter {
    /// Writes a sighting as `muster scan --json` prints it.
    fileprivate mutating func scan(_ sighting: Sighting) {
        beginObject()
        member("beacon", sighting.beacon.text)
        member("sampleTime", sighting.sampleTime)
        if let signal = sighting.signalStrength { member("signalStrength", signal) }
        if let distance = sighting.distance { member("distance", distance.value) }
        endObject()
    }
}
