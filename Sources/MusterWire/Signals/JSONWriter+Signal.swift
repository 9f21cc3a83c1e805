package import MusterCore

/// Signals in the JSON of the native API.
extension JSONWriter {
    package mutating func members(of signal: Signal, reporter: String?) {
        member("id", signal.id)
        member("name", signal.name)
        member("sampleTime", signal.sampleTime)
        member("receivedTime", signal.receivedTime)
        if let reporter { member("reportedBy", reporter) }
        key("values")
        value(signal.values)
    }

    /// Writes the values of a signal, as an object of strings.
    package mutating func value(_ values: [Signal.Value]) {
        beginObject()
        for value in values {
            key(value.key)
            self.value(value.text)
        }
        endObject()
    }
}
