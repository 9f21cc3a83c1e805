import MusterWire

/// Tells a client's reports of itself from what it passes on about others, such as the aircraft that a receiver shows.
///
/// The certificate says whose position a report is. The UID only says which of a connection's reports are meant.
struct TAKOwnUID: Hashable, Sendable {
    private var uid: String?
    /// Whether an event that names the sender's software or team has shown the UID.
    private var isNamed = false

    /// Whether a report is about the client itself.
    ///
    /// The first UID of an event that names the sender's software or team counts until the connection ends. Until such
    /// an event came, the first UID of a person or vehicle on the ground counts whose place a machine found, for
    /// senders that name nothing. Everything in the air, on water or in space is somebody else's.
    mutating func isOwn(_ event: CoTEvent) -> Bool {
        guard event.isReport else { return false }
        if event.detail.isOfSender {
            if !isNamed { (uid, isNamed) = (event.uid, true) }
        } else if uid == nil, event.isOnGround {
            uid = event.uid
        }
        return uid == event.uid && (isNamed || event.isOnGround)
    }
}
