import MusterCore
import MusterDocuments
import MusterGeometry
import MusterStore
import Testing

@Suite struct ChangeCodecTests {
    private func decode(_ bytes: [UInt8]) throws -> [Change?] {
        try bytes.withUnsafeBytes { try ChangeCodec.decode($0) }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `encoded changes are read back bit by bit`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var codec = ChangeCodec()
            let changes = (0..<Int.random(in: 0...20, using: &generator)).map { _ -> Change? in
                Int.random(in: 0..<9, using: &generator) == 0 ? nil : .random(&generator)
            }
            for change in changes { codec.put(change) }
            let decoded = try decode(codec.bytes)
            #expect(decoded == changes)
            #expect(codec.count == changes.count)
            // −0 equals 0: only writing it again shows that each bit came back.
            var again = ChangeCodec()
            for change in decoded { again.put(change) }
            #expect(again.bytes == codec.bytes)
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `damaged bytes are refused or read as something, and never trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<20_000 {
            var codec = ChangeCodec()
            for _ in 0..<3 { codec.put(.random(&generator)) }
            var bytes = codec.bytes
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            case 1:
                for _ in 0..<4 {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            default: bytes = (0..<40).map { _ in .random(in: 0...255, using: &generator) }
            }
            do { _ = try decode(bytes) } catch { refused += 1 }
        }
        #expect(refused > 10_000)
    }

    @Test func `every truncation of a blob is refused or is a shorter list of whole changes`() throws {
        var generator = SeededGenerator(seed: 6)
        let changes = (0..<8).map { _ in Change.random(&generator) }
        var codec = ChangeCodec()
        for change in changes { codec.put(change) }
        var whole = 0
        for length in 0..<codec.bytes.count {
            guard let decoded = try? decode(Array(codec.bytes[..<length])) else { continue }
            #expect(decoded == changes.prefix(decoded.count).map { $0 })
            whole += 1
        }
        #expect(whole == changes.count)
    }

    @Test func `a blob of a newer version is refused with its version`() throws {
        #expect(throws: CodecError.unknownVersion(2)) { try decode([2, 0]) }
        #expect(throws: CodecError.truncated(offset: 0)) { try decode([]) }
    }

    @Test func `an ordinary position takes about 40 bytes`() {
        var codec = ChangeCodec()
        var position = Position.test(5)
        position.accuracy = 12.5
        position.speed = 1.4
        position.heading = 271
        position.battery = 87
        codec.put(.position(position, of: DeviceNumber(70_000), isCurrent: true))
        #expect(codec.bytes.count <= 42)
    }
}
