import MusterCore
import MusterGeometry
import MusterStore
import Testing

/// Positions as the documents' readers see them, against what the log says.
@Suite struct PositionReaderTests {
    /// A store to which four devices reported at random, late and early, some of it by documents.
    private func bench(_ kind: StoreKind, seed: UInt64) throws -> (Bench, told: [SequencedPosition]) {
        print("seed \(seed)")
        let bench = try Bench(kind)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let device = Int32.random(in: 1...4, using: &generator)
            let positions = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                let second = Double.random(in: 0...30_000, using: &generator).rounded()
                var position = Position.test(second, step: .random(in: 0...3, using: &generator))
                if Int.random(in: 0..<5, using: &generator) == 0 { position.source = .couchDB }
                return position
            }
            var known: Set<HistoryCursor> = []
            let new = positions.filter { known.insert(HistoryCursor($0)).inserted }
            try bench.store.write(at: .test(30_000 + Double(round))) { transaction in
                for position in new where try !transaction.holds(position, of: DeviceNumber(device)) {
                    try transaction.append(.position(position, of: DeviceNumber(device), isCurrent: true))
                }
            }
            if round % 17 == 5 { while try bench.store.settle(limit: 7) {} }
        }
        let told = try bench.store.log().compactMap { logged -> SequencedPosition? in
            guard case .position(let position, let device, _) = logged.change, position.source != .couchDB else {
                return nil
            }
            return SequencedPosition(sequence: logged.sequence, device: device, position: position)
        }
        return (bench, told)
    }

    private func read<Result>(_ bench: Bench, _ body: (any PositionReader) throws -> Result) throws -> Result {
        try bench.store.readDocuments { _, positions in try body(positions) }
    }

    @Test(arguments: StoreKind.allCases)
    func `positions come page by page in the order of their changes`(kind: StoreKind) throws {
        let (bench, told) = try bench(kind, seed: 11)
        for devices in [[1], [2, 4], [1, 2, 3, 4], [9]].map({ $0.map { DeviceNumber(Int32($0)) } }) {
            let own = told.filter { devices.contains($0.device) }
            for limit in [1, 7, 1_000] {
                var found: [SequencedPosition] = []
                while true {
                    let since = found.last?.sequence ?? .zero
                    let page = try read(bench) {
                        try $0.positions(of: devices, since: since, through: nil, isDescending: false, limit: limit)
                    }
                    if page.isEmpty { break }
                    found += page
                }
                #expect(found == own)
                let middle = own.isEmpty ? bench.store.lastSequence : own[own.count / 2].sequence
                for end in [nil, .zero, told[told.count / 4].sequence, middle, told[told.count * 3 / 4].sequence] {
                    let up = try read(bench) {
                        try $0.positions(of: devices, since: middle, through: end, isDescending: false, limit: limit)
                    }
                    let above = own.filter { $0.sequence > middle && (end == nil || $0.sequence <= end!) }
                    #expect(up == Array(above.prefix(limit)))
                    let down = try read(bench) {
                        try $0.positions(of: devices, since: middle, through: end, isDescending: true, limit: limit)
                    }
                    let below = own.filter { $0.sequence <= middle && (end == nil || $0.sequence >= end!) }
                    #expect(down == Array(below.reversed().prefix(limit)))
                }
            }
            #expect(try read(bench) { try $0.positionCount(of: devices) } == own.count)
            let since = bench.store.lastSequence.rawValue / 3
            let later = own.count { $0.sequence.rawValue > since }
            #expect(try read(bench) { try $0.positionCount(of: devices, since: LogSequence(since)) } == later)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `everybody's positions come in the order of their changes`(kind: StoreKind) throws {
        let (bench, told) = try bench(kind, seed: 12)
        let middle = told[told.count / 2].sequence
        let ends = [nil, told[told.count / 4].sequence, middle, told[told.count * 3 / 4].sequence]
        for (limit, end) in [1, 10, 1_000].flatMap({ limit in ends.map { (limit, $0) } }) {
            let up = try read(bench) {
                try $0.positionsOfAll(since: middle, through: end, isDescending: false, limit: limit)
            }
            let above = told.filter { $0.sequence > middle && (end == nil || $0.sequence <= end!) }
            #expect(up == Array(above.prefix(limit)))
            let down = try read(bench) {
                try $0.positionsOfAll(since: middle, through: end, isDescending: true, limit: limit)
            }
            let below = told.filter { $0.sequence <= middle && (end == nil || $0.sequence >= end!) }
            #expect(down == Array(below.reversed().prefix(limit)))
        }
        #expect(try read(bench) { try $0.positionCount(of: nil) } == told.count)
    }

    @Test(arguments: StoreKind.allCases)
    func `positions come page by page in the order of the history, up and down`(kind: StoreKind) throws {
        let (bench, told) = try bench(kind, seed: 13)
        for device in (1...4).map({ DeviceNumber($0) }) {
            let own = told.filter { $0.device == device }.sorted {
                ($0.position.sampleTime, $0.position.coordinate.latitude)
                    < ($1.position.sampleTime, $1.position.coordinate.latitude)
            }
            for isDescending in [false, true] {
                var found: [SequencedPosition] = []
                while true {
                    let cursor = found.last.map { HistoryCursor($0.position) }
                    let page = try read(bench) {
                        try $0.positions(of: device, after: cursor, isDescending: isDescending, limit: 6)
                    }
                    if page.isEmpty { break }
                    found += page
                }
                #expect(found == (isDescending ? own.reversed() : own))
            }
            for position in own.prefix(5) {
                let found = try read(bench) { try $0.position(of: device, at: HistoryCursor(position.position)) }
                #expect(found == position)
            }
            #expect(try read(bench) { try $0.position(of: device, at: HistoryCursor(.test(-1))) } == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `forgotten or removed positions are not read`(kind: StoreKind) throws {
        let (bench, told) = try bench(kind, seed: 14)
        while try bench.store.settle(limit: 50) {}
        while try bench.store.forget(before: .test(15_000), limit: 10) > 0 {}
        let devices = (1...4).map { DeviceNumber($0) }
        let left = told.filter { $0.position.sampleTime >= .test(15_000) }
        let all = {
            try read(bench) {
                try $0.positions(of: devices, since: .zero, through: nil, isDescending: false, limit: 1_000)
            }
        }
        #expect(try all() == left)
        try bench.store.write(at: .test(100)) { try $0.remove(DeviceNumber(2)) }
        let others = left.filter { $0.device != DeviceNumber(2) }
        #expect(try all() == others)
        #expect(try read(bench) { try $0.positionCount(of: devices) } == others.count)
    }
}
