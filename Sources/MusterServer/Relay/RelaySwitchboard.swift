import MusterCore
import MusterWire
import NIOCore

/// The relay's state, as a function of the frames that arrive: who is connected, who sees whom, which streams there
/// are, and what waits to be sent. It does no I/O and reads no clock.
///
/// Two devices see each other exactly while both are connected, have said hello and signed in with accounts of one
/// team. The bytes of a stream are passed on unread.
struct RelaySwitchboard {
    /// Identifies a connection; also the number by which other devices of the team know it.
    typealias ID = UInt32

    /// One end of a stream.
    struct End {
        /// The connection of the other end, and the stream's number there.
        let other: ID
        let otherStream: UInt32
        /// Whether the device opened the stream.
        let isOpener: Bool
        var isAccepted = false
        /// The bytes that this end may still send.
        var credit = 0
    }

    /// A connected device.
    struct Device {
        let user: UserNumber
        let account: String
        let team: TeamNumber
        /// The announcement in the device's hello; nil before the hello.
        var announced: RelayPeer?
        var streams: [UInt32: End] = [:]
        var nextIncoming = RelayFrame.firstIncoming
        /// The frames that wait to be sent to the device.
        var outbox = ByteBuffer()
        /// The bytes of streams that are on their way to the device, or in its own buffers.
        var owed = 0
        /// Whether the connection ends once the outbox is sent.
        var isEnding = false
    }

    let limits: RelayLimits
    private(set) var devices: [ID: Device] = [:]
    private var byUser: [UserNumber: Int] = [:]
    private var byTeam: [TeamNumber: Set<ID>] = [:]
    private var lastID: ID = 0
    private var paces: QuotaBuckets<UserNumber>
    private(set) var owedInAll = 0
    private(set) var counts = Counts()
    /// The connections whose outboxes were empty and have something now, and those that end.
    private var woken: Set<ID> = []

    /// The counts since the server started.
    struct Counts: Hashable {
        var bytes = 0
        var streams = 0
        var openStreams = 0
        var refused = 0
        var farewells: [RelayFrame.Farewell: Int] = [:]
        var slowStreams = 0
    }

    init(_ limits: RelayLimits) {
        self.limits = limits
        paces = QuotaBuckets(perSecond: limits.bytesPerSecond, burst: limits.burstBytes)
    }

    // MARK: Connections

    /// Counts a connection of a user. Before its hello the device sees no other device, and none sees it.
    ///
    /// - Throws: `RelayRefusal` when a limit is reached.
    mutating func admit(_ user: UserNumber, account: String, team: TeamNumber) throws(RelayRefusal) -> ID {
        let refusal: RelayRefusal? =
            if byUser[user, default: 0] >= limits.connectionsOfUser {
                .userHasItsShare(limit: limits.connectionsOfUser)
            } else if byTeam[team, default: []].count >= limits.connectionsOfTeam {
                .teamHasItsShare(limit: limits.connectionsOfTeam)
            } else if devices.count >= limits.connections { .isFull } else { nil }
        if let refusal {
            counts.refused += 1
            throw refusal
        }
        repeat { lastID = lastID == .max ? 1 : lastID + 1 } while devices[lastID] != nil
        devices[lastID] = Device(user: user, account: account, team: team)
        byUser[user, default: 0] += 1
        byTeam[team, default: []].insert(lastID)
        return lastID
    }

    /// Removes a connection that has closed. Queues frames that report this to the other devices of its team, and to
    /// the other ends of its streams.
    mutating func leave(_ id: ID) {
        withdraw(id)
        guard let device = devices.removeValue(forKey: id) else { return }
        byUser[device.user] = byUser[device.user].flatMap { $0 > 1 ? $0 - 1 : nil }
        byTeam[device.team]?.remove(id)
        if byTeam[device.team]?.isEmpty == true { byTeam[device.team] = nil }
        woken.remove(id)
    }

    /// Ends a connection. Nothing more is received from it or sent to it, except the farewell.
    mutating func end(_ id: ID, _ farewell: RelayFrame.Farewell) {
        guard devices[id]?.isEnding == false else { return }
        counts.farewells[farewell, default: 0] += 1
        // A device that does not read gets only the farewell, if it reads that.
        if farewell == .slow { devices[id]?.outbox.clear() }
        devices[id]?.outbox.writeBytes(RelayFrame.farewell(farewell).bytes)
        devices[id]?.isEnding = true
        withdraw(id)
        woken.insert(id)
    }

    /// Makes a device invisible and ends its streams.
    private mutating func withdraw(_ id: ID) {
        guard let device = devices[id] else { return }
        for stream in device.streams.keys { close(stream, of: id, sending: .gone) }
        guard device.announced != nil else { return }
        devices[id]?.announced = nil
        for other in peers(of: id) { send(.gone(peer: id), to: other) }
    }

    /// The announced devices of the same team, without the device itself.
    private func peers(of id: ID) -> [ID] {
        guard let team = devices[id]?.team else { return [] }
        return byTeam[team, default: []].filter { $0 != id && devices[$0]?.announced != nil }.sorted()
    }

    /// Takes what waits for a device, at most so many bytes.
    ///
    /// - Returns: the bytes, and whether the connection ends with them.
    mutating func takeOutbox(of id: ID, upTo count: Int) -> (bytes: ByteBuffer, isLast: Bool)? {
        guard var outbox = devices[id]?.outbox, outbox.readableBytes > 0 else { return nil }
        // Releases the second reference, so that the buffer is not copied when it is written to.
        devices[id]?.outbox = ByteBuffer()
        guard outbox.readableBytes > count else { return (outbox, devices[id]?.isEnding == true) }
        // A copy, so that what is left stays the buffer's only owner.
        guard let bytes = outbox.readSlice(length: count).map({ ByteBuffer(buffer: $0) }) else { return nil }
        // Where a device never empties its outbox, the buffer would otherwise grow by every byte that was sent.
        if outbox.readerIndex > outbox.readableBytes { outbox.discardReadBytes() }
        devices[id]?.outbox = outbox
        return (bytes, false)
    }

    /// Returns the connections that have something new to send.
    mutating func takeWoken() -> Set<ID> {
        defer { woken = [] }
        return woken
    }

    // MARK: Frames

    /// Handles a frame from a device.
    ///
    /// - Throws: `RelayError` for a frame that breaks the protocol. The caller then ends the connection.
    mutating func receive(_ frame: RelayFrame, from id: ID) throws(RelayError) {
        guard devices[id]?.isEnding == false else { return }
        let isAnnounced = devices[id]?.announced != nil
        if case .hello(let name, let key) = frame {
            guard !isAnnounced else { throw .untimely("a second hello") }
            return announce(RelayPeer(number: id, account: devices[id]?.account ?? "", name: name, key: key))
        }
        guard isAnnounced else { throw .untimely("a frame before the hello") }
        switch frame {
        case .open(let stream, let peer): try open(stream, from: id, to: peer)
        case .accept(let stream): try accept(stream, of: id)
        case .data(let stream, let bytes): try pass(bytes, on: stream, from: id)
        case .credit(let stream, let count): try credit(Int(count), on: stream, of: id)
        case .close(let stream, let closing): close(stream, of: id, sending: closing)
        case .ping: send(.pong, to: id)
        case .hello, .welcome, .appeared, .gone, .pong, .farewell: throw .untimely("this frame")
        }
    }

    /// Counts what a device sent against its user's rate.
    ///
    /// - Returns: the seconds for which the server should read nothing from it.
    mutating func charge(_ frames: [RelayFrame], bytes: Int, of id: ID, at now: ContinuousClock.Instant) -> Double {
        guard let user = devices[id]?.user else { return 0 }
        let announcements = frames.count {
            switch $0 {
            case .hello, .open: true
            default: false
            }
        }
        let cost = bytes + max(frames.count, 1) * limits.frameBytes + announcements * limits.announcementBytes
        return paces.spendTokensOnCredit(Double(cost), of: user, at: now)
    }

    private mutating func announce(_ peer: RelayPeer) {
        for id in peers(of: peer.number) where devices[id]?.user == devices[peer.number]?.user {
            guard let former = devices[id]?.announced, former.key == peer.key, former.name == peer.name else {
                continue
            }
            // The device lost its former connection, and the server has not noticed yet.
            end(id, .replaced)
        }
        send(
            .welcome(
                RelayTerms(
                    windowBytes: UInt32(limits.windowBytes), streams: UInt16(clamping: limits.streams),
                    silenceSeconds: UInt16(clamping: limits.silenceSeconds))), to: peer.number)
        for other in peers(of: peer.number) {
            if let there = devices[other]?.announced { send(.appeared(there), to: peer.number) }
            send(.appeared(peer), to: other)
        }
        devices[peer.number]?.announced = peer
    }

    // MARK: Streams

    private mutating func open(_ stream: UInt32, from id: ID, to peer: ID) throws(RelayError) {
        guard let device = devices[id] else { return }
        guard stream > 0, stream < RelayFrame.firstIncoming, device.streams[stream] == nil else {
            throw .untimely("a stream of this number")
        }
        guard let other = devices[peer], peer != id, other.team == device.team, other.announced != nil else {
            return send(.close(stream: stream, .absent), to: id)
        }
        guard device.streams.count < limits.streams, other.streams.count < limits.streams else {
            return send(.close(stream: stream, .tooMany), to: id)
        }
        var number = other.nextIncoming
        while other.streams[number] != nil { number = number == .max ? RelayFrame.firstIncoming : number + 1 }
        devices[peer]?.nextIncoming = number == .max ? RelayFrame.firstIncoming : number + 1
        devices[id]?.streams[stream] = End(other: peer, otherStream: number, isOpener: true)
        devices[peer]?.streams[number] = End(other: id, otherStream: stream, isOpener: false)
        counts.streams += 1
        counts.openStreams += 1
        send(.open(stream: number, peer: id), to: peer)
    }

    private mutating func accept(_ stream: UInt32, of id: ID) throws(RelayError) {
        // The other end may have closed the stream in the meantime. The same holds for every frame of a stream.
        guard let end = devices[id]?.streams[stream] else { return }
        guard !end.isOpener, !end.isAccepted else { throw .untimely("an acceptance") }
        for (device, stream) in [(id, stream), (end.other, end.otherStream)] {
            devices[device]?.streams[stream]?.isAccepted = true
            devices[device]?.streams[stream]?.credit = limits.windowBytes
        }
        send(.accept(stream: end.otherStream), to: end.other)
    }

    private mutating func pass(_ bytes: [UInt8], on stream: UInt32, from id: ID) throws(RelayError) {
        guard let end = devices[id]?.streams[stream] else { return }
        guard bytes.count <= end.credit else { throw .overCredit }
        let owed = devices[end.other]?.owed ?? 0
        guard owed + bytes.count <= limits.owedBytes, owedInAll + bytes.count <= limits.owedBytesInAll else {
            counts.slowStreams += 1
            send(.close(stream: stream, .slow), to: id)
            return close(stream, of: id, sending: .slow)
        }
        devices[id]?.streams[stream]?.credit -= bytes.count
        devices[end.other]?.owed += bytes.count
        owedInAll += bytes.count
        counts.bytes += bytes.count
        send(.data(stream: end.otherStream, bytes), to: end.other)
    }

    private mutating func credit(_ count: Int, on stream: UInt32, of id: ID) throws(RelayError) {
        guard let end = devices[id]?.streams[stream], let sender = devices[end.other]?.streams[end.otherStream] else {
            return
        }
        guard sender.isAccepted, sender.credit + count <= limits.windowBytes else { throw .overCredit }
        devices[end.other]?.streams[end.otherStream]?.credit += count
        devices[id]?.owed -= count
        owedInAll -= count
        send(.credit(stream: end.otherStream, bytes: UInt32(count)), to: end.other)
    }

    /// Removes a stream at both ends, and tells the other one.
    private mutating func close(_ stream: UInt32, of id: ID, sending closing: RelayFrame.Closing) {
        guard let end = devices[id]?.streams.removeValue(forKey: stream) else { return }
        counts.openStreams -= 1
        let other = devices[end.other]?.streams.removeValue(forKey: end.otherStream)
        forgive(end, sentTo: end.other)
        if let other { forgive(other, sentTo: id) }
        send(.close(stream: end.otherStream, closing), to: end.other)
    }

    /// Stops counting the bytes that one end sent and the other has not credited.
    private mutating func forgive(_ end: End, sentTo id: ID) {
        guard end.isAccepted else { return }
        let count = limits.windowBytes - end.credit
        devices[id]?.owed -= count
        owedInAll -= count
    }

    private mutating func send(_ frame: RelayFrame, to id: ID) {
        // This code keeps no copy of the device: with a second reference, a write would copy the whole outbox.
        guard devices[id]?.isEnding == false, let waiting = devices[id]?.outbox.readableBytes else { return }
        if waiting == 0 { woken.insert(id) }
        devices[id]?.outbox.writeBytes(frame.bytes)
        if waiting > limits.waitingBytes { end(id, .slow) }
    }
}
