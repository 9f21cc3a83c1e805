import MusterCore
import MusterGeometry
import MusterTerminal
import NIOCore

/// People who walk at random through the square degree of the fences, and the requests that report them.
struct Walkers {
    private var places: [(latitude: Double, longitude: Double)]
    private var clocks: [Int64]
    private var random: BenchRandom
    /// Milliseconds between two samples of a walker; negative to report ever older ones.
    let stepMilliseconds: Int64

    /// Walkers whose first samples are at a moment.
    init(_ count: Int, from start: Instant, stepMilliseconds: Int64, seed: UInt64 = 7) {
        random = BenchRandom(seed: seed)
        self.stepMilliseconds = stepMilliseconds
        places = []
        for _ in 0..<count { places.append((46 + random.unit(), 14 + random.unit())) }
        clocks = Array(repeating: start.milliseconds, count: count)
    }

    /// A walker's next position.
    mutating func next(_ walker: Int) -> Position {
        places[walker].latitude = min(47, max(46, places[walker].latitude + (random.unit() - 0.5) * 0.0002))
        places[walker].longitude = min(15, max(14, places[walker].longitude + (random.unit() - 0.5) * 0.0002))
        clocks[walker] += stepMilliseconds
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

    /// A request that reports one position each of walkers drawn at random.
    mutating func mixedRequest(count: Int, token: String) -> ByteBuffer {
        let drawn = (0..<count).map { _ in Int(random.next() % UInt64(places.count)) }
        return request(drawn.map { ("u\($0)/phone", next($0)) }, token: token)
    }

    private func request(_ positions: [(device: String?, position: Position)], token: String) -> ByteBuffer {
        HTTPAnswer.request("POST", "/api/v1/positions", token: token, body: Reporter.body(of: positions))
    }
}
