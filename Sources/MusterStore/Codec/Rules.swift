import MusterCore
import MusterDocuments

/// The stored bytes of rules and of events that clients posted.
extension ByteWriter {
    /// Writes texts in the order of their keys, so that equal dictionaries have equal bytes.
    mutating func put(_ texts: [String: String]) {
        put(varint: UInt64(texts.count))
        for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
            put(text: key)
            put(text: text)
        }
    }

    mutating func put(_ targets: [RuleTarget]) {
        put(varint: UInt64(targets.count))
        for target in targets {
            put(text: target.id)
            switch target.destination {
            case .safety: put(byte: 0)
            case .target(let number):
                put(byte: 1)
                put(number: number.rawValue)
            }
            put(target.input)
        }
    }

    private mutating func put(_ input: RuleTarget.Input) {
        switch input {
        case .event: put(byte: 0)
        case .constant(let text):
            put(byte: 1)
            put(text: text)
        case .path(let path):
            put(byte: 2)
            put(text: path)
        case .template(let text, let paths):
            put(byte: 3)
            put(text: text)
            put(paths)
        }
    }
}

extension ByteWriter {
    mutating func put(_ event: PostedEvent) {
        put(text: event.source)
        put(text: event.detailType)
        put(instant: event.time)
        put(varint: UInt64(event.resources.count))
        for resource in event.resources { put(text: resource) }
        put(text: event.detail)
    }
}

extension ByteReader {
    mutating func postedEvent() throws(CodecError) -> PostedEvent {
        let source = try text()
        let detailType = try text()
        let time = try instant()
        var resources: [String] = []
        for _ in 0..<(try count(minimumBytes: 1)) { resources.append(try text()) }
        return PostedEvent(
            source: source, detailType: detailType, time: time, resources: resources, detail: try text())
    }

    mutating func texts() throws(CodecError) -> [String: String] {
        let count = try count(minimumBytes: 2)
        var texts: [String: String] = [:]
        for _ in 0..<count {
            let key = try text()
            texts[key] = try text()
        }
        return texts
    }

    mutating func ruleTargets() throws(CodecError) -> [RuleTarget] {
        let count = try count(minimumBytes: 3)
        var targets: [RuleTarget] = []
        for _ in 0..<count {
            let id = try text()
            let destination = try destination()
            targets.append(RuleTarget(id: id, destination: destination, input: try input()))
        }
        return targets
    }

    private mutating func destination() throws(CodecError) -> RuleTarget.Destination {
        switch try byte() {
        case 0: return .safety
        case 1: return .target(TargetNumber(try number()))
        default: throw .malformed(offset: offset)
        }
    }

    private mutating func input() throws(CodecError) -> RuleTarget.Input {
        switch try byte() {
        case 0: return .event
        case 1: return .constant(try text())
        case 2: return .path(try text())
        case 3:
            let template = try text()
            return .template(template, paths: try texts())
        default: throw .malformed(offset: offset)
        }
    }
}
