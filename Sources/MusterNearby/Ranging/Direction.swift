import Foundation
public import MusterGeometry

/// A unit vector from this device towards a peer, in the axes of the device: x to the right, y up, z towards the
/// viewer. Straight ahead, through the back of the device, is (0, 0, −1).
public struct Direction: Hashable, Sendable {
    /// To the right.
    public let x: Double
    /// Up.
    public let y: Double
    /// Towards the viewer.
    public let z: Double

    /// Checks a vector that a radio measured, and makes its length exactly 1.
    ///
    /// - Throws: `MeasurementError.direction` when a component is not finite, or the length is off 1 by more than 1 %.
    public init(x: Double, y: Double, z: Double) throws(MeasurementError) {
        let length = (x * x + y * y + z * z).squareRoot()
        guard abs(length - 1) <= 0.01 else { throw .direction(x: x, y: y, z: z) }
        (self.x, self.y, self.z) = (x / length, y / length, z / length)
    }

    /// Makes the vector from two angles.
    ///
    /// - Parameters:
    ///   - angle: the angle from straight ahead, positive to the right.
    ///   - elevation: the angle above the horizon of the device.
    /// - Precondition: both are finite.
    public init(horizontalAngle angle: Degrees, elevation: Degrees = 0) {
        let (turn, rise) = (angle.value * .pi / 180, elevation.value * .pi / 180)
        (x, y, z) = (sin(turn) * cos(rise), sin(rise), -cos(turn) * cos(rise))
    }

    /// The angle from straight ahead in the horizontal plane, −180 to 180, positive to the right.
    public var horizontalAngle: Degrees { Degrees(atan2(x, -z) * 180 / .pi) }

    /// The angle above the horizontal plane, −90 to 90.
    public var elevation: Degrees { Degrees(asin(min(max(y, -1), 1)) * 180 / .pi) }
}

extension Degrees {
    /// The same angle from −180 (exclusive) to 180.
    var turned: Degrees {
        let rest = value.remainder(dividingBy: 360)
        return Degrees(rest == -180 ? 180 : rest)
    }

    /// The same angle from 0 to 360 (exclusive).
    var clockwise: Degrees { turned.value < 0 ? Degrees(turned.value + 360) : turned }
}
