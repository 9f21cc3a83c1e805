import Foundation

/// Sines and cosines of angles in degrees, for points on a circle.
enum UnitCircle {
    static func point(degrees: Double) -> (sine: Double, cosine: Double) {
        (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    }
}
