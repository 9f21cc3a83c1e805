import Foundation

/// Points on a circle of radius 1.
enum UnitCircle {
    /// The sine and the cosine of an angle.
    static func point(degrees: Double) -> (sine: Double, cosine: Double) {
        (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    }
}
