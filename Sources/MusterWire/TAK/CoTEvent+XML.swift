import MusterCore
import MusterGeometry

extension CoTEvent {
    /// Reads an event from XML. A document type is refused, so nothing is expanded or fetched.
    ///
    /// - Throws: `CoTError` for what is no event.
    package init(xml bytes: UnsafeRawBufferPointer) throws(CoTError) {
        guard bytes.count <= Self.limitBytes else { throw .tooLarge }
        let text: [UInt8]
        do {
            text = try XMLEncoding.utf8(bytes)
        } catch {
            // A character that a client cut in a name costs nobody help.
            let event = try? Self.read(Array(String(decoding: bytes, as: UTF8.self).utf8))
            guard let event, event.isCall else { throw .xml(error) }
            self = event
            return
        }
        self = try Self.read(text)
    }

    private static func read(_ text: [UInt8]) throws(CoTError) -> CoTEvent {
        try text.withUnsafeBytes { buffer in
            Result { () throws(CoTError) in try CoTReader.event(in: buffer) }
        }.get()
    }

    /// Reads an event from XML.
    package init(xml text: String) throws(CoTError) {
        var text = text
        self = try text.withUTF8 { buffer in
            Result { () throws(CoTError) in try CoTEvent(xml: UnsafeRawBufferPointer(buffer)) }
        }.get()
    }
}

/// Reads the elements of an event.
struct CoTReader {
    private var xml: XMLReader
    private var detail = CoTEvent.Detail()
    private var point: CoTEvent.Point?
    private var hasPoint = false
    /// Whether the event calls for help, or ends a call: it counts without a time and without a place.
    private var isAlert = false
    /// The names of the open elements.
    private var open: [String] = []

    private init(_ bytes: UnsafeRawBufferPointer) { xml = XMLReader(bytes) }

    static func event(in bytes: UnsafeRawBufferPointer) throws(CoTError) -> CoTEvent {
        var reader = CoTReader(bytes)
        let first: XMLReader.Event
        do { first = try reader.xml.next() } catch { throw .xml(error) }
        guard first == .start, reader.xml.isNamed("event") else { throw .missing("event") }
        return try reader.readEvent()
    }

    /// Reads the elements of a detail without its own tags.
    static func detail(in text: String) throws(CoTError) -> CoTEvent.Detail {
        let whole = Array("<detail>\(text)</detail>".utf8)
        return try whole.withUnsafeBytes { buffer in
            Result { () throws(CoTError) in
                var reader = CoTReader(buffer)
                reader.open = ["event"]
                try reader.readAll()
                return reader.detail
            }
        }.get()
    }

    private mutating func readEvent() throws(CoTError) -> CoTEvent {
        let type = try required("type", limit: CoTEvent.uidLimitBytes)
        isAlert = type.hasPrefix(CoTEvent.alerts)
        let uid = try required("uid", limit: isAlert ? CoTEvent.limitBytes : CoTEvent.uidLimitBytes)
        let how = isAlert ? (try? attribute("how")) ?? "" : try attribute("how") ?? ""
        let time = try instant("time")
        let stale = try instant("stale")
        open = ["event"]
        // A call for help counts with details that cannot be read.
        do throws(CoTError) { try readAll() } catch { if !isAlert { throw error } }
        guard hasPoint || isAlert else { throw .missing("point") }
        return CoTEvent(
            uid: uid, type: type, how: Self.cut(how), time: time, stale: stale, point: point, detail: detail)
    }

    private mutating func readAll() throws(CoTError) {
        while true {
            let next: XMLReader.Event
            do { next = try xml.next() } catch { throw .xml(error) }
            switch next {
            case .start:
                open.append(xml.localName)
                if open.count == 2, open[1] == "point" { try readPoint() }
                if open.count == 3, open[1] == "detail" { try readDetail() }
            case .end:
                if !open.isEmpty { open.removeLast() }
            case .text: continue
            case .finished: return
            }
        }
    }

    private mutating func readPoint() throws(CoTError) {
        hasPoint = true
        do throws(CoTError) { try readPlace() } catch { if !isAlert { throw error } }
    }

    private mutating func readPlace() throws(CoTError) {
        guard let latitude = try number("lat") else { throw .invalid("lat") }
        guard let longitude = try number("lon") else { throw .invalid("lon") }
        let (height, error) = (try number("hae"), try number("ce"))
        point = try CoTEvent.Point(latitude, longitude, height: height, error: error)
    }

    private mutating func readDetail() throws(CoTError) {
        switch open[2] {
        case "contact": detail.callsign = try attribute("callsign").map(Self.cut)
        case "takv", "__group": detail.isOfSender = true
        case "status": detail.battery = try number("battery")
        case "track": (detail.speed, detail.course) = (try number("speed"), try number("course"))
        case "emergency":
            detail.emergency = Self.cut(try attribute("type") ?? "")
            detail.endsEmergency = try attribute("cancel") == "true"
        // A client asks for a version in an element within this one; the server offers it the same way.
        case "TakControl": try readControl()
        default: break
        }
    }

    private mutating func readControl() throws(CoTError) {
        while true {
            let next: XMLReader.Event
            do { next = try xml.next() } catch { throw .xml(error) }
            switch next {
            case .start:
                open.append(xml.localName)
                if xml.isNamed("TakRequest") { detail.requestedVersion = try attribute("version").flatMap { Int($0) } }
                return
            case .end:
                open.removeLast()
                return
            case .text: continue
            case .finished: return
            }
        }
    }

    // MARK: Pieces

    private func attribute(_ name: StaticString) throws(CoTError) -> String? {
        do { return try xml.attribute(name) } catch { throw .xml(error) }
    }

    private func required(_ name: StaticString, limit: Int) throws(CoTError) -> String {
        guard let text = try attribute(name), !text.isEmpty else { throw .missing(name) }
        guard text.utf8.count <= limit else { throw .invalid(name) }
        return text
    }

    private func instant(_ name: StaticString) throws(CoTError) -> Instant {
        if isAlert { return (try? attribute(name)).flatMap { Instant(trackerText: $0) } ?? CoTEvent.unknownTime }
        guard let instant = Instant(trackerText: try required(name, limit: 40)) else { throw .invalid(name) }
        return instant
    }

    /// A finite number; nil where the attribute has none, or is missing.
    private func number(_ name: StaticString) throws(CoTError) -> Double? {
        try attribute(name).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    static func cut(_ text: String) -> String {
        let shown = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return String(String.UnicodeScalarView(shown.prefix(CoTEvent.textLimitBytes / 4)))
    }
}

extension CoTEvent.Point {
    /// Makes a place; nil where it stands for an unknown one: 0° N 0° E with an unknown error.
    ///
    /// - Throws: `CoTError.invalid` outside of the Earth.
    init?(_ latitude: Double, _ longitude: Double, height: Double?, error: Double?) throws(CoTError) {
        func known(_ number: Double?) -> Double? { number.flatMap { abs($0) < CoTEvent.unknown ? $0 : nil } }
        let error = known(error)
        if latitude == 0, longitude == 0, error == nil { return nil }
        guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
            throw .invalid("point")
        }
        self.init(coordinate: coordinate, height: known(height), error: error)
    }
}
