import Foundation

/// The mathematics that tests need, behind one import.
func sine(_ radians: Double) -> Double { sin(radians) }
func cosine(_ radians: Double) -> Double { cos(radians) }
func pow10(_ exponent: Double) -> Double { pow(10, exponent) }
