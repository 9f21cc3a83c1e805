import MusterCoding
import MusterCore
import Testing

@testable import MusterWire

/// Packets of Bluetooth controllers: in pieces, of both forms of reports, and such as contradict themselves.
struct HCITests {
    /// LE Advertising Report: two advertisements, the second from an address that changes.
    static let legacy =
        "043e1d" + "0202" + "0000" + "4f884c33b8cb" + "03" + "020106" + "c9"
        + "0301" + "010203040545" + "04" + "03ff4c00" + "7f"
    /// LE Extended Advertising Report of an iBeacon.
    static let extended =
        "043e38" + "0d01" + "1300" + "01" + "4f884c33b8cb" + "01000000" + "c4" + "0000" + "00"
        + "000000000000" + "1e" + AdvertisementTests.iBeacon

    private func bytes(_ digits: String) throws -> [UInt8] { try #require(Hexadecimal.decode(digits.utf8)) }

    private func event(_ digits: String) throws -> HCIEvent { try HCIEvent(try bytes(digits).dropFirst()) }

    @Test func `both forms of reports of advertisements are read`() throws {
        guard case .heard(let reports) = try event(Self.legacy) else {
            Issue.record("no reports")
            return
        }
        #expect(reports.map(\.address) == [0xCBB8_334C_884F, 0x4505_0403_0201])
        #expect(reports.map(\.addressKind) == [.lasting, .changing])
        #expect(reports.map(\.signal) == [-55, nil])
        #expect(reports.map(\.payload) == [[2, 1, 6], [3, 0xFF, 0x4C, 0]])
        guard case .heard(let longer) = try event(Self.extended) else {
            Issue.record("no reports")
            return
        }
        #expect(longer.map(\.address) == [0xCBB8_334C_884F])
        #expect(longer.map(\.signal) == [-60])
        #expect(longer.map(\.payload) == [try bytes(AdvertisementTests.iBeacon)])
        #expect(longer.map(\.addressKind) == [.lasting] && longer.map(\.part) == [.last])
    }

    @Test func `no packet that is cut off anywhere is read as a whole one`() throws {
        for text in [Self.legacy, Self.extended, "040e0401030c00", "040f0401010310"] {
            let whole = try bytes(text)
            for count in 0..<whole.count {
                var reader = HCIPacketReader()
                reader.append(whole.prefix(count))
                #expect(try reader.next() == nil)
                // A packet whose own length is right, and whose content is shorter than it says.
                guard count > 3 else { continue }
                var lying = Array(whole[1..<count])
                lying[1] = UInt8(lying.count - 2)
                #expect(throws: HCIError.truncated) { try HCIEvent(lying[...]) }
            }
        }
    }

    @Test func `packets arrive in pieces of any size, between packets of other types`() throws {
        let stream = try bytes("02" + "0120" + "0300" + "aabbcc" + Self.legacy + "040e0401030c00" + Self.extended)
        for size in [1, 2, 7, stream.count] {
            var reader = HCIPacketReader()
            var packets: [HCIPacket] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                reader.append(stream[start..<min(start + size, stream.count)])
                while let packet = try reader.next() { packets.append(packet) }
            }
            #expect(packets.map(\.kind) == [.acknowledgedData, .event, .event, .event], "pieces of \(size)")
            #expect(reader.waitingBytes == 0)
        }
        var reader = HCIPacketReader()
        reader.append([0x47, 0x45, 0x54])
        #expect(throws: HCIError.unknownType(0x47)) { try reader.next() }
    }

    @Test func `a long advertisement is joined from its fragments`() {
        var assembler = AdvertisementAssembler()
        func report(_ payload: [UInt8], _ part: AdvertisingReport.Part, from address: UInt64 = 1) -> AdvertisingReport {
            AdvertisingReport(
                address: address, addressKind: .lasting, signal: -50, payload: payload, set: 0, part: part)
        }
        #expect(assembler.add(report([1, 2], .more)) == nil)
        #expect(assembler.add(report([9], .last, from: 2)) == [9])
        #expect(assembler.add(report([3], .more)) == nil)
        #expect(assembler.add(report([4], .last)) == [1, 2, 3, 4])
        // The rest was lost, so the next begins anew.
        #expect(assembler.add(report([1], .more)) == nil)
        #expect(assembler.add(report([2], .cut)) == nil)
        #expect(assembler.add(report([5], .last)) == [5])
        // Nobody fills the memory with beginnings.
        for address in 0..<10_000 { #expect(assembler.add(report([1], .more, from: UInt64(address))) == nil) }
        for _ in 0..<20 { _ = assembler.add(report([UInt8](repeating: 0, count: 229), .more, from: 77)) }
        #expect(assembler.add(report([], .last, from: 77))?.count ?? 0 <= AdvertisementReader.limitBytes)
    }

    // MARK: Setting a controller up

    /// Runs a setup against a controller, and returns the opcodes of its commands.
    private func run(
        _ setup: inout ScanSetup, _ answer: (UInt16) -> (status: UInt8, values: [UInt8])
    ) throws -> [UInt16] {
        var command: [UInt8]? = setup.firstCommand
        var opcodes: [UInt16] = []
        while let sent = command {
            #expect(sent[0] == 1 && Int(sent[3]) == sent.count - 4)
            let opcode = UInt16(sent[2]) << 8 | UInt16(sent[1])
            opcodes.append(opcode)
            let (status, values) = answer(opcode)
            // An answer to another command is none.
            #expect(try setup.follow(.completed(opcode: 0x1234, status: 0, values: [])) == nil)
            command = try setup.follow(.completed(opcode: opcode, status: status, values: values))
        }
        return opcodes
    }

    @Test func `a controller scans in the newer form if it can, and in the older otherwise`() throws {
        var able = [UInt8](repeating: 0, count: 64)
        able[37] = 0x60
        for (commands, extended) in [(able, true), ([UInt8](repeating: 0, count: 64), false), ([], false)] {
            for resets in [true, false] {
                var setup = ScanSetup(resets: resets)
                let opcodes = try run(&setup) { (0, $0 == 0x1002 ? commands : []) }
                #expect(setup.isScanning)
                #expect(opcodes.contains(0x0C03) == resets && opcodes.contains(0x0C01) == resets)
                #expect(opcodes.suffix(3) == (extended ? [0x2042, 0x2041, 0x2042] : [0x200C, 0x200B, 0x200C]))
            }
        }
    }

    @Test func `a controller may refuse to stop a scan that it does not run, and not to scan`() {
        var stops = 0
        var setup = ScanSetup(resets: true)
        #expect(throws: Never.self) {
            _ = try run(&setup) { opcode in
                if opcode == 0x200C { stops += 1 }
                return (opcode == 0x200C && stops == 1 ? 0x0C : 0, [])
            }
        }
        #expect(setup.isScanning)
        var refused = ScanSetup(resets: true)
        let fault = #expect(throws: ScanSetupError.self) { _ = try run(&refused) { ($0 == 0x200B ? 0x0C : 0, []) } }
        #expect(fault?.description == "the Bluetooth controller refused to set up a scan: another program uses it")
        #expect(!refused.isScanning)
    }

    // MARK: Watching a scan

    /// A controller that may be deaf, and a watch over it.
    private struct WatchedController {
        var watch = ScanWatch(resets: false, at: 0)
        /// Whether it refuses the parameters of a scan while it scans, as it must.
        var isStrict = true
        var isScanning = false
        var isDead = false
        var scanCommands = 0

        private func answer(_ packet: [UInt8]) -> HCIEvent {
            let opcode = UInt16(packet[2]) << 8 | UInt16(packet[1])
            let isRefused = opcode == 0x200B && isScanning && isStrict
            return .completed(opcode: opcode, status: isRefused ? 0x0C : 0, values: [])
        }

        /// Carries out the turns of the watch, and returns those that are facts about the scan.
        mutating func perform(_ turns: [ScanWatch.Turn], at now: Double) throws -> [ScanWatch.Turn] {
            var told: [ScanWatch.Turn] = []
            var rest = turns[...]
            while let turn = rest.popFirst() {
                guard case .send(let packet) = turn else {
                    told.append(turn)
                    continue
                }
                if isDead { continue }
                let answer = answer(packet)
                if packet[1...2] == [0x0C, 0x20] {
                    isScanning = packet[4] == 1
                    scanCommands += 1
                }
                rest += try watch.follow(answer, at: now)
            }
            return told
        }

        mutating func start() throws -> [ScanWatch.Turn] { try perform([.send(watch.firstCommand)], at: 0) }
        mutating func advance(to now: Double) throws -> [ScanWatch.Turn] {
            try perform(watch.advance(to: now), at: now)
        }
        mutating func follow(_ event: HCIEvent, at now: Double) throws -> [ScanWatch.Turn] {
            try perform(watch.follow(event, at: now), at: now)
        }
    }

    @Test func `a controller in a silent room proves again and again that it scans`() throws {
        for isStrict in [true, false] {
            var controller = WatchedController(isStrict: isStrict)
            #expect(try controller.start().first == .begins)
            let before = controller.scanCommands
            for second in 1...100 {
                let told = try controller.advance(to: Double(second))
                #expect(told == (second % 2 == 0 ? [.proves] : []) && controller.watch.isScanning)
            }
            #expect(controller.isScanning && (controller.scanCommands == before) == isStrict)
        }
    }

    @Test func `an advertisement is a proof, so a controller that hears is not asked`() throws {
        var controller = WatchedController()
        _ = try controller.start()
        for second in 1...100 {
            #expect(try controller.follow(.heard([]), at: Double(second)).isEmpty)
            #expect(controller.watch.advance(to: Double(second) + 0.5).isEmpty)
        }
    }

    @Test func `a scan that ended silently is noticed and set up again, and nothing is proved meanwhile`() throws {
        var controller = WatchedController()
        _ = try controller.start()
        controller.isScanning = false
        #expect(try controller.advance(to: 1.9) == [])
        #expect(try controller.advance(to: 2) == [.ends(.stopped)])
        #expect(!controller.watch.isScanning)
        #expect(try controller.advance(to: 2.9) == [])
        #expect(try controller.advance(to: 3).prefix(2) == [.begins, .proves])
        #expect(controller.isScanning)
    }

    @Test(arguments: [
        (HCIEvent.completed(opcode: 0x200C, status: 0, values: []), ScanWatch.Interruption.otherProgram),
        (.completed(opcode: 0x2042, status: 0, values: []), .otherProgram),
        (.completed(opcode: 0x200B, status: 0, values: []), .otherProgram),
        (.completed(opcode: 0x0C03, status: 0, values: []), .reset),
        (.other(code: 0x10), .hardware),
    ])
    func `an answer to another program about the scan ends the hearing until it is set up again`(
        _ event: HCIEvent, _ cause: ScanWatch.Interruption
    ) throws {
        var controller = WatchedController()
        _ = try controller.start()
        controller.isScanning = false
        #expect(try controller.follow(event, at: 1) == [.ends(cause)])
        #expect(try controller.follow(.heard([]), at: 1.5) == [] && !controller.watch.isScanning)
        #expect(try controller.advance(to: 2).first == .begins)
        #expect(controller.isScanning)
    }

    @Test func `two programs that take the scan from each other wait longer each time`() throws {
        var controller = WatchedController()
        _ = try controller.start()
        var now = 0.0
        var waits: [Double] = []
        for _ in 0..<8 {
            _ = try controller.follow(.completed(opcode: 0x200C, status: 0, values: []), at: now)
            let ended = now
            while try !controller.advance(to: now).contains(.begins) { now += 1 }
            waits.append(now - ended)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 32, 32])
        now += 60
        _ = try controller.follow(.completed(opcode: 0x200C, status: 0, values: []), at: now)
        #expect(try controller.advance(to: now + 1).first == .begins)
    }

    @Test func `a controller that does not answer is silent after some seconds`() throws {
        var controller = WatchedController()
        _ = try controller.start()
        controller.isDead = true
        #expect(try controller.advance(to: 2) == [])
        #expect(!controller.watch.isSilent(at: 7))
        #expect(controller.watch.isSilent(at: 7.1))
        #expect(try controller.follow(.heard([]), at: 7.2) == [] && !controller.watch.isSilent(at: 7.3))
    }

    // MARK: Captures

    /// A capture of these records: flags, milliseconds since 1970, and a packet.
    static func capture(_ link: UInt32, _ records: [(flags: UInt32, time: Int64, packet: [UInt8])]) -> [UInt8] {
        func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        var bytes = Array("btsnoop".utf8) + [0] + word(1) + word(link)
        for record in records {
            let count = word(UInt32(record.packet.count))
            let time = UInt64(bitPattern: record.time * 1000) &+ 0x00DC_DDB3_0F2F_8000
            bytes += count + count + word(record.flags) + word(0)
            bytes += word(UInt32(truncatingIfNeeded: time >> 32)) + word(UInt32(truncatingIfNeeded: time))
            bytes += record.packet
        }
        return bytes
    }

    @Test func `a capture of each kind is read in pieces of any size`() throws {
        let packet = try bytes(Self.legacy)
        let bare = Array(packet.dropFirst())
        let time: Int64 = 1_764_000_000_123
        let captures = [
            Self.capture(1002, [(2, time - 5, [1, 3, 12, 0]), (3, time, packet), (3, time + 7, packet)]),
            Self.capture(1001, [(2, time - 5, [3, 12, 0]), (3, time, bare), (1, time, [1, 2]), (3, time + 7, bare)]),
            Self.capture(2001, [(0, time, [1]), (3, time, bare), (0x1_0003, time + 7, bare), (2, time, [3, 12, 0])]),
        ]
        for whole in captures {
            for size in [1, 5, 4_096] {
                var reader = BtsnoopReader()
                var records: [BtsnoopReader.Record] = []
                for start in stride(from: 0, to: whole.count, by: size) {
                    reader.append(whole[start..<min(start + size, whole.count)])
                    while let record = try reader.next() { records.append(record) }
                }
                #expect(records.map(\.time.milliseconds) == [time, time + 7])
                let counts = records.map { if case .heard(let reports) = $0.event { reports.count } else { 0 } }
                #expect(counts == [2, 2])
            }
        }
    }

    @Test func `a file that is not a capture is refused, and a damaged packet is skipped`() throws {
        func check(_ bytes: [UInt8], _ expected: BtsnoopError) {
            var reader = BtsnoopReader()
            reader.append(bytes)
            #expect(throws: expected) { try reader.next() }
        }
        check(Array("GIF89a".utf8), .noCapture)
        check(Self.capture(1003, []), .unknownLink(1003))
        var lying = Self.capture(1002, [(3, 0, [4])])
        lying[20] = 0xFF
        check(lying, .tooLong(bytes: 0xFF00_0001))
        var reader = BtsnoopReader()
        let packet = try bytes(Self.legacy)
        reader.append(Self.capture(1002, [(3, 0, [0x77]), (3, 0, [4, 0x3E, 9, 2, 200]), (3, 5, packet)]))
        #expect(try reader.next()?.time == Instant(milliseconds: 5))
        #expect(reader.malformedCount == 2)
        var empty = BtsnoopReader()
        #expect(try empty.next() == nil)
        #expect(empty.isWithinHeader)
    }
}
