import MusterCore

/// The protocol of one side of a channel, as a function of messages and time. It does no I/O, reads no clock, and asks
/// its owner for the decisions that it cannot make.
struct Conversation: Sendable {
    /// The fields of the messages that this side sends.
    struct Own: Sendable {
        var name: String
        var proof: [UInt8]
        var run: UInt64
        var capabilities: PeerCapabilities
        var token: DiscoveryToken
        /// The tag under which the peer may report ranges to this device; nil when its owner does not agree to that.
        var rangeTag: RangeTag?
    }

    /// An action that the owner must carry out.
    enum Action: Hashable, Sendable {
        case send(ChannelMessage)
        /// Decide whether to accept a peer of this name, and call `decide` with the decision.
        case judge(name: String, proof: [UInt8])
        /// Both sides have accepted, and the peer's token has arrived.
        case open(OpenedPeer)
        case note([UInt8])
        /// The peer hands over the tag under which this device may report ranges to it.
        case tagged(RangeTag)
        /// Send the remaining messages, and close the connection.
        case end(ChannelEnd)
    }

    /// How long a side may take, seconds.
    struct Deadlines: Hashable, Sendable {
        /// From the connection to the peer's hello.
        var hello = 5.0
        /// From the hello until both sides have accepted.
        var decision = 60.0
        /// Between two messages.
        var silence = 5.0
        /// A ping is sent after this long without another message.
        var ping: Double { min(silence / 4, 1) }
    }

    /// The most messages that a peer may send in a second. More end the channel.
    static let mostMessagesASecond = 250

    private enum Phase { case greeting, deciding, accepted, open, ended }

    private let own: Own
    private let deadlines: Deadlines
    private var phase = Phase.greeting
    private var name: String?
    private var welcome: (run: UInt64, capabilities: PeerCapabilities)?
    private var token: DiscoveryToken?
    private var phaseBegan: Instant
    private var lastHeard: Instant
    private var lastSent: Instant
    private var lastTick: Instant
    private var second: (began: Instant, messages: Int)

    init(_ own: Own, deadlines: Deadlines, at now: Instant) {
        self.own = own
        self.deadlines = deadlines
        (phaseBegan, lastHeard, lastSent, lastTick, second) = (now, now, now, now, (now, 0))
    }

    /// Returns the first message to send.
    func begin() -> [Action] { [.send(.hello(name: own.name, proof: own.proof))] }

    mutating func receive(_ message: ChannelMessage, at now: Instant) -> [Action] {
        guard phase != .ended else { return [] }
        lastHeard = now
        if now.seconds(since: second.began) >= 1 { second = (now, 0) }
        second.messages += 1
        guard second.messages <= Self.mostMessagesASecond else { return end(fault: .tooMany) }
        switch (message, phase) {
        case (.ping, _): return []
        case (.bye(let reason), _): return end(.said(reason), telling: nil)
        case (.hello(let name, let proof), .greeting):
            (phase, phaseBegan, self.name) = (.deciding, now, name)
            return [.judge(name: name, proof: proof)]
        case (.welcome(let run, let capabilities), .deciding), (.welcome(let run, let capabilities), .accepted):
            guard welcome == nil else { return end(fault: .untimely("a second welcome")) }
            welcome = (run, capabilities)
            return []
        case (.token(let token), .deciding), (.token(let token), .accepted):
            guard welcome != nil, self.token == nil else { return end(fault: .untimely("a token")) }
            self.token = token
            return phase == .accepted ? openIfComplete() : []
        case (.note(let note), .open): return [.note(note)]
        case (.rangeTag(let tag), .open): return [.tagged(tag)]
        case (.hello, _): return end(fault: .untimely("a second hello"))
        case (.welcome, _): return end(fault: .untimely("a welcome"))
        case (.token, _): return end(fault: .untimely("a token"))
        case (.note, _): return end(fault: .untimely("a note"))
        case (.rangeTag, _): return end(fault: .untimely("a range tag"))
        }
    }

    /// Applies the owner's decision after `judge`: nil to accept, or the reason to refuse, which is not sent to the
    /// peer.
    mutating func decide(refusal: String?, at now: Instant) -> [Action] {
        guard phase == .deciding else { return [] }
        if let refusal { return end(.refused(refusal), telling: .refused) }
        (phase, lastSent) = (.accepted, now)
        return [.send(.welcome(run: own.run, own.capabilities)), .send(.token(own.token))] + openIfComplete()
    }

    /// Ends an open channel from this side.
    mutating func end(_ end: ChannelEnd, telling reason: ChannelMessage.Bye?) -> [Action] {
        guard phase != .ended else { return [] }
        phase = .ended
        return (reason.map { [.send(.bye($0))] } ?? []) + [.end(end)]
    }

    mutating func end(fault: ChannelProtocolError) -> [Action] { end(.broke(fault.description), telling: .fault) }

    mutating func noteSent(at now: Instant) { lastSent = now }

    /// Ends the channel if a deadline has passed, and sends a ping if nothing else was sent. If this process did not
    /// run for a while, the peer gets more time, because its messages may be waiting to be read.
    mutating func tick(at now: Instant) -> [Action] {
        guard phase != .ended else { return [] }
        let pause = now.seconds(since: lastTick)
        lastTick = now
        if pause > deadlines.silence / 2 {
            lastHeard = max(lastHeard, now.advanced(bySeconds: -deadlines.silence / 2))
        }
        let waited = now.seconds(since: phaseBegan)
        switch phase {
        case .greeting where waited > deadlines.hello: return end(.silent(seconds: waited), telling: nil)
        case .deciding where waited > deadlines.decision, .accepted where waited > deadlines.decision:
            return end(.refused("nobody accepted within \(Int(deadlines.decision)) s"), telling: .refused)
        default: break
        }
        let silence = now.seconds(since: lastHeard)
        if phase != .greeting, silence > deadlines.silence { return end(.silent(seconds: silence), telling: nil) }
        guard now.seconds(since: lastSent) >= deadlines.ping else { return [] }
        lastSent = now
        return [.send(.ping)]
    }

    private mutating func openIfComplete() -> [Action] {
        guard let name, let welcome, let token else { return [] }
        phase = .open
        return [
            .open(OpenedPeer(name: name, run: welcome.run, capabilities: welcome.capabilities, token: token))
        ] + (welcome.capabilities.takesRangeTags ? own.rangeTag.map { [.send(.rangeTag($0))] } ?? [] : [])
    }
}

/// A peer, once both sides have accepted each other.
struct OpenedPeer: Hashable, Sendable {
    let name: String
    let run: UInt64
    let capabilities: PeerCapabilities
    let token: DiscoveryToken
}

/// How a channel ended.
public enum ChannelEnd: Hashable, Sendable {
    /// The peer said goodbye: its program ended.
    case goodbye
    /// The peer does not accept this device.
    case refusedByPeer
    /// There is another connection between the two.
    case duplicate
    /// The connection ended without a goodbye: the peer was killed, or lost its network.
    case closed
    /// The peer was silent for this many seconds: it was stopped, or it or the network is gone.
    case silent(seconds: Double)
    /// This device did not accept the peer.
    case refused(String)
    /// The peer, or something between, broke the protocol or TLS.
    case broke(String)
    /// The connection could not be opened.
    case unreachable(String)
    /// This device ended it.
    case ended

    static func said(_ reason: ChannelMessage.Bye) -> ChannelEnd {
        switch reason {
        case .done: .goodbye
        case .refused: .refusedByPeer
        case .duplicate: .duplicate
        case .fault: .broke("the peer says that this device broke the protocol")
        }
    }
}

extension ChannelEnd: CustomStringConvertible {
    /// How the channel ended, in words.
    public var description: String {
        switch self {
        case .goodbye: "said goodbye"
        case .refusedByPeer: "does not accept this device"
        case .duplicate: "is connected already"
        case .closed: "is gone without a goodbye: it was killed, or lost its network"
        case .silent(let seconds): "is silent for \(Int(seconds.rounded())) s: it was stopped, or the network is gone"
        case .refused(let reason): "was refused: \(reason)"
        case .broke(let reason): "was cut off: \(reason)"
        case .unreachable(let reason): "cannot be reached: \(reason)"
        case .ended: "was left"
        }
    }
}
