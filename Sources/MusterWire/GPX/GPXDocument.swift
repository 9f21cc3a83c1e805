package import MusterCore
package import MusterGeometry

/// The tracks, routes and waypoints of a GPX file, 1.0 or 1.1 (https://www.topografix.com/gpx.asp).
package struct GPXDocument: Hashable, Sendable {
    /// The program that wrote it.
    package var creator: String?
    /// The file's name.
    package var name: String?
    /// The tracks, in the order of the file.
    package var tracks: [Track] = []
    /// The routes, in the order of the file.
    package var routes: [Route] = []
    /// The waypoints, in the order of the file.
    package var waypoints: [Point] = []

    /// Creates an empty document.
    package init() {}

    /// A track: a way that a receiver recorded.
    package struct Track: Hashable, Sendable {
        /// The track's name.
        package var name: String?
        /// The segments: pieces without a loss of reception. A segment may be empty.
        package var segments: [[Point]] = []
    }

    /// A route: a way to follow.
    package struct Route: Hashable, Sendable {
        /// The route's name.
        package var name: String?
        /// The points, in the order in which to pass them.
        package var points: [Point] = []
    }

    /// A fix, or a place.
    package struct Point: Hashable, Sendable {
        /// The place, WGS-84.
        package var coordinate: Coordinate
        /// Metres above sea level, or above another level that the device uses.
        package var elevation: Metres?
        /// When the device took the fix.
        package var time: Instant?
        /// The horizontal dilution of precision, without a unit.
        package var dilution: Double?
        /// The speed in metres a second; in GPX 1.1 from an extension of any namespace.
        package var speed: Double?
        /// The direction of travel, degrees clockwise from north.
        package var course: Double?
        /// The accuracy in metres, from the extension that Muster writes.
        package var accuracy: Metres?
        /// The name of the place.
        package var name: String?
    }

    /// The limits within which a GPX file is read.
    package struct Limits: Hashable, Sendable {
        /// The largest file, in bytes.
        package var bytes = 64_000_000
        /// The largest number of points of all kinds together.
        package var points = 1_000_000
        /// The largest number of tracks, segments and routes together.
        package var groups = 100_000
        /// The longest text, such as a name, in bytes.
        package var textBytes = 65_536

        /// Creates the default limits.
        package init() {}
    }

    /// Reads a file.
    ///
    /// The reader skips elements that it does not know, and treats a known one without content as absent. A time
    /// without an offset is UTC.
    ///
    /// - Throws: the first fault, with its line; then nothing is read.
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

    /// Reads a file.
    package init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(GPXError) {
        self = try bytes.withUnsafeBytes { buffer in
            Result { () throws(GPXError) in try GPXDocument(parsing: buffer, limits: limits) }
        }.get()
    }
}

/// A fault in a GPX file, and its line.
package struct GPXError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the file where the fault is, from 1.
    package var line: Int
    /// The fault.
    package var reason: Reason

    /// The faults that a GPX file can have.
    package enum Reason: Hashable, Sendable {
        case xml(XMLError.Reason)
        /// The root element is not `gpx`.
        case notGPX(root: String)
        /// A point lacks `lat` or `lon`.
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
