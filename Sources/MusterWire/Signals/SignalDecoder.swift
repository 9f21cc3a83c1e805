import MusterCoding
package import MusterCore

/// The signals of one request.
package struct ReportedSignals: Hashable, Sendable {
    /// A signal, and the device that it names.
    package struct Item: Hashable, Sendable {
        /// The name of the device that fired; nil when the caller's credential determines the device.
        package var deviceName: String?
        package var signal: Signal
    }

    /// The signals, in the order of the request.
    package var items: [Item]
    /// Whether the body is a single object, not an array.
    package var isSingle: Bool
}

/// Reads the native form of signals: one object, or an array of up to `limit`:
/// `{"device":…,"name":…,"id":…,"sampleTime":…,"values":{…}}`.
package struct SignalDecoder {
    /// The largest number of signals in one request.
    package static let limit = 100
    private static let faultLimit = 100

    private var faults: [BodyFaults.Fault] = []
    private let receivedAt: Instant
    private let makeID: () -> String

    private init(receivedAt: Instant, makeID: @escaping () -> String) {
        self.receivedAt = receivedAt
        self.makeID = makeID
    }

    /// Decodes a body.
    ///
    /// - Parameter makeID: makes the id of a signal that has none.
    /// - Throws: `JSONError` for text that is not JSON, and `BodyFaults` with the faults of the body. The whole body is
    ///   then rejected.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, receivedAt: Instant, makeID: @escaping () -> String
    ) throws -> ReportedSignals {
        let body = try JSONValue(parsing: bytes, depthLimit: 4, valueLimit: limit * (Signal.valueLimit + 8))
        var decoder = SignalDecoder(receivedAt: receivedAt, makeID: makeID)
        let isSingle = body.elements == nil
        let elements = body.elements ?? [body]
        guard elements.count <= limit else {
            throw BodyFaults(faults: [.init(pointer: "", words: "has more than \(limit) elements")])
        }
        let items = elements.enumerated().compactMap { decoder.item($1, at: isSingle ? "" : "/\($0)") }
        guard decoder.faults.isEmpty else { throw BodyFaults(faults: decoder.faults) }
        return ReportedSignals(items: items, isSingle: isSingle)
    }

    private mutating func item(_ item: JSONValue, at path: String) -> ReportedSignals.Item? {
        guard let members = item.members else { return reject(path, "must be an object") }
        for member in members where !["device", "name", "id", "sampleTime", "values"].contains(member.key) {
            record(JSONPointer.appending(member.key, to: path), "is unknown")
        }
        let name = word(item["name"], at: "\(path)/name")
        if item["name"] == nil { record("\(path)/name", "is required") }
        let id = word(item["id"], at: "\(path)/id")
        if item["device"].map({ $0.string == nil }) ?? false { record("\(path)/device", "must be a string") }
        let sampleTime = time(item["sampleTime"], at: "\(path)/sampleTime")
        let values = item["values"].map { self.values($0, at: "\(path)/values") } ?? []
        guard let name else { return nil }
        let signal = Signal(
            id: id ?? makeID(), name: name, sampleTime: sampleTime ?? receivedAt, receivedTime: receivedAt,
            values: values)
        return ReportedSignals.Item(deviceName: item["device"]?.string, signal: signal)
    }

    private mutating func word(_ value: JSONValue?, at path: String) -> String? {
        guard let value else { return nil }
        if let text = value.string, Signal.isValid(word: text) { return text }
        return reject(path, "must be 1 to 64 letters, digits and any of . _ -")
    }

    private mutating func time(_ value: JSONValue?, at path: String) -> Instant? {
        guard let value else { return nil }
        if let text = value.string, let instant = try? Instant(rfc3339: text) { return instant }
        return reject(path, "must be a time in RFC 3339")
    }

    private mutating func values(_ value: JSONValue, at path: String) -> [Signal.Value] {
        guard let members = value.members else { return reject(path, "must be an object") ?? [] }
        var values: [Signal.Value] = []
        for member in members {
            let place = JSONPointer.appending(member.key, to: path)
            if member.key.isEmpty { record(path, "has a member without a name") }
            guard let text = member.value.signalText, member.value.isScalar else {
                record(place, "must be a string, a number, true or false")
                continue
            }
            values.append(Signal.Value(member.key, text))
        }
        if let fault = SignalValues.fault(of: values) { record(path, fault) }
        return values
    }

    /// Records a fault, and returns nil.
    private mutating func reject<Value>(_ pointer: String, _ words: String) -> Value? {
        record(pointer, words)
        return nil
    }

    private mutating func record(_ pointer: String, _ words: String) {
        if faults.count < Self.faultLimit { faults.append(BodyFaults.Fault(pointer: pointer, words: words)) }
    }
}

/// The limits of what a signal may carry, whichever endpoint reads it.
package enum SignalValues {
    /// The reason why a signal may not carry these values, in words that follow the place; nil when it may.
    package static func fault(of values: [Signal.Value]) -> String? {
        if values.count > Signal.valueLimit { return "has more than \(Signal.valueLimit) members" }
        let bytes = values.reduce(0) { $0 + $1.key.utf8.count + $1.text.utf8.count }
        return bytes > Signal.valuesLimitBytes ? "is longer than \(Signal.valuesLimitBytes) bytes" : nil
    }
}

extension JSONValue {
    /// Whether the value is a string, a number or a boolean.
    package var isScalar: Bool {
        switch self {
        case .string, .integer, .number, .boolean: true
        case .object, .array, .null: false
        }
    }

    /// The value as a signal carries it: a string as it is, null as an empty text, anything else as its JSON.
    package var signalText: String? {
        switch self {
        case .string(let text): text
        case .null: ""
        default: String(utf8: bytes)
        }
    }
}
