import Testing

@testable import MusterMDNS

/// Many hosts on one link that loses datagrams.
struct SimulatedNetworkTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every host sees every other, through loss, a death, a goodbye and a newcomer`(_ seed: UInt64) throws {
        var network = SimulatedNetwork(seed: seed)
        network.loss = 0.2
        for host in 1...8 {
            network.add(host)
            try network.advertise("host \(host)", on: host)
            try network.browse(on: host)
        }
        network.run(for: .seconds(30))
        for host in 1...8 { #expect(network.seen(by: host).count == 7, "seed \(seed), host \(host)") }

        network.kill(8)
        network.hosts[7]?.withdrawAll()
        network.run(for: .seconds(3))
        network.kill(7)
        network.add(9)
        try network.advertise("host 9", on: 9)
        try network.browse(on: 9)
        // A host that was killed is forgotten when its records end.
        network.run(for: .seconds(150))
        let expected = [1, 2, 3, 4, 5, 6, 9]
        for host in expected {
            let others = expected.filter { $0 != host }.map { "host \($0)" }
            #expect(network.seen(by: host) == others, "seed \(seed), host \(host)")
        }
    }

    @Test func `a running service is found within a second, and a starting one within two`() throws {
        var delays: [(there: Duration, starts: Duration)] = []
        for seed in 1...40 as ClosedRange<UInt64> {
            var network = SimulatedNetwork(seed: seed)
            network.add(1)
            try network.advertise("there", on: 1)
            network.run(for: .seconds(10))
            network.add(2)
            try network.browse(on: 2)
            let browsed = network.now
            network.run(for: .seconds(10))
            network.add(3)
            try network.advertise("starts", on: 3)
            let started = network.now
            network.run(for: .seconds(10))
            let times = network.events.map(\.time)
            #expect(times.count == 2)
            delays.append((times[0] - browsed, times[1] - started))
        }
        #expect(delays.map(\.there).max() ?? .seconds(9) < .milliseconds(300))
        #expect(delays.map(\.starts).max() ?? .seconds(9) < .milliseconds(1_100))
    }

    @Test func `fifty hosts find each other with few datagrams`() throws {
        var network = SimulatedNetwork(seed: 5)
        for host in 1...50 {
            network.add(host)
            try network.advertise("host \(host)", on: host)
        }
        network.add(51)
        try network.browse(on: 51)
        network.run(for: .seconds(10))
        #expect(network.seen(by: 51).count == 50)
        // Three probes, two announcements and a few answers for each.
        #expect(network.sent.count < 50 * 8)
    }
}
