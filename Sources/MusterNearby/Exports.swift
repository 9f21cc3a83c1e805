// What the public declarations name of the targets below, so that an app imports MusterNearby alone.

@_exported public import struct MusterCore.Instant
@_exported public import struct MusterGeometry.Coordinate
@_exported public import enum MusterGeometry.CoordinateError
@_exported public import struct MusterGeometry.Degrees
@_exported public import struct MusterGeometry.Metres
