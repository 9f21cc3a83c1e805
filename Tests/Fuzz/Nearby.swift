import MusterCore

/// The decoders read the bytes of a channel and of an accessory alike, however a connection splits them. A message that
/// is encoded and decoded is equal to the original. No peer or accessory makes this side send what it must not: a token
/// before a peer was accepted, or anything after the end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: size))
    let messages = channelMessages(bytes, pieces: max(1, size))
    guard channelMessages(bytes, pieces: 3) == messages else { fatalError("pieces of three are read differently") }
    for message in messages where channelMessages(message.bytes, pieces: 1_024) != [message] {
        fatalError("a message that is encoded and decoded again differs from the original")
    }
    converse(messages, isAccepted: true)
    converse(messages, isAccepted: false)
    let accessory = accessoryMessages(bytes, pieces: max(1, size))
    guard accessoryMessages(bytes, pieces: 3) == accessory else { fatalError("an accessory's pieces read differently") }
    range(accessory)
    _ = try? GPSPlace.report(in: bytes)
    return 0
}

private func channelMessages(_ bytes: [UInt8], pieces: Int) -> [ChannelMessage] {
    var reader = FrameReader(prefixBytes: 2, limit: ChannelMessage.limitBytes)
    var (found, rest) = ([ChannelMessage](), bytes[...])
    while !rest.isEmpty {
        reader.append(rest.prefix(pieces))
        rest = rest.dropFirst(pieces)
        do { while let frame = try reader.next() { found.append(try ChannelMessage(frame)) } } catch { return found }
    }
    return found
}

private func accessoryMessages(_ bytes: [UInt8], pieces: Int) -> [AccessoryMessage] {
    var reader = AccessoryStreamReader()
    var (found, rest) = ([AccessoryMessage](), bytes[...])
    while !rest.isEmpty {
        reader.append(rest.prefix(pieces))
        rest = rest.dropFirst(pieces)
        do { while let message = try reader.next() { found.append(message) } } catch { return found }
    }
    return found
}

/// Answers a peer that sends these messages, a tenth of a second apart.
private func converse(_ messages: [ChannelMessage], isAccepted: Bool) {
    var now = Instant(milliseconds: 0)
    let own = Conversation.Own(
        name: "own", proof: [], run: 1, capabilities: PeerCapabilities(kinds: [.gps], direction: true),
        token: DiscoveryToken(bytes: [UInt8](repeating: 1, count: 16), epoch: 1),
        rangeTag: RangeTag(high: 1, low: 1))
    var conversation = Conversation(own, deadlines: .init(), at: now)
    var (isOver, mayTell) = (false, false)
    func check(_ actions: [Conversation.Action]) {
        for action in actions {
            guard !isOver else { fatalError("something follows the end") }
            switch action {
            case .end: isOver = true
            case .send(.token), .send(.welcome), .send(.note), .send(.rangeTag), .note, .tagged, .open:
                guard mayTell else { fatalError("a peer that was not accepted learns something") }
            default: break
            }
        }
    }
    check(conversation.begin())
    for message in messages {
        now = now.advanced(bySeconds: 0.1)
        let actions = conversation.receive(message, at: now)
        check(actions)
        if actions.contains(where: { if case .judge = $0 { true } else { false } }) {
            mayTell = isAccepted
            check(conversation.decide(refusal: isAccepted ? nil : "no", at: now))
        }
        check(conversation.tick(at: now))
    }
}

/// Ranges with an accessory that sends these messages; the radio always answers.
private func range(_ messages: [AccessoryMessage]) {
    var machine = AccessoryMachine()
    var isOver = false
    func handle(_ event: AccessoryMachine.Event) {
        for effect in machine.handle(event) {
            guard !isOver else { fatalError("something follows the end") }
            switch effect {
            case .configureRadio: handle(.configured([1]))
            case .end: isOver = true
            default: break
            }
        }
    }
    handle(.start)
    for message in messages { handle(.received(message)) }
    handle(.closed)
    guard isOver, machine.state == .stopped else { fatalError("a closed connection does not end the ranging") }
}
