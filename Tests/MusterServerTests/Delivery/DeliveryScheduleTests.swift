import MusterCore
import MusterStore
import Testing

@testable import MusterServer

/// Which delivery is tried when, on a clock that the tests move.
@Suite struct DeliveryScheduleTests {
    private static let start = Instant(seconds: 1_790_000_000)

    /// A delivery made at the start, about device `about`; 0 is nobody.
    private static func pending(
        _ number: Int64, to target: Int32 = 1, about device: Int32 = 1, attempts: Int32 = 0, after seconds: Double = 0
    ) -> PendingDelivery {
        PendingDelivery(
            number: DeliveryNumber(number), target: TargetNumber(target), subject: DeliverySubject(code: device),
            createdAt: start, attempts: attempts, nextAttemptAt: start.advanced(bySeconds: seconds))
    }

    /// A schedule with these, as of the start.
    private static func schedule(
        following policy: DeliveryPolicy = DeliveryPolicy(), _ deliveries: [PendingDelivery]
    ) -> DeliverySchedule {
        var schedule = DeliverySchedule(policy)
        for delivery in deliveries { schedule.add(delivery, now: start) }
        return schedule
    }

    private static func at(_ seconds: Double) -> Instant { start.advanced(bySeconds: seconds) }

    @Test func `deliveries about one device go one by one, those about others beside them`() {
        var schedule = Self.schedule([
            Self.pending(1), Self.pending(2), Self.pending(3, about: 2), Self.pending(4, about: -1),
            Self.pending(5, about: 0), Self.pending(6, about: 0),
        ])
        #expect(schedule.begun(at: Self.start) == [1, 3, 4, 5, 6])
        #expect(schedule.begun(at: Self.at(100)) == [])
        #expect(schedule.finish(DeliveryNumber(1), .delivered, now: Self.at(1), jitter: 0.5) == .complete)
        #expect(schedule.begun(at: Self.at(1)) == [2])
        #expect(schedule.pendingCount == 5 && schedule.waiting[TargetNumber(1)]?.pending == 5)
    }

    @Test func `a failed delivery holds up its own lane until it arrived or was given up`() {
        var schedule = Self.schedule([Self.pending(1), Self.pending(2), Self.pending(3, about: 2)])
        #expect(schedule.begun(at: Self.start) == [1, 3])
        let failure = DeliveryOutcome.failed("answered 500", retryAfterSeconds: nil)
        let verdict = schedule.finish(DeliveryNumber(1), failure, now: Self.at(1), jitter: 0.5)
        #expect(verdict == .retry(at: Self.at(1.5), attempts: 1))
        #expect(schedule.finish(DeliveryNumber(3), .delivered, now: Self.at(1), jitter: 0) == .complete)
        #expect(schedule.begun(at: Self.at(1.4)) == [])
        #expect(schedule.nextMoment(now: Self.at(1.4)) == Self.at(1.5))
        #expect(schedule.begun(at: Self.at(1.5)) == [1])
        let refusal = DeliveryOutcome.rejected("answered 400")
        #expect(schedule.finish(DeliveryNumber(1), refusal, now: Self.at(2), jitter: 0) == .giveUp(attempts: 2))
        #expect(schedule.begun(at: Self.at(2)) == [2])
    }

    @Test func `a delivery after a manual target's last run waits for the next run, or expires`() {
        var policy = DeliveryPolicy()
        policy.lifetimeSeconds = 60
        var schedule = Self.schedule(
            following: policy, [Self.pending(1), Self.pending(2), Self.pending(3, about: 2), Self.pending(4, to: 2)])
        func follow(_ through: Int64, at seconds: Double = 0) {
            schedule.follow(now: Self.at(seconds)) { number in
                let mode: Target.Mode = number == TargetNumber(1) ? .byHand(through: through) : .atOnce
                return Target(number: number, name: "t", kind: .log, mode: mode)
            }
        }
        follow(1)
        #expect(schedule.begun(at: Self.start).sorted() == [1, 4])
        #expect(schedule.finish(DeliveryNumber(1), .delivered, now: Self.at(1), jitter: 0) == .complete)
        #expect(schedule.begun(at: Self.at(2)) == [])
        schedule.add(Self.pending(5, about: 3), now: Self.at(2))
        follow(3, at: 3)
        #expect(schedule.begun(at: Self.at(3)).sorted() == [2, 3])
        // A released delivery that failed is retried without a further release.
        let failure = DeliveryOutcome.failed("answered 500", retryAfterSeconds: nil)
        #expect(
            schedule.finish(DeliveryNumber(2), failure, now: Self.at(4), jitter: 0.5)
                == .retry(at: Self.at(4.5), attempts: 1))
        #expect(schedule.begun(at: Self.at(5)) == [2])
        #expect(schedule.nextMoment(now: Self.at(5)) == Self.at(60))
        #expect(schedule.steps(now: Self.at(60), limit: 9) == [.giveUp(DeliveryNumber(5), attempts: 0)])
    }

    @Test func `a thousand targets that fail and wait are passed over quickly`() {
        var schedule = Self.schedule((1...1_000).map { Self.pending(Int64($0), to: Int32($0), after: 30) })
        let clock = ContinuousClock.now
        for second in 0..<20 {
            schedule.follow(now: Self.at(Double(second))) { Target(number: $0, name: "t", kind: .log) }
            #expect(schedule.begun(at: Self.at(Double(second))) == [])
        }
        print("a pass over 1,000 waiting targets: \((ContinuousClock.now - clock) / 20)")
        #expect(schedule.begun(at: Self.at(30)).count == 1_000)
    }

    @Test func `waiting doubles up to a bound, and lies anywhere below it`() {
        let policy = DeliveryPolicy()
        let bounds = (1...12).map { policy.delaySeconds(afterAttempts: $0, jitter: 1) }
        #expect(bounds == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
        #expect(policy.delaySeconds(afterAttempts: 4, jitter: 0.25) == 2)
        #expect(policy.delaySeconds(afterAttempts: 1_000_000, jitter: 1) == 900)
    }

    @Test func `a delivery is given up when its time is over, tried or not`() {
        var policy = DeliveryPolicy()
        policy.lifetimeSeconds = 60
        var schedule = Self.schedule(
            following: policy, [Self.pending(1), Self.pending(2), Self.pending(3, about: 2, after: 90)])
        #expect(schedule.begun(at: Self.at(59)) == [1])
        let failure = DeliveryOutcome.unreachable("refused")
        #expect(
            schedule.finish(DeliveryNumber(1), failure, now: Self.at(59), jitter: 0.999)
                == .retry(at: Self.at(59.999), attempts: 1))
        #expect(
            Set(schedule.steps(now: Self.at(61), limit: 9))
                == [
                    .giveUp(DeliveryNumber(1), attempts: 1), .giveUp(DeliveryNumber(2), attempts: 0),
                    .giveUp(DeliveryNumber(3), attempts: 0),
                ])
        #expect(schedule.pendingCount == 0)
        var last = Self.schedule(following: policy, [Self.pending(4)])
        #expect(last.begun(at: Self.at(59)) == [4])
        #expect(last.finish(DeliveryNumber(4), failure, now: Self.at(60), jitter: 0.5) == .giveUp(attempts: 1))
    }

    @Test func `deliveries to a disabled target expire all the same`() {
        var policy = DeliveryPolicy()
        policy.lifetimeSeconds = 60
        var schedule = Self.schedule(following: policy, (1...5).map { Self.pending($0, about: Int32($0 % 2 + 1)) })
        schedule.follow(TargetNumber(1), isEnabled: false)
        #expect(schedule.steps(now: Self.start, limit: 9) == [])
        let review = schedule.nextMoment(now: Self.start)
        #expect(review != nil && review! <= Self.at(60))
        _ = schedule.steps(now: Self.at(61), limit: 2)
        var given: [DeliverySchedule.Step] = []
        for second in 61..<100 { given += schedule.steps(now: Self.at(Double(second)), limit: 2) }
        #expect(schedule.pendingCount == 0)
        schedule.follow(TargetNumber(1), isEnabled: true)
        #expect(schedule.begun(at: Self.at(99)) == [])
    }

    @Test func `a failing target is paused, then probed one delivery at a time, then sent to freely`() {
        var schedule = Self.schedule((1...40).map { Self.pending($0, about: Int32($0)) })
        let policy = schedule.policy
        #expect(schedule.begun(at: Self.start).count == policy.attemptsPerTarget)
        let failure = DeliveryOutcome.unreachable("refused")
        for number in 1...16 {
            _ = schedule.finish(DeliveryNumber(Int64(number)), failure, now: Self.start, jitter: 0)
        }
        #expect(schedule.isProbing(TargetNumber(1)))
        #expect(schedule.begun(at: Self.at(0.4)) == [])
        #expect(schedule.nextMoment(now: Self.at(0.4)) == Self.at(0.5))
        var now = 0.5
        for round in 1...8 {
            let probes = schedule.begun(at: Self.at(now))
            #expect(probes.count == 1, "round \(round)")
            _ = schedule.finish(DeliveryNumber(probes[0]), failure, now: Self.at(now), jitter: 0)
            let wait = min(Double(1 << round), policy.longestProbeDelaySeconds) / 2
            #expect(schedule.begun(at: Self.at(now + wait - 0.01)) == [])
            now += wait
        }
        let probe = schedule.begun(at: Self.at(now))
        #expect(probe.count == 1)
        _ = schedule.finish(DeliveryNumber(probe[0]), .delivered, now: Self.at(now), jitter: 0)
        #expect(!schedule.isProbing(TargetNumber(1)))
        #expect(schedule.begun(at: Self.at(now)).count == policy.attemptsPerTarget)
    }

    @Test func `one event that a target refuses does not pause the others`() {
        var schedule = Self.schedule([Self.pending(1)])
        let failure = DeliveryOutcome.failed("answered 500", retryAfterSeconds: nil)
        var now = 0.0
        for _ in 0..<20 {
            #expect(schedule.begun(at: Self.at(now)) == [1])
            _ = schedule.finish(DeliveryNumber(1), failure, now: Self.at(now), jitter: 0.9)
            #expect(!schedule.isProbing(TargetNumber(1)))
            now += 900
        }
        schedule.add(Self.pending(2, about: 2), now: Self.at(now))
        #expect(schedule.begun(at: Self.at(now)).contains(2))
    }

    @Test func `Retry-After is obeyed for the whole target, within bounds`() {
        var schedule = Self.schedule([Self.pending(1), Self.pending(2, about: 2), Self.pending(3, to: 2)])
        #expect(schedule.steps(now: Self.start, limit: 1).count == 1)
        #expect(schedule.begun(at: Self.start).count == 2)
        let failure = DeliveryOutcome.failed("answered 429", retryAfterSeconds: 30)
        #expect(
            schedule.finish(DeliveryNumber(1), failure, now: Self.start, jitter: 0)
                == .retry(at: Self.at(30), attempts: 1))
        schedule.add(Self.pending(4, about: 4), now: Self.start)
        #expect(schedule.begun(at: Self.at(29)) == [])
        #expect(schedule.begun(at: Self.at(30)).sorted() == [1, 4])
        let endless = DeliveryOutcome.failed("answered 503", retryAfterSeconds: 1e9)
        #expect(
            schedule.finish(DeliveryNumber(4), endless, now: Self.at(30), jitter: 0)
                == .retry(at: Self.at(3630), attempts: 1))
    }

    @Test func `a slow target takes no more than its share, also of the whole`() {
        var policy = DeliveryPolicy()
        policy.attemptsPerTarget = 3
        policy.attemptsInAll = 5
        let slow = (1...10).map { Self.pending($0, about: Int32($0)) }
        var schedule = Self.schedule(
            following: policy, slow + [Self.pending(20, to: 2), Self.pending(21, to: 2, about: 2)])
        let first = schedule.begun(at: Self.start)
        #expect(first.filter { $0 < 20 }.count == 3 && first.filter { $0 >= 20 }.count == 2)
        // All places are taken; a target without one still begins.
        schedule.add(Self.pending(30, to: 3), now: Self.start)
        schedule.add(Self.pending(31, to: 3, about: 2), now: Self.start)
        #expect(schedule.begun(at: Self.start) == [30])
    }

    @Test func `a target that is gone is forgotten, with what comes back from it`() {
        var schedule = Self.schedule([Self.pending(1), Self.pending(2), Self.pending(3, to: 2)])
        #expect(schedule.begun(at: Self.start).sorted() == [1, 3])
        schedule.follow(TargetNumber(2), isEnabled: true)
        #expect(schedule.pendingCount == 1)
        #expect(schedule.finish(DeliveryNumber(1), .delivered, now: Self.start, jitter: 0) == .nothing)
        #expect(schedule.underWayCount == 1)
        #expect(schedule.finish(DeliveryNumber(3), .vanished, now: Self.start, jitter: 0) == .nothing)
        #expect(schedule.pendingCount == 0)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `whatever fails, each lane arrives in order and nothing is lost`(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var schedule = DeliverySchedule()
        var arrived: [Int32: [Int64]] = [:]
        var dead: Set<Int64> = []
        var inFlight: [Int64] = []
        var lane: [Int64: Int32] = [:]
        var now = 0.0
        var next: Int64 = 1
        while next <= 600 || schedule.pendingCount > 0 {
            now += Double.random(in: 0...20, using: &random)
            while next <= 600, Bool.random(using: &random) {
                let device = Int32.random(in: 1...12, using: &random)
                lane[next] = device
                schedule.add(Self.pending(next, to: device % 3 + 1, about: device), now: Self.at(now))
                next += 1
            }
            for step in schedule.steps(now: Self.at(now), limit: 50) {
                switch step {
                case .send(let number, _): inFlight.append(number.rawValue)
                case .giveUp(let number, _): dead.insert(number.rawValue)
                }
            }
            #expect(Set(inFlight.map { lane[$0] }).count == inFlight.count, "seed \(seed)")
            while let number = inFlight.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0 {
                inFlight.removeAll { $0 == number }
                let outcome: DeliveryOutcome =
                    [.delivered, .delivered, .unreachable("x"), .failed("x", retryAfterSeconds: nil)]
                    .randomElement(using: &random) ?? .delivered
                let jitter = Double.random(in: 0..<1, using: &random)
                switch schedule.finish(DeliveryNumber(number), outcome, now: Self.at(now), jitter: jitter) {
                case .complete: arrived[lane[number] ?? 0, default: []].append(number)
                case .giveUp: dead.insert(number)
                case .retry, .nothing: break
                }
            }
        }
        for numbers in arrived.values { #expect(numbers == numbers.sorted(), "seed \(seed)") }
        #expect(arrived.values.reduce(0) { $0 + $1.count } + dead.count == 600, "seed \(seed)")
    }
}

extension DeliverySchedule {
    /// Applies a directory with one target.
    fileprivate mutating func follow(_ target: TargetNumber, isEnabled: Bool) {
        follow(now: Instant(seconds: 1_790_000_000)) { number in
            number == target ? Target(number: number, name: "t", kind: .log, isEnabled: isEnabled) : nil
        }
    }

    /// The numbers of what begins at a moment.
    fileprivate mutating func begun(at moment: Instant) -> [Int64] {
        var begun: [Int64] = []
        while case let steps = steps(now: moment, limit: 8), !steps.isEmpty {
            for case .send(let number, _) in steps { begun.append(number.rawValue) }
        }
        return begun
    }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
