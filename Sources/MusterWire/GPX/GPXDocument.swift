package import MusterCore
package import MusterGeometry

/// Tracks, routes and waypoints of a GPX file, 1.0 or 1.1 (https://www.topografix.com/gpx.asp).
package struct GPXDocument: Hashable, Sendable {
    /// The program that wrote it.
    package var creator: String?
    /// What it is called.
    package var name: String?
    /// In the order of the file; so are the routes and the waypoints.
    package var tracks: [Track] = []
    /// Where someone should go, in the order of the file.
    package var routes: [Route] = []
    /// Places, in the order of the file.
    package var waypoints: [Point] = []

    /// An empty document.
    package init() {}

    /// Where someone went.
    package struct Track: Hashable, Sendable {
        /// What it is called.
        package var name: String?
        /// Pieces within which reception was not lost. A piece may be empty.
        package var segments: [[Point]] = []
    }

    /// Where someone should go.
    package struct Route: Hashable, Sendable {
        /// What it is called.
        package var name: String?
        /// In the order in which they are to be passed.
        package var points: [Point] = []
    }

    /// A fix, or a place.
    package struct Point: Hashable, Sendable {
        /// Where, WGS-84.
        package var coordinate: Coordinate
        /// Metres above sea level, or whatever the device took for it.
        package var elevation: Metres?
        /// When the fix was taken.
        package var time: Instant?
        /// Horizontal dilution of precision, without a unit.
        package var dilution: Double?
        /// Metres a second; in GPX 1.1 from an extension, whoever's it is.
        package var speed: Double?
        /// Degrees clockwise from north.
        package var course: Double?
        /// Metres; from the extension that Muster writes.
        package var accuracy: Metres?
        /// What the place is called.
        package var name: String?
    }

    /// What a file may hold at most.
    package struct Limits: Hashable, Sendable {
        /// The size of the file.
        package var bytes = 64_000_000
        /// Points of all kinds together.
        package var points = 1_000_000
        /// Tracks, segments and routes together.
        package var groups = 100_000
        /// One text, a name say.
        package var textBytes = 65_536

        /// The usual limits.
        package init() {}
    }

    /// Reads a file.
    ///
    /// Elements that mean nothing here are passed over; one that does but holds nothing is taken as absent. A time
    /// without an offset is UTC.
    ///
    /// - Throws: the first fault, with its line. Nothing is read in part.
    /// - Complexity: O(bytes).
    package init(parsing bytes: UnsafeRawBufferPointer, limits: Limits = Limits()) throws(GPXError) {
        guard bytes.count <= limits.bytes else { throw GPXError(line: 1, reason: .tooLarge(limitBytes: limits.bytes)) }
        let text: [UInt8]
        do {
            text = try XMLEncoding.utf8(bytes)
        } catch {
            throw GPXError(line: error.line, reason: .xml(error.reason))
        }
        self = try text.withUnsafeBytes { buffer in
            Result { () throws(GPXError) in
                var reader = GPXReader(buffer, limits: limits)
                return try reader.read()
            }
        }.get()
    }

    /// Reads a file, as above.
    package init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(GPXError) {
        self = try bytes.withUnsafeBytes { buffer in
            Result { () throws(GPXError) in try GPXDocument(parsing: buffer, limits: limits) }
        }.get()
    }
}

/// What is wrong with a GPX file, and where.
package struct GPXError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    package var line: Int
    /// What is wrong there.
    package var reason: Reason

    /// What can be wrong.
    package enum Reason: Hashable, Sendable {
        case xml(XMLError.Reason)
        /// The root element is another.
        case notGPX(root: String)
        /// A point without `lat` or `lon`.
        case missingAttribute(String)
        case invalidNumber(element: String, text: String)
        case offGlobe(element: String, degrees: Double)
        case time(InstantError)
        case tooLarge(limitBytes: Int)
        case tooManyPoints(limit: Int)
        case tooManyGroups(limit: Int)
        case textTooLong(limitBytes: Int)
    }

    /// One sentence without a full stop.
    package var description: String {
        let words =
            switch reason {
            case .xml(let reason): reason.description
            case .notGPX(let root): "the root element is \(root), not gpx"
            case .missingAttribute(let name): "a point needs the attribute \(name)"
            case .invalidNumber(let element, let text): "\(element) must be a number, is \"\(text.prefix(40))\""
            case .offGlobe(let element, let degrees): "\(element) \(degrees) is off the globe"
            case .time(let fault): "time \(fault)"
            case .tooLarge(let limit): "the file is larger than \(limit) bytes"
            case .tooManyPoints(let limit): "more than \(limit) points"
            case .tooManyGroups(let limit): "more than \(limit) tracks, segments and routes"
            case .textTooLong(let limit): "a text is longer than \(limit) bytes"
            }
        return "line \(line): \(words)"
    }
}
