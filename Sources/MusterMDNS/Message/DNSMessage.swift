/// A message of multicast DNS, or of a resolver that knows plain DNS only (RFC 1035, section 4; RFC 6762, section 18).
package struct DNSMessage: Hashable, Sendable {
    /// The most bytes of a message: a packet of 9,000 bytes, without the headers of IPv4 and UDP (RFC 6762, section
    /// 17).
    package static let limitBytes = 8_972

    /// 0 except in a question of plain DNS, and in its answer.
    package var id: UInt16 = 0
    package var isResponse = false
    /// Whether more known answers follow in another message (RFC 6762, section 7.2).
    package var isTruncated = false
    /// 0 for a question and its answer; messages of other codes are ignored (RFC 6762, section 18.3).
    package var operation: UInt8 = 0
    /// 0 for success; messages of other codes are ignored (RFC 6762, section 18.11).
    package var responseCode: UInt8 = 0
    package var questions: [DNSQuestion] = []
    /// In a response, the answers; in a question, the records that the sender knows already.
    package var answers: [DNSRecord] = []
    /// In a probe, the records that the sender wants to have under the name.
    package var authorities: [DNSRecord] = []
    package var additionals: [DNSRecord] = []

    package init() {}

    /// Creates a response.
    package init(answering answers: [DNSRecord], additionals: [DNSRecord] = []) {
        (isResponse, self.answers, self.additionals) = (true, answers, additionals)
    }

    /// The bits of the header's second word.
    var flags: UInt16 {
        UInt16(operation & 15) << 11 | UInt16(responseCode & 15)
            // A response of multicast DNS is authoritative (RFC 6762, section 18.4).
            | (isResponse ? 0x8400 : 0) | (isTruncated ? 0x0200 : 0)
    }
}

/// A question of a query: the name, type and class for which it asks.
package struct DNSQuestion: Hashable, Sendable {
    /// The class that stands for all.
    package static let anyClass: UInt16 = 255

    package var name: DNSName
    package var type: RecordType
    /// The class, without the bit that asks for a unicast answer.
    package var questionClass: UInt16
    /// Whether the answer may come by unicast, the bit QU (RFC 6762, section 5.4).
    package var wantsUnicast: Bool

    package init(
        _ name: DNSName, _ type: RecordType, wantsUnicast: Bool = false, questionClass: UInt16 = DNSRecord.internet
    ) {
        (self.name, self.type, self.questionClass) = (name, type, questionClass)
        self.wantsUnicast = wantsUnicast
    }

    /// Whether a record answers the question (RFC 6762, section 6).
    package func asks(for record: DNSRecord) -> Bool {
        (type == record.type || type == .any)
            && (questionClass == record.recordClass || questionClass == Self.anyClass) && name == record.name
    }
}

/// Why bytes are no message.
package enum DNSError: Error, Hashable, Sendable {
    /// The message has more bytes than any message may.
    case tooLong(bytes: Int)
    /// The message ends within the part that begins at this offset.
    case cut(at: Int)
    /// A pointer of a name does not point to an earlier place, or the name is one of too many pointers.
    case badPointer(at: Int)
    /// A name has more than 255 bytes, or a label of a reserved kind.
    case badName(at: Int)
    /// The data of a record does not have the form of its type.
    case badData(at: Int)
}
