package import MusterCore

/// What a service of warnings answers: one alert, or a feed whose entries link to alerts (Atom, RFC 4287; RSS 2.0 and
/// 1.0).
package enum WarningDocument: Hashable, Sendable {
    case alert(CAPAlert)
    case feed(WarningFeed)

    /// Reads a document. A document type is refused, so nothing is expanded or fetched.
    ///
    /// - Throws: `CAPError` for what is neither an alert nor a feed.
    /// - Complexity: O(bytes).
    package init(parsing bytes: UnsafeRawBufferPointer) throws(CAPError) {
        let text: [UInt8]
        do {
            text = try XMLEncoding.utf8(bytes)
        } catch {
            throw .xml(error)
        }
        self = try text.withUnsafeBytes { buffer in
            Result { () throws(CAPError) in try Self.document(in: buffer) }
        }.get()
    }

    private static func document(in bytes: UnsafeRawBufferPointer) throws(CAPError) -> WarningDocument {
        var xml = XMLReader(bytes)
        do throws(XMLError) {
            _ = try xml.next()
        } catch {
            throw .xml(error)
        }
        switch xml.localName {
        case "alert":
            var reader = CAPReader(xml)
            return .alert(try reader.read())
        case "feed", "rss", "RDF":
            var reader = WarningFeedReader(xml)
            return .feed(try reader.read())
        case let other: throw .otherRoot(other.plain(limit: 60))
        }
    }
}

/// The entries of a feed.
package struct WarningFeed: Hashable, Sendable {
    /// The entries, the newest first where all have a time, else in the order of the feed.
    package var entries: [Entry] = []
    /// How many entries have no link, or are beyond the limit.
    package var leftOut = 0

    /// The largest number of entries that are read.
    package static let entryLimit = 2_000
    /// The longest link and the longest id, in bytes.
    package static let textLimitBytes = 2_048

    /// One entry.
    package struct Entry: Hashable, Sendable {
        /// The address of the alert, perhaps relative to the feed's.
        package var link: String
        /// What changes when the service writes the entry anew: its id and its time.
        package var version: String
        /// When it was last changed.
        package var updated: Instant?
    }
}

/// Reads the entries of a feed.
struct WarningFeedReader {
    private var xml: XMLReader
    private var open: [String] = []
    private var text = ""
    private var feed = WarningFeed()
    private var entry = Draft()

    /// An entry as far as it is read.
    private struct Draft {
        var id = ""
        var updated = ""
        var link = ""
        /// How sure it is that the link leads to an alert.
        var rank = 0
    }

    /// - Parameter xml: a reader that has just begun the root element.
    init(_ xml: XMLReader) {
        self.xml = xml
        open = [xml.localName]
    }

    mutating func read() throws(CAPError) -> WarningFeed {
        do throws(XMLError) {
            while try step() {}
        } catch {
            throw .xml(error)
        }
        if feed.entries.allSatisfy({ $0.updated != nil }) {
            let newestFirst = feed.entries.enumerated().sorted { left, right in
                guard let one = left.element.updated, let other = right.element.updated, one != other else {
                    return left.offset < right.offset
                }
                return one > other
            }
            feed.entries = newestFirst.map(\.element)
        }
        let beyond = max(0, feed.entries.count - WarningFeed.entryLimit)
        feed.entries.removeLast(beyond)
        feed.leftOut += beyond
        return feed
    }

    /// Whether the innermost element is directly in an entry.
    private var isInEntry: Bool {
        open.count >= 2 && isEntry(open.count - 2)
    }

    private func isEntry(_ index: Int) -> Bool { open[index] == "entry" || open[index] == "item" }

    private mutating func step() throws(XMLError) -> Bool {
        switch try xml.next() {
        case .start:
            open.append(xml.localName)
            text = ""
            if isEntry(open.count - 1) { entry = Draft() }
            if isInEntry { try readAttributes() }
        case .end:
            if isInEntry { end() }
            if isEntry(open.count - 1) { endEntry() }
            open.removeLast()
        case .text:
            if isInEntry, text.utf8.count <= WarningFeed.textLimitBytes { text += try xml.text() }
        case .finished: return false
        }
        return true
    }

    /// Reads what Atom and RSS write into attributes.
    private mutating func readAttributes() throws(XMLError) {
        let name = open[open.count - 1]
        guard name == "link" || name == "enclosure" else { return }
        let type = try xml.attribute("type") ?? ""
        let isAlert = type.contains("cap+xml")
        if name == "enclosure" {
            if let address = try xml.attribute("url") { take(address, rank: isAlert ? 4 : 1) }
        } else if let address = try xml.attribute("href") {
            let relation = try xml.attribute("rel") ?? "alternate"
            let isPage = type.hasPrefix("text/html")
            take(address, rank: isAlert ? 4 : relation != "alternate" ? 0 : isPage ? 1 : 3)
        }
    }

    private mutating func take(_ address: String, rank: Int) {
        guard rank > entry.rank, !address.trimmed.isEmpty, address.utf8.count <= WarningFeed.textLimitBytes else {
            return
        }
        (entry.link, entry.rank) = (address.trimmed, rank)
    }

    private mutating func end() {
        switch open[open.count - 1] {
        case "id", "guid": entry.id = text.trimmed
        case "updated", "pubDate", "date": entry.updated = text.trimmed
        case "published": if entry.updated.isEmpty { entry.updated = text.trimmed }
        case "link": take(text, rank: 2)
        default: break
        }
        text = ""
    }

    private mutating func endEntry() {
        guard !entry.link.isEmpty else {
            feed.leftOut += 1
            return
        }
        let time = entry.updated
        feed.entries.append(
            WarningFeed.Entry(
                link: entry.link, version: "\(entry.id.prefix(500)) \(time.prefix(60))",
                updated: (try? Instant(rfc3339: time)) ?? Instant(httpDate: time)))
    }
}
