import MusterCore
import MusterGeometry
import MusterTerminal
import NIOCore

/// People who walk at random through the square degree of the fences, and the requests that report them.
struct Walkers {
    private var places: [(latitude: Double, longitude: Double)]
    private var clocks: [Int64]
    /// Milliseconds from the last sample of each walker to the next; negative to report ever older ones.
    private var steps: [Int64]
    private var random: BenchRandom

    /// Walkers whose first samples are at a moment.
    ///
    /// - Parameter stepMilliseconds: from one sample of a walker to the next; negative to report ever older ones.
    init(_ count: Int, from start: Instant, stepMilliseconds: Int64, seed: UInt64 = 7) {
        random = BenchRandom(seed: seed)
        places = []
        for _ in 0..<count { places.append((46 + random.unit(), 14 + random.unit())) }
        clocks = Array(repeating: start.milliseconds, count: count)
        steps = Array(repeating: stepMilliseconds, count: count)
    }

    /// The newest sample time so far.
    var newestSample: Instant { Instant(milliseconds: clocks.max() ?? 0) }

    /// Sets the clocks so that the next samples of each walker end at a moment, or a little before it: they are spread
    /// over the time since the walker's last sample, but over no more than `seconds`.
    ///
    /// - Parameter samples: how many samples of one walker follow at most. Where a millisecond each is too much for the
    ///   time since the last sample, they end after the moment.
    mutating func spread(_ samples: Int, before end: Instant, seconds: Double) {
        let earliest = end.advanced(bySeconds: -seconds).milliseconds
        for walker in clocks.indices {
            clocks[walker] = max(clocks[walker], earliest)
            steps[walker] = max(1, (end.milliseconds - clocks[walker]) / Int64(max(1, samples)))
        }
    }

    /// Sets the time between two samples from here on.
    mutating func step(byMilliseconds milliseconds: Int64) {
        for walker in steps.indices { steps[walker] = milliseconds }
    }

    /// Sets the clocks of all walkers.
    mutating func setClocks(to time: Instant) {
        for walker in clocks.indices { clocks[walker] = time.milliseconds }
    }

    /// A walker's next position.
    mutating func next(_ walker: Int) -> Position {
        places[walker].latitude = min(47, max(46, places[walker].latitude + (random.unit() - 0.5) * 0.0002))
        places[walker].longitude = min(15, max(14, places[walker].longitude + (random.unit() - 0.5) * 0.0002))
        clocks[walker] += steps[walker]
        let time = Instant(milliseconds: clocks[walker])
        let (latitude, longitude) = places[walker]
        return Position(
            coordinate: Coordinate(
                validLatitude: (latitude * 1e7).rounded() / 1e7, longitude: (longitude * 1e7).rounded() / 1e7),
            sampleTime: time, receivedTime: time, accuracy: 5, speed: 1.5, heading: 90, battery: 80)
    }

    /// A request that reports the next `count` positions of one walker.
    mutating func request(of walker: Int, count: Int, token: String) -> ByteBuffer {
        let name = "u\(walker)/phone"
        return request((0..<count).map { _ in (name, next(walker)) }, token: token)
    }

    /// A request that reports one position each of walkers drawn at random: from those that one of so many connections
    /// reports, and no other one.
    mutating func mixedRequest(of connection: Int, among connections: Int, count: Int, token: String) -> ByteBuffer {
        let own = (places.count - connection + connections - 1) / connections
        let drawn = (0..<count).map { _ in connection + connections * Int(random.next() % UInt64(own)) }
        return request(drawn.map { ("u\($0)/phone", next($0)) }, token: token)
    }

    /// Requests that report one position each of everyone, in requests of `count`.
    mutating func roundOfEveryone(count: Int, token: String) -> [ByteBuffer] {
        stride(from: 0, to: places.count, by: count).map { first in
            request((first..<min(places.count, first + count)).map { ("u\($0)/phone", next($0)) }, token: token)
        }
    }

    private func request(_ positions: [(device: String?, position: Position)], token: String) -> ByteBuffer {
        HTTPAnswer.request("POST", "/api/v1/positions", token: token, body: Reporter.body(of: positions))
    }
}
