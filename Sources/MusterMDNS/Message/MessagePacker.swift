/// Distributes questions and records among messages that fit into packets.
enum MessagePacker {
    /// The most bytes of a message with several records: what IPv6 carries on every link without fragments. A single
    /// longer record gets a message of its own.
    static let limitBytes = 1_232

    /// Returns messages that ask questions. The last of them begins the list of known answers, which continues in
    /// messages without questions, each but the last marked as truncated (RFC 6762, section 7.2).
    static func packQuestions(_ questions: [DNSQuestion], knowing known: [DNSRecord]) -> [[UInt8]] {
        guard !questions.isEmpty else { return [] }
        var messages: [[UInt8]] = []
        var writer = DNSWriter(message: DNSMessage())
        for question in questions where !writer.append(upTo: limitBytes, { $0.append(question) }) {
            messages.append(writer.message)
            writer = DNSWriter(message: DNSMessage())
            writer.append(question)
        }
        for record in known where !writer.append(upTo: limitBytes, { $0.append(record, section: 1) }) {
            writer.setTruncated()
            messages.append(writer.message)
            writer = DNSWriter(message: DNSMessage())
            writer.append(record, section: 1)
        }
        return messages + [writer.message]
    }

    /// Returns messages that answer. The last of them has as many of the additional records as fit.
    static func packAnswers(_ answers: [DNSRecord], additionals: [DNSRecord]) -> [[UInt8]] {
        guard !answers.isEmpty else { return [] }
        let empty = DNSMessage(answering: [])
        var messages: [[UInt8]] = []
        var writer = DNSWriter(message: empty)
        for record in answers where !writer.append(upTo: limitBytes, { $0.append(record, section: 1) }) {
            if !writer.isEmpty { messages.append(writer.message) }
            writer = DNSWriter(message: empty)
            writer.append(record, section: 1)
        }
        for record in additionals where !writer.append(upTo: limitBytes, { $0.append(record, section: 3) }) { break }
        return messages + [writer.message]
    }
}
