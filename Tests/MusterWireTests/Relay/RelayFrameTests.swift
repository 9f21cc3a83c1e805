import MusterWire
import Testing

@Suite struct RelayFrameTests {
    private static let frames: [RelayFrame] =
        [
            .hello(name: "Ana", key: "1f3a5c7e"), .hello(name: String(repeating: "é", count: 31), key: "0"),
            .welcome(RelayTerms(windowBytes: 32_768, streams: 160, silenceSeconds: 60)),
            .appeared(RelayPeer(number: 7, account: "ana", name: "Anas Handy", key: "1F3A")), .gone(peer: .max),
            .open(stream: 1, peer: 7), .accept(stream: RelayFrame.firstIncoming), .data(stream: 1, [0]),
            .data(stream: 2, [UInt8](repeating: 9, count: RelayFrame.dataLimit)), .credit(stream: 1, bytes: .max),
            .ping, .pong,
        ] + RelayFrame.Closing.allCases.map { .close(stream: 3, $0) }
        + RelayFrame.Farewell.allCases.map { .farewell($0) }

    /// Returns the frames that the reader finds when `pieces` bytes arrive at a time, and the fault behind them.
    private func read(_ bytes: [UInt8], pieces: Int) -> ([RelayFrame], RelayError?) {
        var reader = RelayFrameReader()
        var (found, rest) = ([RelayFrame](), bytes[...])
        while !rest.isEmpty {
            reader.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            do throws(RelayError) {
                while let frame = try reader.next() { found.append(frame) }
            } catch {
                return (found, error)
            }
        }
        return (found, nil)
    }

    @Test(arguments: [1, 3, 1_000, .max / 2])
    func `every frame is read as it was written, in whatever pieces it arrives`(_ pieces: Int) {
        let (found, fault) = read(Self.frames.flatMap(\.bytes), pieces: pieces)
        #expect(found == Self.frames)
        #expect(fault == nil)
    }

    @Test func `a frame that is cut, or has a byte too many, is refused`() {
        for frame in Self.frames {
            let body = Array(frame.bytes.dropFirst(2))
            for count in 1..<min(body.count, 40) {
                let cut = [0, UInt8(count)] + body.prefix(count)
                if case .data = frame, count > 5 { continue }
                #expect(read(cut, pieces: 100).1 == .malformed, "\(frame), \(count)")
            }
            if case .data = frame { continue }
            let long = [UInt8((body.count + 1) >> 8), UInt8((body.count + 1) & 0xFF)] + body + [0]
            #expect(read(long, pieces: 1_000).1 == .malformed, "\(frame)")
        }
    }

    @Test func `a frame with an invalid value is refused`() {
        func hello(_ name: [UInt8], _ key: [UInt8], version: UInt8 = 1) -> [UInt8] {
            let body = [1, version, UInt8(name.count)] + name + [UInt8(key.count)] + key
            return [0, UInt8(body.count)] + body
        }
        let (ana, key) = (Array("ana".utf8), Array("1f".utf8))
        let cases: [([UInt8], RelayError)] = [
            (hello(ana, key, version: 2), .version(2)),
            (hello([], key), .malformed), (hello([27], key), .malformed), (hello([0xFF], key), .malformed),
            (hello([UInt8](repeating: 97, count: 64), key), .malformed), (hello(ana, []), .malformed),
            (hello(ana, Array("xy".utf8)), .malformed), (hello(ana, [UInt8](repeating: 48, count: 17)), .malformed),
            ([0, 0], .tooLong(0)), ([0xFF, 0xFF], .tooLong(65_535)), ([0, 1, 0], .malformed), ([0, 1, 13], .malformed),
            // No bytes of a stream, credit for none, and reasons that do not exist.
            ([0, 5, 7, 0, 0, 0, 1], .malformed), ([0, 9, 8, 0, 0, 0, 1, 0, 0, 0, 0], .malformed),
            ([0, 6, 9, 0, 0, 0, 1, 6], .malformed), ([0, 2, 12, 6], .malformed),
        ]
        for (bytes, fault) in cases {
            let (found, told) = read(bytes, pieces: 100)
            #expect(told == fault && found.isEmpty, "\(bytes)")
        }
    }
}
