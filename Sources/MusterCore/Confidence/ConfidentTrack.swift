public import MusterGeometry

/// Where a device is and how sure that is: its fixes, filtered one by one.
///
/// The position is filtered once for each device, whatever regions there are. What is believed of a fix:
/// - its accuracy, times 1.6: receivers promise too much;
/// - a small new error each time, and a share of the error that averaging never removes: fixes a few seconds apart err
///   alike, so a hundred of them are not ten times as good as one;
/// - not at once, when it is far from where the device can be: such a *surprise* must persist for 45 s, or for 180 s
///   when the device says that it stands still and the surprises do so too. After a gap of half a minute three
///   accurate fixes over 20 s that agree are believed, after four minutes of silence one accurate fix;
/// - that the device moves, when it says so, or when fixes 20 s apart are farther from each other than they may err.
///   A device that says it stands while its fixes go away is not believed that it does, until it says a speed.
///
/// Everything is worked out in metres east and north of the present estimate, with the lengths of a degree at its
/// latitude and longitudes the short way round. Within a kilometre of a pole, where these bend, it is off by per cents.
///
/// 168 bytes a device, all of them numbers of a fixed width: the places that fixes are compared with are held relative
/// to the estimate as `Float` degrees, exact to a hundredth of a millimetre at 100 m, their ages in milliseconds, 49
/// days at most.
public struct ConfidentTrack: Hashable, Sendable {
    var latitude = 0.0
    var longitude = 0.0
    var milliseconds: Int64 = 0
    /// V: the variance that more fixes reduce, square metres on each axis.
    var variance: Float = 0
    /// B: the variance that they do not.
    var lasting: Float = 0
    /// A1 and A2: the last two fixes, 20 s or more apart, that motion is measured against.
    var anchor = Mark()
    var anchorAccuracy: Float = 0
    var earlierAnchor = Mark()
    /// The speed between the two.
    var anchorSpeed: Float = 0
    /// u: the speed that there was evidence for at the last fix; 0 when it might be none.
    var speed: Float = 0
    /// c: the last of the surprises in hand; its age is the first one's.
    var candidate = Mark()
    var candidateVariance: Float = 0
    /// Where the first of them was.
    var candidateStart = Mark()
    var candidateStartVariance: Float = 0
    /// The first of the accurate surprises that lie together, the last one among them.
    var steady = Mark()
    /// How long ago the last fix with a fine accuracy was that was no surprise.
    var fittedMilliseconds: UInt32 = 0
    /// How long ago it was at the first surprise.
    var gapMilliseconds: UInt32 = 0
    /// Where the estimate was: when 10 s or more had passed since the mark before, a new one is set.
    var waypoint = Mark()
    var earlierWaypoint = Mark.none
    var earliestWaypoint = Mark.none
    /// How many fixes, anchors and surprises in a row there are, as far as it matters: up to 2.
    var fixes: UInt8 = 0
    var anchors: UInt8 = 0
    var surprises: UInt8 = 0
    /// How many accurate surprises lie together.
    var steadyCount: UInt8 = 0
    /// For how many fixes in a row the estimate has moved: up to 3.
    var movingFixes: UInt8 = 0
    /// 1 when the device said that it stands while its fixes went away, until it says a speed; else 0.
    var doubtsStanding: UInt8 = 0

    /// A track without a fix.
    public init() {}

    /// Whether there was no fix yet. Then there is no estimate.
    public var isEmpty: Bool { fixes == 0 }

    /// The sample time of the last fix taken; nil when there was none.
    public var sampleTime: Instant? { isEmpty ? nil : Instant(milliseconds: milliseconds) }

    /// Where the device is believed to be.
    public var estimate: Coordinate { Coordinate(validLatitude: latitude, longitude: longitude) }

    /// How far off the estimate is, as the deviation on each axis in metres; infinite without a fix.
    public var deviationMetres: Double { isEmpty ? .infinity : Double(variance + lasting).squareRoot() }

    /// The deviation that would be left after any number of fixes like the last ones; infinite without a fix.
    public var leastDeviationMetres: Double { isEmpty ? .infinity : Double(lasting).squareRoot() }

    /// Whether the last fix was a surprise that is neither believed nor dismissed yet. The estimate has not moved then:
    /// show "checking" and not the probability that is held.
    public var isChecking: Bool { surprises > 0 }

    /// Where the fixes that are being checked seem to be: the last of them; nil unless `isChecking`.
    public var candidateEstimate: Coordinate? {
        guard isChecking else { return nil }
        return coordinate(of: candidate)
    }

    /// The sample time of the first of the fixes that are being checked; nil unless `isChecking`.
    public var candidateSince: Instant? {
        isChecking ? Instant(milliseconds: milliseconds - Int64(candidate.ageMilliseconds)) : nil
    }

    /// Whether there were two fixes or more, and the last one was no surprise.
    public var isSettled: Bool { fixes >= 2 && surprises == 0 }
}

extension ConfidentTrack {
    /// Moves on to a fix.
    ///
    /// - Returns: false for a fix that is not newer than the last one taken: late or repeated, it changes nothing.
    @discardableResult
    public mutating func advance(_ fix: ConfidentFix) -> Bool {
        guard !isEmpty else {
            start(with: fix)
            return true
        }
        guard fix.sampleTime.milliseconds > milliseconds else { return false }
        // In floating point no two times are too far apart.
        let elapsed = (Double(fix.sampleTime.milliseconds) - Double(milliseconds)) / 1000
        age(bySeconds: elapsed)
        let step = Step(fix, from: estimate, elapsedSeconds: elapsed)
        let speed = speed(at: step)
        let travelled = speed * elapsed
        // It may have stopped only just now.
        let reach = max(speed, Double(self.speed)) * elapsed
        let predicted = Double(variance) + Self.diffusion * elapsed + reach * reach
        if step.metres > Self.gate * (predicted + step.variance).squareRoot() {
            weighSurprise(step)
        } else {
            follow(step, travelledMetres: travelled, predicted: predicted)
        }
        noteMotion(after: step)
        self.speed = Float(speed)
        milliseconds = fix.sampleTime.milliseconds
        fixes = 2
        return true
    }

    /// Where a mark is.
    func coordinate(of mark: Mark) -> Coordinate {
        Coordinate(
            validLatitude: max(-90, min(90, latitude + Double(mark.northDegrees))),
            longitude: shortWay(longitude + Double(mark.eastDegrees)))
    }

    private mutating func start(with fix: ConfidentFix) {
        latitude = fix.coordinate.latitude
        longitude = fix.coordinate.longitude
        milliseconds = fix.sampleTime.milliseconds
        let step = Step(fix, from: fix.coordinate, elapsedSeconds: 0)
        speed = Float(speed(at: step))
        variance = Float(step.variance)
        lasting = Float(Self.lastingShare * step.variance)
        fixes = 1
    }

    /// The speed for which there is evidence, and the anchors moved on; 0 when it might be none.
    private mutating func speed(at step: Step) -> Double {
        guard step.isFine else { return 0 }
        var speed = 0.0
        var sinceAnchor = 0.0
        if anchors > 0 {
            let slack = Self.slackShare * (step.accuracy + Double(anchorAccuracy))
            sinceAnchor = step.speed(since: anchor, slackMetres: slack)
            if anchors > 1 {
                let sinceEarlier = step.speed(since: earlierAnchor, slackMetres: slack)
                speed = min(sinceAnchor, Double(anchorSpeed), sinceEarlier)
            }
        }
        if anchors == 0 || anchor.ageMilliseconds >= Self.anchorMilliseconds {
            earlierAnchor = anchor
            anchor = Mark(step)
            anchorAccuracy = Float(step.accuracy)
            anchorSpeed = Float(sinceAnchor)
            anchors = min(anchors + 1, 2)
        }
        if let said = step.saidSpeed {
            if said >= Self.leastSpeed { doubtsStanding = 0 }
            if doubtsStanding == 0 { speed = said }
        }
        return speed < Self.leastSpeed ? 0 : speed
    }

    /// Moves the estimate towards the fix, by as much as the fix is worth.
    private mutating func follow(_ step: Step, travelledMetres: Double, predicted: Double) {
        surprises = 0
        if step.isFine { fittedMilliseconds = 0 }
        let error = step.variance
        var gain: Double
        if travelledMetres > 0 {
            gain = travelledMetres / (travelledMetres + Self.lagShare * error.squareRoot())
            if step.elapsed > Self.sparseSeconds { gain = max(gain, predicted / (predicted + error)) }
            let left = (1 - gain) * (Double(variance) + Self.diffusion * step.elapsed)
            variance = Float(max(left, Self.movingShare * error))
        } else {
            // Errors correlate over some 30 s: of two fixes in quick succession the second says little new.
            let weight = max(hyperbolicTangent(step.elapsed / (2 * Self.correlationSeconds)), Self.leastWeight)
            gain = predicted / (predicted + error / weight)
            variance = Float((1 - gain) * predicted)
        }
        lasting += Float(gain * (Self.lastingShare * error - Double(lasting)))
        move(eastDegrees: gain * step.eastDegrees, northDegrees: gain * step.northDegrees)
    }

    mutating func move(eastDegrees: Double, northDegrees: Double) {
        latitude = max(-90, min(90, latitude + northDegrees))
        longitude = shortWay(longitude + eastDegrees)
        anchor.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        earlierAnchor.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        candidate.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        waypoint.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        earlierWaypoint.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        earliestWaypoint.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
    }

    private mutating func age(bySeconds elapsed: Double) {
        let milliseconds = UInt32(min(elapsed * 1000, Double(UInt32.max)).rounded())
        anchor.age(byMilliseconds: milliseconds)
        earlierAnchor.age(byMilliseconds: milliseconds)
        candidate.age(byMilliseconds: milliseconds)
        steady.age(byMilliseconds: milliseconds)
        waypoint.age(byMilliseconds: milliseconds)
        earlierWaypoint.age(byMilliseconds: milliseconds)
        earliestWaypoint.age(byMilliseconds: milliseconds)
        fittedMilliseconds = Self.sum(fittedMilliseconds, milliseconds)
    }
}
