import ArgumentParser
import Foundation
import MusterGeometry
import MusterNearby
import MusterTerminal

extension Bench {
    /// Peers that measure each other over real channels on loopback.
    struct NearPeers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "nearby",
            abstract: "One device and its peers over TLS on loopback: the first distance, and the cost of updates.",
            discussion: """
                This process is the one device, and a process of its own runs all peers. So the processor time is that \
                of the one device's end alone.
                """)
        @Option(help: "Peers.") var peers = 50
        @Option(help: "Updates a second that the device sends to each peer.") var rate = 60.0
        @Option(help: "Updates a second that each peer sends; by default as many.") var peerRate: Double?
        @Option(help: "Seconds to measure for.") var seconds = 10

        func validate() throws {
            guard (1...64).contains(peers), (1...100).contains(rate), (2...100).contains(peerRate ?? 2), seconds > 0
            else {
                throw ValidationError("--peers: 1 to 64; --rate: 1 to 100; --peer-rate: 2 to 100; --seconds: above 0")
            }
        }

        func run() async throws {
            let hub = try NearbyDevices.device("hub", .standing(east: 0, north: 0, heading: 90), rate: rate)
            let running = Task { try await hub.run() }
            defer { running.cancel() }
            var news = hub.events.makeAsyncIterator()
            var port = 0
            while port == 0, let event = await news.next() { if case .listening(let open) = event { port = open } }
            let others = try NearbyPeerProcess(port: port, rate: peerRate ?? rate)
            defer { others.stop() }
            var waits: [Double] = []
            for _ in 0..<peers {
                // A device accepts 30 handshakes of one address in 10 s, and these all come from one.
                try await Task.sleep(for: .milliseconds(350))
                let began = ContinuousClock.now
                let name = others.startPeer()
                while let event = await news.next() {
                    if case .update(let peer, .measured) = event, peer.name == name { break }
                }
                waits.append((ContinuousClock.now - began) / .milliseconds(1))
            }
            waits.sort()
            let first = (Int(waits[waits.count / 2]), Int(waits[waits.count * 95 / 100]))
            Figures.record("first distance", "p50 ms", Double(first.0))
            Figures.record("first distance", "p95 ms", Double(first.1))
            announce("From the call to the first distance: p50 \(first.0) ms, p95 \(first.1) ms, \(peers) peers")
            try await measureCost(&news, others)
        }

        /// The bytes of a note on the wire at least: 28 of the message, 5 of the TLS record's head, 17 of its end.
        private static let noteBytes = 50.0

        /// Measures for some seconds what the updates cost the one device. All peers walk and nothing blurs distances,
        /// so a distance that differs from the one before shows that a note of the peer has arrived meanwhile.
        private func measureCost(
            _ news: inout News<NearbyEvent>.AsyncIterator, _ others: NearbyPeerProcess
        ) async throws {
            _ = try others.readCost()
            let (began, used) = (ContinuousClock.now, ProcessorUse.ofThisProcess)
            var (updates, changes) = (0, 0)
            var last: [KeyFingerprint: Metres] = [:]
            while ContinuousClock.now - began < .seconds(seconds), let event = await news.next() {
                guard case .update(let peer, .measured(let measurement)) = event else { continue }
                updates += 1
                if last.updateValue(measurement.distance ?? -1, forKey: peer.key) != measurement.distance {
                    changes += 1
                }
            }
            let time = (ContinuousClock.now - began) / .seconds(1)
            let use = ProcessorUse.ofThisProcess - used
            let theirs = try others.readCost()
            func aSecond(_ count: Int) -> Int { Int((Double(count) / time).rounded()) }
            func share(_ seconds: Double) -> String { "\((seconds / time * 1000).rounded() / 10) %" }
            announce(
                """
                One device, a process of its own: \(aSecond(updates)) updates a second of \(peers) peers reached its \
                reader, \(aSecond(changes)) with a new position of the peer. The device sends as many; \
                \(theirs.receivedBytes.map { "\(aSecond($0)) bytes" } ?? "an unknown number") a second reached the \
                peers, and \(aSecond(theirs.updates)) updates their readers.
                Its processor time, user and system (getrusage): \(share(use.seconds)) of a core \
                (\(share(use.userSeconds)) user), \(aSecond(use.switches)) context switches a second.
                The process of all \(peers) peers beside it: \(share(theirs.seconds)) of a core.
                """)
            let (least, sent) = (0.9 * time * Double(peers), Double(theirs.receivedBytes ?? .max))
            guard Double(changes) >= least * min(rate, peerRate ?? rate), sent >= least * rate * Self.noteBytes else {
                throw CommandFailure("fewer updates arrived than were asked for, so the cost is not measured")
            }
            Figures.record("a device's share of a core", "%", use.seconds / time * 100)
        }
    }

    /// The peers of `nearby`, in a process of their own. It ends when its standard input does.
    struct NearPeersBeside: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "nearby-peers", abstract: "The peers of `nearby`.", shouldDisplay: false)
        @Option var port: Int
        @Option var rate: Double

        func run() async throws {
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            // Reading blocks, so it has a thread of its own.
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
            let count = UpdateCount()
            var (devices, used) = ([Task<Void, any Error>](), ProcessorUse.ofThisProcess)
            var received = Self.readBytes()
            defer { for device in devices { device.cancel() } }
            announce("ready")
            for await line in lines {
                if line == "cost" {
                    let now = Self.readBytes()
                    let bytes = now.flatMap { now in received.map { "\(now - $0)" } } ?? "unknown"
                    announce("\(count.takeCount()) \((ProcessorUse.ofThisProcess - used).seconds) \(bytes)")
                    (used, received) = (ProcessorUse.ofThisProcess, now)
                    continue
                }
                let device = try NearbyDevices.device(
                    line, .wandering(within: 20, speed: 1.4), seed: UInt64(devices.count + 1), rate: rate,
                    dialling: port)
                devices.append(
                    Task {
                        async let running: Void = device.run()
                        for await event in device.events { if case .update(_, .measured) = event { count.add() } }
                        try await running
                    })
            }
        }

        /// The bytes that this process has read, from sockets too; nil where the system does not count them.
        private static func readBytes() -> Int? {
            guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("rchar: ") })
            else { return nil }
            return Int(line.dropFirst("rchar: ".count))
        }
    }
}
