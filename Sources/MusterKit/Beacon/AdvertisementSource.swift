package import MusterCore
package import MusterWire

/// A source of Bluetooth advertisements: a controller, or a capture of what a controller heard.
package protocol AdvertisementSource: Sendable {
    /// The name of the source in messages, for example `hci0`.
    var name: String { get }
    /// Whether the source hears what is sent now, so that its silence means that nothing is sent.
    var isLive: Bool { get }
    /// Starts to listen. The stream ends with the source, or with an error when the source breaks; it stops when its
    /// reader stops. A reader that is too slow loses the oldest advertisements.
    func listen() -> AsyncThrowingStream<RadioNews, any Error>
}

/// An element that a source of advertisements delivers.
package enum RadioNews: Hashable, Sendable {
    /// The source hears from now on.
    case listening
    /// The source heard everything until this moment, even if no beacon sent. Without this case and without an
    /// advertisement, the silence of a source proves nothing.
    case proved(Instant)
    /// The source hears nothing until it listens again, and says why.
    case paused(String)
    /// The source heard an advertisement.
    case heard(HeardAdvertisement)
}

/// Until when a live source is known to have listened, by the news that it sends.
///
/// The time that a device reports as listened decides who left, so it must not include time in which the radio was
/// deaf.
package struct ProvenHearing: Sendable {
    private var isListening = false
    private var provenUntil: Instant?

    package init() {}

    /// Updates the state by news of the source.
    package mutating func follow(_ news: RadioNews) {
        switch news {
        case .listening: (isListening, provenUntil) = (true, nil)
        case .proved(let time): provenUntil = time
        case .heard(let heard): provenUntil = heard.time
        case .paused: stop()
        }
    }

    /// Records that the source broke: it proves nothing until it listens again.
    package mutating func stop() { (isListening, provenUntil) = (false, nil) }

    /// Returns the moment until which the source is known to have listened, at most `now`; nil when it is unknown.
    package func end(at now: Instant) -> Instant? {
        guard isListening, let provenUntil else { return nil }
        return min(provenUntil, now)
    }
}

/// An advertisement that was heard at one moment.
package struct HeardAdvertisement: Hashable, Sendable {
    /// When it was heard, by this machine's clock.
    package var time: Instant
    /// The sender's Bluetooth address, in the lower 48 bits.
    package var address: UInt64
    /// How the sender chose its address.
    package var addressKind: AdvertisingReport.AddressKind
    /// The strength of the received signal in dBm; nil when unknown.
    package var signal: Int?
    /// The whole payload.
    package var payload: [UInt8]

    package init(
        time: Instant, address: UInt64, addressKind: AdvertisingReport.AddressKind, signal: Int?, payload: [UInt8]
    ) {
        self.time = time
        self.address = address
        self.addressKind = addressKind
        self.signal = signal
        self.payload = payload
    }
}

/// Assembles advertisements from a controller's reports.
struct AdvertisementReading {
    private var assembler = AdvertisementAssembler()

    /// Returns the advertisements that an event completes.
    mutating func advertisements(in event: HCIEvent, at time: Instant) -> [HeardAdvertisement] {
        guard case .heard(let reports) = event else { return [] }
        return reports.compactMap { report in
            assembler.add(report).map {
                HeardAdvertisement(
                    time: time, address: report.address, addressKind: report.addressKind, signal: report.signal,
                    payload: $0)
            }
        }
    }
}
