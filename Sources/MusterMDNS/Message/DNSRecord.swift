/// The type of a record, or of the records for which a question asks.
package struct RecordType: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An address of IPv4 (RFC 1035).
    package static let a = RecordType(rawValue: 1)
    /// A pointer to another name (RFC 1035).
    package static let ptr = RecordType(rawValue: 12)
    /// Texts (RFC 1035).
    package static let txt = RecordType(rawValue: 16)
    /// An address of IPv6 (RFC 3596).
    package static let aaaa = RecordType(rawValue: 28)
    /// The host and port of a service (RFC 2782).
    package static let srv = RecordType(rawValue: 33)
    /// The types that a name has; in multicast DNS it states that the name has no others (RFC 6762, section 6.1).
    package static let nsec = RecordType(rawValue: 47)
    /// Every type, in a question.
    package static let any = RecordType(rawValue: 255)
}

/// One record.
package struct DNSRecord: Hashable, Sendable {
    /// The class of the internet. All records of this host have it.
    package static let internet: UInt16 = 1

    package var name: DNSName
    /// The class, without the bit that tells caches to flush.
    package var recordClass: UInt16
    /// Whether caches must drop the records of this name, type and class that they received before (RFC 6762, section
    /// 10.2). It is set in records for which one host alone answers.
    package var flushesCache: Bool
    /// The number of seconds for which the record is valid; 0 withdraws it (RFC 6762, section 10.1).
    package var timeToLive: UInt32
    package var data: DNSRecordData

    package init(
        _ name: DNSName, _ data: DNSRecordData, timeToLive: UInt32, flushesCache: Bool = false,
        recordClass: UInt16 = DNSRecord.internet
    ) {
        self.name = name
        self.recordClass = recordClass
        self.flushesCache = flushesCache
        self.timeToLive = timeToLive
        self.data = data
    }

    package var type: RecordType { data.type }

    /// Whether two records are equal apart from their time to live.
    package func hasSameData(as other: DNSRecord) -> Bool {
        recordClass == other.recordClass && data == other.data && name == other.name
    }

    /// The record with another time to live.
    package func withTimeToLive(_ seconds: UInt32) -> DNSRecord {
        var copy = self
        copy.timeToLive = seconds
        return copy
    }
}

/// The data of a record, by its type.
package enum DNSRecordData: Hashable, Sendable {
    /// A or AAAA.
    case address(HostAddress)
    /// PTR.
    case pointer(DNSName)
    /// SRV.
    case service(ServiceLocation)
    /// TXT: strings, each with its length before it. `ServiceText` reads them.
    case text([UInt8])
    /// NSEC: the name has records of these types, and of no others.
    case present([RecordType], next: DNSName)
    /// Any other type, as bytes. Names in them may be compressed, so that they mean nothing in another message.
    case unknown(RecordType, [UInt8])

    package var type: RecordType {
        switch self {
        case .address(.v4): .a
        case .address(.v6): .aaaa
        case .pointer: .ptr
        case .service: .srv
        case .text: .txt
        case .present: .nsec
        case .unknown(let type, _): type
        }
    }

    /// The data without compression, the form in which probes are compared (RFC 6762, section 8.2).
    package var canonicalBytes: [UInt8] {
        var writer = DNSWriter(compresses: false)
        writer.append(self)
        return writer.bytes
    }
}

/// The host and port of a service: the data of an SRV record (RFC 2782).
package struct ServiceLocation: Hashable, Sendable {
    package var priority: UInt16
    package var weight: UInt16
    package var port: UInt16
    /// The name of the host, which has addresses.
    package var target: DNSName

    package init(priority: UInt16 = 0, weight: UInt16 = 0, port: UInt16, target: DNSName) {
        (self.priority, self.weight, self.port, self.target) = (priority, weight, port, target)
    }
}
