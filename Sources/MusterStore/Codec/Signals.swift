import MusterCore
import MusterDocuments

/// The stored bytes of signals.
extension ByteWriter {
    mutating func put(_ signal: Signal) {
        put(text: signal.id)
        put(text: signal.name)
        put(instant: signal.sampleTime)
        put(instant: signal.receivedTime)
        put(number: signal.reporter?.rawValue ?? 0)
        put(varint: UInt64(signal.values.count))
        for value in signal.values {
            put(text: value.key)
            put(text: value.text)
        }
    }
}

extension ByteReader {
    mutating func signal() throws(CodecError) -> Signal {
        let (id, name) = (try text(), try text())
        let (sampleTime, receivedTime) = (try instant(), try instant())
        // 0 stands for the device itself, or its user.
        let reporter: Int32 = try number()
        var values: [Signal.Value] = []
        for _ in 0..<(try count(minimumBytes: 2)) {
            let key = try text()
            values.append(Signal.Value(key, try text()))
        }
        return Signal(
            id: id, name: name, sampleTime: sampleTime, receivedTime: receivedTime,
            reporter: reporter == 0 ? nil : UserNumber(reporter), values: values)
    }
}
